package verify

import (
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"

	"binnacle/backend/store"
	"binnacle/model/clean"
)

// compareRows is how many records one short read compares.
const compareRows = 2000

// comparison walks over the derived records, a page in each read. The records
// that were there when it began are all visited; those that come meanwhile may
// be.
type comparison struct {
	start  int64 // the walker's seq when it began
	before []int // how many records of each projection there were then
	of     int   // the projection; behind the last one stand the spans
	after  any   // key of the last row visited, nil at the beginning
	seen   int   // records visited of this projection that were there at the start
	want   []driver.Value

	afterField string // of spans, with afterValue and afterSpan
	afterValue string
	afterSpan  int64
	digests    []uint64 // of the rows seen, by span
}

func (c *comparison) begin(w *walker) {
	if c.before != nil {
		return
	}
	c.start = w.seq
	c.before = make([]int, len(w.state.Records))
	for i, all := range w.state.Records {
		c.before[i] = len(all) // records are never taken away
	}
}

// next compares one page. w is level with r. done says that everything was.
func (c *comparison) next(r store.Reader, w *walker) (f *Finding, done bool, err error) {
	if c.of == len(w.state.Records) {
		f, n, err := c.spanRows(r, w)
		if f != nil || err != nil || n == compareRows {
			return f, false, err
		}
		return c.sameSpans(w), true, nil
	}
	n := 0
	if f, n, err = c.records(r, w); f != nil || err != nil || n == compareRows {
		return f, false, err
	}
	if c.of == 0 {
		if f, err = sameChecks(r, w); f != nil || err != nil {
			return f, false, err
		}
	}
	// Every row is one of the fold's, so it is enough to count them.
	if c.seen != c.before[c.of] {
		f, err = w.firstMissing(r, c.of)
		return f, false, err
	}
	c.of, c.after, c.seen = c.of+1, nil, 0
	return nil, false, nil
}

// records compares one page of a projection's records.
func (c *comparison) records(r store.Reader, w *walker) (f *Finding, n int, err error) {
	p := w.state.Parts().Records()[c.of]
	page := store.Range{After: c.after}
	var keys []string
	err = store.EachRow(r, p, page, compareRows, func(row []driver.Value) error {
		n++
		c.after = row[0]
		key := p.Shape().KeyOf(row)
		keys = append(keys, key)
		if _, first, _ := p.Shape().Life(row); first <= c.start {
			c.seen++
		}
		if f == nil {
			f = c.same(w, c.of, key, row)
		}
		return nil
	})
	if f != nil || err != nil {
		return f, n, err
	}
	if n == compareRows {
		page.UpTo = c.after // else also rows that belong to no record
	}
	f, err = w.sides(r, c.of, page, keys)
	return f, n, err
}

// same compares the row of one record with what its events say.
func (c *comparison) same(w *walker, of int, key string, row []driver.Value) *Finding {
	p := w.state.Parts().Records()[of]
	shape := p.Shape()
	state, _, last := shape.Life(row)
	rec := w.state.Records[of][key]
	if rec == nil {
		return record(shape, key, last, "stands in its table, but no event made it")
	}
	c.want = p.Row(c.want[:0], rec)
	shape.SlimRow(row)
	var names, odd []string
	for i, have := range row {
		switch {
		case sameValue(have, c.want[i]):
		case meansSame(have, c.want[i]):
			odd = append(odd, shape.Columns[i].Name)
		default:
			names = append(names, shape.Columns[i].Name)
		}
	}
	wanted, _, at := shape.Life(c.want)
	switch {
	case state != wanted:
		return record(shape, key, at, fmt.Sprintf("stands as %s, but event %d says it is %s", clean.Line(state), at, wanted))
	case len(names) > 0:
		return record(shape, key, at, "differs from what its events say, in "+strings.Join(names, ", "))
	case len(odd) > 0:
		return record(shape, key, at, fmt.Sprintf("was changed in %s: it holds the value in another form than this program writes"+
			" ('' or 0 in the place of NULL, or another type)", strings.Join(odd, ", ")))
	}
	return nil
}

// record is the finding that a record is not what its events say.
func record(shape *store.Shape, key string, seq int64, how string) *Finding {
	return &Finding{
		Seq: seq, What: WhatRecord, Kind: shape.Kind, Key: key,
		Message: fmt.Sprintf("%s %q %s", shape.Noun, clean.Line(key), how),
	}
}

// sameValue compares two values of columns, type included.
func sameValue(a, b driver.Value) bool {
	x, ok := a.([]byte)
	if !ok {
		return a == b
	}
	y, ok := b.([]byte)
	return ok && string(x) == string(y)
}

// meansSame says whether the program reads the two values alike.
func meansSame(a, b driver.Value) bool {
	text := func(v driver.Value) string {
		switch v := v.(type) {
		case nil:
			return ""
		case []byte:
			return string(v)
		case int64:
			if v == 0 {
				return ""
			}
		}
		return fmt.Sprint(v)
	}
	return text(a) == text(b)
}

// sides compares the side tables of the records with the keys, which are all
// that there are in the range, in ascending order.
func (w *walker) sides(r store.Reader, of int, page store.Range, keys []string) (*Finding, error) {
	p := w.state.Parts().Records()[of]
	shape := p.Shape()
	for side := range shape.Sides {
		have := map[string][][]driver.Value{}
		all := keys
		err := store.EachSideRow(r, p, side, page, func(row []driver.Value) error {
			key := shape.KeyOf(row)
			if len(have[key]) == 0 && w.state.Records[of][key] == nil {
				all = append(all, key) // of no record that is there
			}
			have[key] = append(have[key], row)
			return nil
		})
		if err != nil {
			return nil, err
		}
		for _, key := range all {
			var want [][]driver.Value
			if rec := w.state.Records[of][key]; rec != nil {
				want = p.Side(side, rec)
			}
			same := func(a, b []driver.Value) bool { return slices.EqualFunc(a, b, sameValue) }
			if !slices.EqualFunc(have[key], want, same) {
				return record(shape, key, w.seq, fmt.Sprintf("has %v in the table %s, but its events say %v",
					entries(have[key]), shape.Sides[side].Table, entries(want))), nil
			}
		}
	}
	return nil, nil
}

// entries are side rows without the record's key.
func entries(rows [][]driver.Value) []string {
	out := make([]string, len(rows))
	for i, row := range rows {
		parts := make([]string, len(row)-1)
		for k, v := range row[1:] {
			parts[k] = clean.Line(fmt.Sprint(v))
		}
		out[i] = strings.Join(parts, " ")
	}
	return out
}
