package verify

import (
	"fmt"
	"hash/maphash"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/filter"
)

// spans is what event_spans must say, as the walk comes along the events. For
// each full span it keeps a sum of the hashes of its rows, not the rows: there
// is one of them for each producer and span.
type spans struct {
	now     map[spanValue]int64 // of the span that is not yet full
	digests []uint64
	follow  bool      // collect fresh
	fresh   []spanRow // of the spans that became full since they were compared
}

type spanValue struct {
	field filter.Field
	value string
}

type spanRow struct {
	spanValue
	span, count int64
}

// spanSeed is of this process: nobody can make up rows that have a given sum.
var spanSeed = maphash.MakeSeed()

func (x spanRow) digest() uint64 { return maphash.Comparable(spanSeed, x) }

// add counts the next event.
func (s *spans) add(e *model.Event) {
	if s.now == nil {
		s.now = map[spanValue]int64{}
	}
	s.now[spanValue{filter.FieldProducer, e.Producer}]++
	s.now[spanValue{filter.FieldKind, string(e.Kind)}]++
	if store.FullSpans(e.Seq) == store.FullSpans(e.Seq-1) {
		return
	}
	var sum uint64
	for v, n := range s.now {
		row := spanRow{v, store.SpanOf(e.Seq), n}
		sum += row.digest()
		if s.follow {
			s.fresh = append(s.fresh, row)
		}
	}
	s.digests = append(s.digests, sum)
	clear(s.now)
}

// compareFresh compares the rows of the spans that became full.
func (s *spans) compareFresh(r store.Reader) (*Finding, error) {
	for _, x := range s.fresh {
		var have int64
		err := r.QueryRow(`SELECT coalesce(sum(count), 0) FROM event_spans WHERE field = $1 AND value = $2 AND span = $3`,
			string(x.field), x.value, x.span).Scan(&have)
		if err != nil {
			return nil, err
		}
		if have != x.count {
			return spanDiffers(x.span), nil
		}
	}
	return nil, nil
}

// spanRows visits a page of rows. Rows never change, so that the pages can be read
// at different instants.
func (c *comparison) spanRows(r store.Reader, w *walker) (*Finding, int, error) {
	if c.digests == nil {
		c.digests = make([]uint64, len(w.spans.digests))
	}
	rows, err := r.Query(`SELECT field, value, span, count FROM event_spans WHERE (field, value, span) > ($1, $2, $3)
		ORDER BY field, value, span LIMIT $4`, c.afterField, c.afterValue, c.afterSpan, compareRows)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	n := 0
	for ; rows.Next(); n++ {
		var x spanRow
		if err := rows.Scan((*string)(&x.field), &x.value, &x.span, &x.count); err != nil {
			return nil, n, err
		}
		c.afterField, c.afterValue, c.afterSpan = string(x.field), x.value, x.span
		switch {
		case x.span < 0 || x.span >= int64(len(w.spans.digests)):
			return &Finding{Seq: w.seq, What: WhatSpan, Message: fmt.Sprintf("the table event_spans has a row of span %d, which is not full", x.span)}, n, nil
		case x.span < int64(len(c.digests)):
			c.digests[x.span] += x.digest()
		}
	}
	return nil, n, rows.Err()
}

// sameSpans compares what was visited with the walk.
func (c *comparison) sameSpans(w *walker) *Finding {
	for i, sum := range c.digests {
		if sum != w.spans.digests[i] {
			return spanDiffers(int64(i))
		}
	}
	return nil
}

func spanDiffers(of int64) *Finding {
	last := (of+1)*store.SpanSize - 1
	return &Finding{
		Seq: last, What: WhatSpan,
		Message: fmt.Sprintf("the table event_spans does not say by producer and kind what %s add up to",
			span(max(1, of*store.SpanSize), last)),
	}
}
