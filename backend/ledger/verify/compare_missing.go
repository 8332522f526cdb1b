package verify

import (
	"cmp"
	"database/sql/driver"
	"fmt"
	"slices"

	"binnacle/backend/store"
)

// firstMissing finds the missing record whose first event is the oldest.
func (w *walker) firstMissing(r store.Reader, of int) (*Finding, error) {
	p := w.state.Parts().Records()[of]
	type rec struct {
		key   string
		first int64
	}
	all := make([]rec, 0, len(w.state.Records[of]))
	for key, x := range w.state.Records[of] {
		_, first, _ := p.Shape().Life(p.Row(nil, x))
		all = append(all, rec{key, first})
	}
	slices.SortFunc(all, func(a, b rec) int { return cmp.Compare(a.first, b.first) })
	for _, x := range all {
		if f, err := w.one(r, recordID{of, x.key}); f != nil || err != nil {
			return f, err
		}
	}
	return nil, nil
}

// one compares one record by its key. w is level with r.
func (w *walker) one(r store.Reader, id recordID) (*Finding, error) {
	p := w.state.Parts().Records()[id.of]
	shape := p.Shape()
	var f *Finding
	var c comparison
	found := false
	err := store.RowOf(r, p, id.key, func(row []driver.Value) error {
		found = true
		f = c.same(w, id.of, id.key, row)
		return nil
	})
	if f != nil || err != nil {
		return f, err
	}
	if rec := w.state.Records[id.of][id.key]; !found && rec != nil {
		_, _, last := shape.Life(p.Row(nil, rec))
		return record(shape, id.key, last, fmt.Sprintf("is missing, but event %d says that it is there", last)), nil
	}
	only := store.Range{From: shape.Key(id.key), UpTo: shape.Key(id.key)}
	return w.sides(r, id.of, only, []string{id.key})
}

func sortRecordIDs(ids []recordID) {
	slices.SortFunc(ids, func(a, b recordID) int { return cmp.Or(cmp.Compare(a.of, b.of), cmp.Compare(a.key, b.key)) })
}

// sameChecks holds that the table checks has a sum for every event that is not
// sealed, once. w is level with r.
func sameChecks(r store.Reader, w *walker) (*Finding, error) {
	said := func(seq int64) *Finding {
		return &Finding{Seq: seq, What: WhatChecks, Message: fmt.Sprintf("the table checks has no sum of event %d's payload, or more than one", seq)}
	}
	var f *Finding
	oldest, err := r.Oldest()
	if err != nil {
		return nil, err
	}
	next := oldest
	err = r.Inspect().Checks(func(first, size int64, odd bool) bool {
		if next == oldest && first < oldest && first+size/store.SumSize > oldest {
			next = first // its first events are sealed
		}
		if first != next || size <= 0 || size%store.SumSize != 0 || odd {
			f = said(min(first, next))
			return false
		}
		next += size / store.SumSize
		return true
	})
	if f != nil || err != nil || next == w.seq+1 {
		return f, err
	}
	return said(min(next, w.seq)), nil
}
