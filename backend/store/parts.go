package store

import (
	"fmt"
	"sort"
	"strconv"
	"strings"

	"binnacle/model"
)

// Part is what one engine keeps in the database: records that are the fold of
// events, and tables of its own that are not.
type Part struct {
	Records []Projection
	Tables  []Table
}

// Table is one that is no fold of events: telemetry, settings, places in other
// logs. It is made when the database is; its content is the engine's.
type Table struct {
	Name string
	Make []string // CREATE TABLE, and its indexes
}

// Parts are what all engines keep in the database, together. They do not change.
type Parts struct {
	records []Projection
	tables  []Table
	byKind  map[model.Kind][]int // places in records
	names   []tableName
	texts   []string // of the projections' statements, see stmtGet
}

type tableName struct {
	name string
	bit  touch
}

// NewParts puts the engines' parts together. Two projections that own the same
// events, or tables of one name, are a mistake in the program and panic.
func NewParts(parts ...Part) *Parts {
	s := &Parts{byKind: map[model.Kind][]int{}}
	s.names = []tableName{{"events", touchEvents}, {"head", touchHead}, {"planes", touchPlanes}}
	seen := map[string]bool{}
	add := func(name string) {
		if seen[name] {
			panic("store: two tables are called " + name)
		}
		seen[name] = true
	}
	for _, p := range parts {
		for _, r := range p.Records {
			shape := r.Shape()
			for _, i := range s.byKind[shape.Kind] {
				other := s.records[i].Shape()
				if strings.HasPrefix(shape.Topic, other.Topic) || strings.HasPrefix(other.Topic, shape.Topic) {
					panic(fmt.Sprintf("store: %s and %s are moved by the same events", shape.Table, other.Table))
				}
			}
			n := len(s.records)
			s.byKind[shape.Kind] = append(s.byKind[shape.Kind], n)
			s.records = append(s.records, r)
			s.texts = append(s.texts, shape.text.list()...)
			for _, name := range shape.Tables() {
				add(name)
				s.names = append(s.names, tableName{name, touchRecord(n)})
			}
		}
		for _, t := range p.Tables {
			add(t.Name)
			s.tables = append(s.tables, t)
		}
	}
	if len(s.records) > maxProjections {
		panic("store: too many projections")
	}
	return s
}

// noParts is that of a store without records.
var noParts = NewParts()

// Records are the projections; the place of each is its number elsewhere.
func (s *Parts) Records() []Projection { return s.records }

// Owner is the projection whose record an event of the kind and topic moves, -1
// for none.
func (s *Parts) Owner(k model.Kind, topic string) int {
	for _, i := range s.byKind[k] {
		if s.records[i].Shape().owns(k, topic) {
			return i
		}
	}
	return -1
}

// number is the projection's place, -1 when it is not of this schema.
func (s *Parts) number(p Projection) int {
	for i, x := range s.records {
		if x == p {
			return i
		}
	}
	return -1
}

// unknownRecords is the refusal of a projection that the store was opened without.
func unknownRecords(p Projection) error {
	return model.Errorf(model.CodeInternal, "the store was opened without the table %s", p.Shape().Table)
}

// forms says which form each table has, for the database to remember.
func (s *Parts) forms() map[string]int {
	out := map[string]int{}
	for _, p := range s.records {
		out[p.Shape().Table] = p.Shape().Form
	}
	for _, t := range s.tables {
		out[t.Name] = 0
	}
	return out
}

// writeForms and readForms are how meta holds the forms.
func writeForms(forms map[string]int) string {
	names := make([]string, 0, len(forms))
	for name, form := range forms {
		names = append(names, name+"="+strconv.Itoa(form))
	}
	sort.Strings(names)
	return strings.Join(names, " ")
}

func readForms(text string) map[string]int {
	forms := map[string]int{}
	for _, f := range strings.Fields(text) {
		name, form, _ := strings.Cut(f, "=")
		if n, err := strconv.Atoi(form); err == nil {
			forms[name] = n
		}
	}
	return forms
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
func (s *Parts) named(text string) touch {
	t := strings.ToLower(text)
	var names touch
	for _, x := range s.names {
		if strings.Contains(t, x.name) {
			names |= x.bit
		}
	}
	return names
}
