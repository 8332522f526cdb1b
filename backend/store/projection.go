package store

import (
	"database/sql/driver"
	"strconv"
	"strings"

	"binnacle/model"
)

// Projection is one kind of record that events add up to: whose events move it,
// how they do, and how a record lies in its table. An engine declares its own
// with NewRecords and hands it to whoever opens the store (Parts). From that
// alone the store moves the record and its count in the transaction of its
// event, and verify, rebuild, migration and backup know of it.
//
// A record is passed around as a pointer to the projection's own type, and never
// changed once it was handed over.
type Projection interface {
	// Shape describes the projection. It is the same at each call, and not to be
	// changed.
	Shape() *Shape
	// Apply returns the record as it is after e; rec is nil where there is none
	// yet. A step that the record's state machine does not have is refused.
	Apply(rec any, e model.Event) (any, error)
	// Counter is the count that the record stands in; ok is false for records that
	// nobody counts.
	Counter(rec any) (of model.Counter, ok bool)
	// Row appends the record's row, in the order of Shape.Columns.
	Row(dst []driver.Value, rec any) []driver.Value
	// Scan makes the record of such a row. Values of another type than the column's
	// are read as absent.
	Scan(row []driver.Value) any
	// Side returns the record's rows in one of its side tables, each beginning with
	// the record's key, in ascending order.
	Side(of int, rec any) [][]driver.Value
	// Slim replaces the record's long text (Column.Long) by its digest, so that a
	// fold of a million records holds their text on disk only.
	Slim(rec any)
}

// Shape describes a Projection.
type Shape struct {
	Noun  string     // what a user calls one such record
	Kind  model.Kind // of the events that move it
	Topic string     // with which their topics begin; "" is every topic
	Table string     // of the records
	// Form counts the changes of the table. A database that has another form of
	// it gets a new table, filled from the events, when it is opened for writing.
	Form    int
	Columns []Column   // the first is the record's key
	Indexes []string   // CREATE INDEX statements
	Sides   []SideForm // tables that hold lists of a record
	// Unnamed says how a record gets its key when its first event has none.
	Unnamed Naming

	names                    string // of the columns
	state, firstSeq, lastSeq int    // places of columns
}

// Column is one column of a projection's table.
type Column struct {
	Name  string
	Type  string // as in CREATE TABLE
	Fixed bool   // it never changes while the record stands
	Long  bool   // text that may be long: a fold holds its digest
}

// SideForm describes a table that holds a list of a record, one row an entry. Its
// rows are unique, and the first column is the record's key.
type SideForm struct {
	Table   string
	Columns []Column
	Indexes []string
}

// Naming says how a record gets its key when its first event has none.
type Naming int

// The ways of naming.
const (
	NameGiven Naming = iota // it keeps none: the record of the key ""
	NameBySeq               // by its event's sequence number, with a suffix where that is taken
	NameNext                // by the next number; keys are numbers
)

// Of says whether the event moves a record of this shape.
func (s *Shape) Of(e *model.Event) bool { return s.owns(e.Kind, e.Topic) }

func (s *Shape) owns(k model.Kind, topic string) bool {
	return s.Kind == k && strings.HasPrefix(topic, s.Topic)
}

// Names lists the columns as a SELECT wants them, in the order that Scan reads.
func (s *Shape) Names() string { return s.names }

// Key is the key in the form that its column has.
func (s *Shape) Key(key string) driver.Value {
	if s.Unnamed == NameNext {
		return idArg(key)
	}
	return key
}

// KeyOf is the key of a row.
func (s *Shape) KeyOf(row []driver.Value) string {
	if s.Unnamed == NameNext {
		return strconv.FormatInt(AsInt(row[0]), 10)
	}
	return AsText(row[0])
}

// Life returns the record's state, its first event and its newest, from its row.
func (s *Shape) Life(row []driver.Value) (state string, first, last int64) {
	return AsText(row[s.state]), AsInt(row[s.firstSeq]), AsInt(row[s.lastSeq])
}

// SlimRow replaces the long text in a row by its digest, as Slim does in a record.
func (s *Shape) SlimRow(row []driver.Value) {
	for i := range s.Columns {
		if s.Columns[i].Long {
			if text, ok := row[i].(string); ok {
				row[i] = slim(text)
			}
		}
	}
}

// slimLength is the length in bytes from which on a text is held as its digest.
const slimLength = 80

func slim(text string) string {
	if len(text) < slimLength {
		return text
	}
	return "sha256 " + model.HashOf([]byte(text))
}

// Tables are the names of the shape's tables.
func (s *Shape) Tables() []string {
	names := []string{s.Table}
	for i := range s.Sides {
		names = append(names, s.Sides[i].Table)
	}
	return names
}

// ColumnNames lists the columns as a statement wants them.
func ColumnNames(columns []Column) string {
	names := make([]string, len(columns))
	for i := range columns {
		names[i] = columns[i].Name
	}
	return strings.Join(names, ", ")
}

// prepare finds the columns that every record has.
func (s *Shape) prepare() {
	s.state, s.firstSeq, s.lastSeq = -1, -1, -1
	for i, c := range s.Columns {
		switch c.Name {
		case "state", "status":
			s.state = i
		case "first_seq":
			s.firstSeq = i
		case "last_seq":
			s.lastSeq = i
		}
	}
	if s.state < 0 || s.firstSeq < 0 || s.lastSeq < 0 {
		panic("store: the records of " + s.Table + " need the columns state, first_seq and last_seq")
	}
	s.names = ColumnNames(s.Columns)
}
