package sqlite

import (
	"strings"
	"sync"

	"binnacle/backend/store"
)

// layout is what the engines keep, as it lies in SQLite: the statements of each
// projection, and which tables a statement's text may name.
type layout struct {
	*store.Parts
	texts []string // of the projections' statements, see stmtGet
	names []tableName

	mu     sync.Mutex
	schema *schema // that a database of this version has, once somebody asked
}

type tableName struct {
	name string
	bit  touch
}

// noLayout is that of connections that touch no records.
var noLayout = newLayout(store.NewParts())

func newLayout(parts *store.Parts) *layout {
	l := &layout{Parts: parts, names: []tableName{{"events", touchEvents}, {"head", touchHead}, {"planes", touchPlanes}}}
	if len(parts.Records()) > maxProjections {
		panic("store: too many projections")
	}
	for n, p := range parts.Records() {
		shape := p.Shape()
		if len(shape.Sides) > maxSides {
			panic("store: too many tables beside " + shape.Table)
		}
		l.texts = append(l.texts, recordTexts(shape)...)
		for _, name := range shape.Tables() {
			l.names = append(l.names, tableName{name, touchRecord(n)})
		}
	}
	return l
}

// touch is a set of the tables whose rows a transaction may still hold in
// memory.
type touch uint64

const (
	touchEvents touch = 1 << iota
	touchHead
	touchPlanes
	touchFirstRecord

	touchAll       = ^touch(0)
	touchRecords   = touchAll &^ (touchEvents | touchHead | touchPlanes)
	maxProjections = 60
)

// touchRecord is the tables of one projection.
func touchRecord(of int) touch { return touchFirstRecord << of }

// named returns the tables whose name stands somewhere in the text. It may name
// too many, never too few: the schema has no views.
func (l *layout) named(text string) touch {
	t := strings.ToLower(text)
	var names touch
	for _, x := range l.names {
		if strings.Contains(t, x.name) {
			names |= x.bit
		}
	}
	return names
}

// derivedTables are the tables that replaying the events fills.
func (l *layout) derivedTables() []string {
	tables := coreTables()
	for _, r := range l.Records() {
		tables = append(tables, r.Shape().Tables()...)
	}
	return tables
}

// recordTexts are a shape's statements, as stmtGet and its like count them.
func recordTexts(s *store.Shape) []string {
	key := s.Columns[0].Name
	var sets []string
	for _, c := range s.Columns[1:] {
		if !c.Fixed {
			sets = append(sets, c.Name+" = ?")
		}
	}
	out := make([]string, stmtsEach)
	copy(out, []string{
		`SELECT ` + s.Names() + ` FROM ` + s.Table + ` WHERE ` + key + ` = ?`,
		insertInto(s.Table, s.Names()),
		`UPDATE ` + s.Table + ` SET ` + strings.Join(sets, ", ") + ` WHERE ` + key + ` = ?`,
		`SELECT coalesce(max(` + key + `), 0) FROM ` + s.Table,
	})
	for i := range s.Sides {
		side := &s.Sides[i]
		out[4+i] = insertInto(side.Table, store.ColumnNames(side.Columns))
		out[4+maxSides+i] = `DELETE FROM ` + side.Table + ` WHERE ` + side.Columns[0].Name + ` = ?`
	}
	return out
}

// makeTables lists the statements that make the shape's tables and indexes.
func makeTables(s *store.Shape) []string {
	out := []string{createTable(s.Table, s.Columns, true)}
	out = append(out, s.Indexes...)
	for i := range s.Sides {
		out = append(out, createTable(s.Sides[i].Table, s.Sides[i].Columns, false))
		out = append(out, s.Sides[i].Indexes...)
	}
	return out
}

// createTable makes a table whose key is its first column, or all of them.
func createTable(name string, columns []store.Column, keyed bool) string {
	var b strings.Builder
	b.WriteString("CREATE TABLE " + name + " (\n")
	for i, c := range columns {
		b.WriteString("\t" + c.Name + " " + c.Type)
		if keyed && i == 0 {
			b.WriteString(" PRIMARY KEY")
		}
		if i < len(columns)-1 || !keyed {
			b.WriteString(",")
		}
		b.WriteString("\n")
	}
	if !keyed {
		b.WriteString("\tPRIMARY KEY (" + store.ColumnNames(columns) + ")\n")
	}
	b.WriteString(")")
	return b.String()
}
