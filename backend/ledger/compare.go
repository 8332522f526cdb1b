package ledger

import (
	"fmt"
	"math"
	"reflect"
	"slices"

	"binnacle/backend/store"
	"binnacle/model"
)

// comparePage is how many records one short read compares.
const comparePage = 2000

// comparison walks over the derived records, a page in each read. The records
// that were there when it began are all visited; those that come meanwhile may
// be.
type comparison struct {
	start  int64 // the walker's seq when it began
	table  int   // index of tables()
	after  string
	afterN int64 // of directives
	seen   int64 // records visited in this table that were there at the start

	afterField string   // of spans, with after and afterN
	digests    []uint64 // of the rows seen, by span
}

// next compares one page. w is level with r. done says that everything was.
func (c *comparison) next(r store.Reader, w *walker) (f *Finding, done bool, err error) {
	var n int
	switch c.table {
	case 0:
		f, n, err = c.signals(r, w)
	case 1:
		f, n, err = c.work(r, w)
	case 2:
		f, n, err = c.directives(r, w)
	case 3:
		f, n, err = c.spanRows(r, w)
	default:
		return nil, true, nil
	}
	if f != nil || err != nil || n == comparePage {
		return f, false, err
	}
	if f, err = c.whole(r, w); f != nil || err != nil {
		return f, false, err
	}
	c.table, c.after, c.afterN, c.seen = c.table+1, "", 0, 0
	return nil, c.table == 4, nil
}

func (c *comparison) visit(first int64) {
	if first <= c.start {
		c.seen++
	}
}

func (c *comparison) signals(r store.Reader, w *walker) (*Finding, int, error) {
	rows, err := r.Query(`SELECT `+store.SignalColumns+` FROM signals WHERE key > $1 ORDER BY key LIMIT $2`, c.after, comparePage)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		s, odd, err := store.ExactSignal(rows)
		if err != nil {
			return nil, n, err
		}
		c.after = s.Key
		if f := sameSignal(w, s, odd); f != nil {
			return f, n, nil
		}
		c.visit(s.FirstSeq)
	}
	return nil, n, rows.Err()
}

func sameSignal(w *walker, s model.Signal, odd string) *Finding {
	want := w.state.Signals[s.Key]
	if want == nil {
		return extra(model.KindSignal, s.Key, s.LastSeq)
	}
	if s != *want {
		return differs(model.KindSignal, s.Key, want.LastSeq, s.State, want.State, s, *want)
	}
	return misspelt(model.KindSignal, s.Key, want.LastSeq, odd)
}

func (c *comparison) work(r store.Reader, w *walker) (*Finding, int, error) {
	rows, err := r.Query(`SELECT `+store.WorkColumns+` FROM work_items WHERE key > $1 ORDER BY key LIMIT $2`, c.after, comparePage)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		x, odd, err := store.ExactWork(rows)
		if err != nil {
			return nil, n, err
		}
		c.after = x.Key
		if f := sameWork(w, x, odd); f != nil {
			return f, n, nil
		}
		c.visit(x.FirstSeq)
	}
	return nil, n, rows.Err()
}

func sameWork(w *walker, x model.Work, odd string) *Finding {
	want := w.state.Work[x.Key]
	if want == nil {
		return extra(model.KindWork, x.Key, x.LastSeq)
	}
	a, b := x, *want
	sameEvidence := string(a.Evidence) == string(b.Evidence)
	if sameEvidence {
		a.Evidence, b.Evidence = nil, nil
	}
	if !reflect.DeepEqual(a, b) {
		return differs(model.KindWork, x.Key, want.LastSeq, x.State, want.State, a, b)
	}
	return misspelt(model.KindWork, x.Key, want.LastSeq, odd)
}

func (c *comparison) directives(r store.Reader, w *walker) (*Finding, int, error) {
	rows, err := r.Query(`SELECT `+store.DirectiveColumns+` FROM directives WHERE id > $1 ORDER BY id LIMIT $2`, c.afterN, comparePage)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	n, begin := 0, c.afterN
	var ids []int64
	for ; rows.Next(); n++ {
		d, odd, err := store.ExactDirective(rows)
		if err != nil {
			return nil, n, err
		}
		c.afterN = d.ID
		if f := sameDirective(w, d, odd); f != nil {
			return f, n, nil
		}
		c.visit(d.FirstSeq)
		ids = append(ids, d.ID)
	}
	if err := rows.Err(); err != nil {
		return nil, n, err
	}
	to := c.afterN
	if n < comparePage {
		to = math.MaxInt64 // also those that belong to no directive
	}
	f, err := sameBlocks(r, w, begin, to, ids)
	return f, n, err
}

func sameDirective(w *walker, d model.Directive, odd string) *Finding {
	key := model.DirectiveKey(d.ID)
	want := w.state.Directives[key]
	if want == nil {
		return extra(model.KindDirective, key, d.LastSeq)
	}
	a, b := d, *want
	a.Body = slim(a.Body)
	if len(a.BlockedBy) == 0 && len(b.BlockedBy) == 0 {
		a.BlockedBy, b.BlockedBy = nil, nil
	}
	if !reflect.DeepEqual(a, b) {
		return differs(model.KindDirective, key, want.LastSeq, d.Status, want.Status, a, b)
	}
	return misspelt(model.KindDirective, key, want.LastSeq, odd)
}

// sameBlocks compares the dependencies of the directives ids, which are all that
// there are after "after" up to "to", in ascending order.
func sameBlocks(r store.Reader, w *walker, after, to int64, ids []int64) (*Finding, error) {
	rows, err := r.Query(`SELECT id, blocked_by FROM directive_blocks WHERE id > $1 AND id <= $2 ORDER BY id, blocked_by`, after, to)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	have := map[int64][]int64{}
	for rows.Next() {
		var id, by int64
		if err := rows.Scan(&id, &by); err != nil {
			return nil, err
		}
		if len(have[id]) == 0 && !slices.Contains(ids, id) {
			ids = append(ids, id) // of no directive that is there
		}
		have[id] = append(have[id], by)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	for _, id := range ids {
		key := model.DirectiveKey(id)
		var want []int64
		if d := w.state.Directives[key]; d != nil {
			want = slices.Clone(d.BlockedBy)
			slices.Sort(want)
			want = slices.Compact(want)
		}
		if !slices.Equal(have[id], want) {
			return &Finding{
				Seq: w.seq, What: WhatRecord, Kind: model.KindDirective, Key: key,
				Message: fmt.Sprintf("directive %d waits for %v in the table directive_blocks, but its events say %v", id, have[id], want),
			}, nil
		}
	}
	return nil, nil
}
