package store

import (
	"fmt"
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
}

// NewParts puts the engines' parts together. Two projections that own the same
// events, or tables of one name, are a mistake in the program and panic.
func NewParts(parts ...Part) *Parts {
	s := &Parts{byKind: map[model.Kind][]int{}}
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
			for _, name := range shape.Tables() {
				add(name)
			}
		}
		for _, t := range p.Tables {
			add(t.Name)
			s.tables = append(s.tables, t)
		}
	}
	return s
}

// Records are the projections; the place of each is its number elsewhere.
func (s *Parts) Records() []Projection { return s.records }

// Tables are those that are no fold of events.
func (s *Parts) Tables() []Table { return s.tables }

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

// Number is the projection's place, -1 when it is not of these parts.
func (s *Parts) Number(p Projection) int {
	for i, x := range s.records {
		if x == p {
			return i
		}
	}
	return -1
}
