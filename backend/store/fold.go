package store

import (
	"binnacle/model"
)

// Fold is what events add up to: the head, the counts, and every record. The law
// of the fold says that the same events give the same Fold, and that the
// database's derived tables hold exactly it.
type Fold struct {
	Head   model.Head
	Counts model.Counts
	// Records holds each projection's records by their key, in the order of the
	// parts' projections. A record is replaced and never changed.
	Records []map[string]any

	parts *Parts
}

// NewFold is the Fold of an empty ledger.
func NewFold(s *Parts) *Fold {
	f := &Fold{Counts: model.Counts{}, Records: make([]map[string]any, len(s.records)), parts: s}
	for i := range f.Records {
		f.Records[i] = map[string]any{}
	}
	return f
}

// Parts are those of the records.
func (f *Fold) Parts() *Parts { return f.parts }

// Apply takes the fold through one event. An event that its record's state
// machine refuses leaves the record as it was and is returned as an error; the
// head and the counts of events advance all the same, for the event is there.
// of is the projection whose record the event moved, -1 for none, and made says
// that the record is new.
func (f *Fold) Apply(e model.Event) (of int, made bool, err error) {
	f.Head = model.Head{Seq: e.Seq, Hash: e.Hash, TS: e.TS}
	f.Counts.Add(model.PlaneRecord, "total", 1)
	f.Counts.Add(model.PlaneRecord, string(e.Kind), 1)
	of = f.parts.Owner(e.Kind, e.Topic)
	if of < 0 {
		return of, false, nil
	}
	p, all := f.parts.records[of], f.Records[of]
	old, was := all[e.Key]
	next, err := p.Apply(old, e)
	if err != nil {
		return of, false, err
	}
	if was {
		if c, ok := p.Counter(old); ok {
			f.Counts[c]--
		}
	}
	if c, ok := p.Counter(next); ok {
		f.Counts[c]++
	}
	all[e.Key] = next
	return of, !was, nil
}

// Clone returns a copy that shares the records, which never change.
func (f *Fold) Clone() *Fold {
	n := NewFold(f.parts)
	n.Head, n.Counts = f.Head, f.Counts.Clone()
	for i, all := range f.Records {
		for k, v := range all {
			n.Records[i][k] = v
		}
	}
	return n
}

// Of returns the records of one projection by their key; it is not to be
// changed.
func (f *Fold) Of(p Projection) map[string]any { return f.Records[f.parts.Number(p)] }

// Find is the record of the key in a fold, nil for none.
func (p *Records[T]) Find(f *Fold, key string) *T {
	rec, _ := f.Of(p)[key].(*T)
	return rec
}
