package store

import (
	"database/sql/driver"
	"fmt"
	"strings"
	"sync"

	"binnacle/model"
)

// Definition is what an engine says of its records of the type T; see Shape for
// what the parts mean.
type Definition[T any] struct {
	Noun    string
	Kind    model.Kind
	Topic   string
	Table   string
	Form    int
	Fields  []Field[T]
	Indexes []string
	Sides   []SideOf[T]
	Unnamed Naming
	Apply   func(rec *T, e model.Event) error // the reducer; it leaves rec alone where it refuses
	Counter func(rec T) model.Counter         // nil: nobody counts them
}

// SideOf is a side table of records of the type T.
type SideOf[T any] struct {
	SideForm
	Rows func(rec *T) [][]driver.Value // see Projection.Side
}

// Records is the Projection of records of the type T, with typed ways to read
// them.
type Records[T any] struct {
	def    Definition[T]
	shaped sync.Once
	shape  Shape // see Shape
}

// NewRecords makes the projection. Its declaration is part of the program: one
// that lacks what every record needs panics when it is first used. Until then
// nothing is made of it, for the program has many and most commands use none.
func NewRecords[T any](d Definition[T]) *Records[T] { return &Records[T]{def: d} }

// Shape implements Projection.
func (p *Records[T]) Shape() *Shape {
	p.shaped.Do(func() {
		d := &p.def
		p.shape = Shape{
			Noun: d.Noun, Kind: d.Kind, Topic: d.Topic, Table: d.Table, Form: d.Form, Indexes: d.Indexes, Unnamed: d.Unnamed,
		}
		for _, f := range d.Fields {
			p.shape.Columns = append(p.shape.Columns, f.Column)
		}
		for _, s := range d.Sides {
			p.shape.Sides = append(p.shape.Sides, s.SideForm)
		}
		p.shape.prepare()
	})
	return &p.shape
}

// Apply implements Projection.
func (p *Records[T]) Apply(rec any, e model.Event) (any, error) {
	next := new(T)
	if rec != nil {
		*next = *rec.(*T)
	}
	if err := p.def.Apply(next, e); err != nil {
		return nil, err
	}
	return next, nil
}

// Counter implements Projection.
func (p *Records[T]) Counter(rec any) (model.Counter, bool) {
	if p.def.Counter == nil {
		return model.Counter{}, false
	}
	return p.def.Counter(*rec.(*T)), true
}

// Row implements Projection.
func (p *Records[T]) Row(dst []driver.Value, rec any) []driver.Value {
	r := rec.(*T)
	for i := range p.def.Fields {
		dst = append(dst, p.def.Fields[i].get(r))
	}
	return dst
}

// Scan implements Projection.
func (p *Records[T]) Scan(row []driver.Value) any {
	r := new(T)
	for i := range p.def.Fields {
		p.def.Fields[i].set(r, row[i])
	}
	return r
}

// Side implements Projection.
func (p *Records[T]) Side(of int, rec any) [][]driver.Value { return p.def.Sides[of].Rows(rec.(*T)) }

// Slim implements Projection.
func (p *Records[T]) Slim(rec any) {
	r := rec.(*T)
	for i := range p.def.Fields {
		if f := &p.def.Fields[i]; f.Column.Long {
			f.set(r, slim(AsText(f.get(r))))
		}
	}
}

// Get reads the record of the key; CodeNotFound when there is none.
func (p *Records[T]) Get(r Reader, key string) (T, error) {
	rec, err := r.Record(p, key)
	if err != nil {
		var none T
		return none, err
	}
	return *rec.(*T), nil
}

// Columns lists the columns for a SELECT whose rows ScanRow reads.
func (p *Records[T]) Columns() string { return p.Shape().names }

// ScanRow reads one row of Columns.
func (p *Records[T]) ScanRow(rows scanner) (T, error) {
	vals, err := scanValues(rows, len(p.def.Fields))
	if err != nil {
		var none T
		return none, err
	}
	return *p.Scan(vals).(*T), nil
}

// Select reads the records that the rest of the statement chooses: WHERE, ORDER
// BY and LIMIT, with placeholders $1, $2 …
func (p *Records[T]) Select(r Reader, rest string, args ...any) ([]T, error) {
	var out []T
	err := each(r, `SELECT `+p.Columns()+` FROM `+p.Shape().Table+` `+rest, p.ScanRow, func(rec T) error {
		out = append(out, rec)
		return nil
	}, args...)
	return out, err
}

// SelectCut is Select, of long text (Column.Long) the first bytes only, which may
// end within a character.
func (p *Records[T]) SelectCut(r Reader, bytes int, rest string, args ...any) ([]T, error) {
	columns := make([]string, len(p.Shape().Columns))
	for i, c := range p.Shape().Columns {
		if columns[i] = c.Name; c.Long {
			columns[i] = r.Dialect().Cut(c.Name, bytes)
		}
	}
	return collect(r, `SELECT `+strings.Join(columns, ", ")+` FROM `+p.Shape().Table+` `+rest, p.ScanRow, args...)
}

// Range is a part of a projection's rows, by their keys. Nil is no bound.
type Range struct {
	From  driver.Value // the first of them
	After driver.Value // or, all behind it
	UpTo  driver.Value // the last of them
}

func (g Range) where(key string) (string, []any) {
	var conditions []string
	var args []any
	for _, b := range []struct {
		sign  string
		bound driver.Value
	}{{">=", g.From}, {">", g.After}, {"<=", g.UpTo}} {
		if b.bound != nil {
			args = append(args, b.bound)
			conditions = append(conditions, fmt.Sprintf("%s %s $%d", key, b.sign, len(args)))
		}
	}
	if len(args) == 0 {
		return "", nil
	}
	return " WHERE " + strings.Join(conditions, " AND "), args
}

// EachRow calls fn for the row of each of the projection's records in the range,
// in the order of their keys, and for at most limit of them.
func EachRow(r Reader, p Projection, g Range, limit int, fn func(row []driver.Value) error) error {
	s := p.Shape()
	where, args := g.where(s.Columns[0].Name)
	query := fmt.Sprintf(`SELECT %s FROM %s%s ORDER BY %s LIMIT %d`, s.names, s.Table, where, s.Columns[0].Name, limit)
	return eachValues(r, len(s.Columns), fn, query, args...)
}

// RowOf calls fn for the row of one record, where there is one.
func RowOf(r Reader, p Projection, key string, fn func(row []driver.Value) error) error {
	k := p.Shape().Key(key)
	return EachRow(r, p, Range{From: k, UpTo: k}, 1, fn)
}

// EachSideRow calls fn for each row of a side table whose record's key is in the
// range, in ascending order of all columns.
func EachSideRow(r Reader, p Projection, side int, g Range, fn func(row []driver.Value) error) error {
	s := &p.Shape().Sides[side]
	where, args := g.where(s.Columns[0].Name)
	names := ColumnNames(s.Columns)
	return eachValues(r, len(s.Columns), fn, `SELECT `+names+` FROM `+s.Table+where+` ORDER BY `+names, args...)
}

func eachValues(r Reader, n int, fn func(row []driver.Value) error, query string, args ...any) error {
	scan := func(rows scanner) ([]driver.Value, error) { return scanValues(rows, n) }
	return each(r, query, scan, fn, args...)
}
