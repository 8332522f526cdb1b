package query

import (
	"strconv"
	"strings"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/filter"
)

// narrowed is a clause on the producer or the kind, which the table event_spans
// can answer: in which spans there are such events, and how many.
type narrowed struct {
	field string
	not   bool
	names []string // the values that the clause means
}

// maxNames bounds the values that a glob may stand for; beyond, the events
// themselves are looked at.
const maxNames = 256

// narrowing lists what of the filter event_spans can answer for its full spans.
func narrowing(r store.Reader, f filter.Filter) ([]narrowed, error) {
	var out []narrowed
	for _, c := range f.Clauses {
		if c.Field != filter.FieldProducer && c.Field != filter.FieldKind {
			continue
		}
		names, known, err := namesOf(r, c)
		if err != nil {
			return nil, err
		}
		if !known {
			continue
		}
		out = append(out, narrowed{string(c.Field), c.Not, names})
	}
	return out, nil
}

// namesOf lists the values that the clause means; known is false when they are
// too many.
func namesOf(r store.Reader, c filter.Clause) (names []string, known bool, err error) {
	globs := false
	for _, p := range c.Any {
		if globs = globs || p.Glob; !p.Glob {
			names = append(names, p.Text)
		}
	}
	if !globs {
		return names, true, nil
	}
	f := filter.Filter{Clauses: []filter.Clause{{Field: c.Field, Any: c.Any}}}
	all, err := spanValues(r, string(c.Field), maxNames)
	if err != nil || len(all) == maxNames {
		return nil, false, err
	}
	names = []string{}
	for _, v := range all {
		if f.Match(&model.Event{Producer: v, Kind: model.Kind(v)}) {
			names = append(names, v)
		}
	}
	return names, true, nil
}

// spanValues lists at most limit values of the field in the full spans, each by
// one look into the table.
func spanValues(r store.Reader, field string, limit int) ([]string, error) {
	return hop(r, limit, func(after string) (string, []any) {
		return `SELECT min(value) FROM event_spans WHERE field = $1 AND value > $2`, []any{field, after}
	})
}

// hop goes from value to value: next is the query for the first one after another.
func hop(r store.Reader, limit int, next func(after string) (string, []any)) ([]string, error) {
	var out []string
	for last := ""; len(out) < limit; {
		query, args := next(last)
		var v *string
		if err := r.QueryRow(query, args...).Scan(&v); err != nil || v == nil {
			return out, err
		}
		last = *v
		out = append(out, last)
	}
	return out, nil
}

// run is a stretch of sequence numbers, both inclusive.
type run struct{ from, to int64 }

// counts returns how many events of the clause each of the full spans from first
// to last has.
func (n narrowed) counts(r store.Reader, first, last int64) ([]int64, error) {
	out := make([]int64, last-first+1)
	args := []any{n.field, first, last}
	list := "NULL" // which nothing is
	for _, name := range n.names {
		args = append(args, name)
		list += ", $" + strconv.Itoa(len(args))
	}
	rows, err := r.Query(`SELECT span, count FROM event_spans WHERE field = $1 AND span >= $2 AND span <= $3
		AND value IN (`+strings.TrimPrefix(list, "NULL, ")+`)`, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var span, count int64
		if err := rows.Scan(&span, &count); err != nil {
			return nil, err
		}
		out[span-first] += count
	}
	if n.not {
		for i := range out {
			out[i] = store.SpanEvents(first+int64(i)) - out[i]
		}
	}
	return out, rows.Err()
}

// runs returns, in ascending order, where between from and to events can be that
// pass every clause. full is how many spans were full when the clauses were read;
// what lies behind those can always have some.
func runs(r store.Reader, clauses []narrowed, full, from, to int64) ([]run, error) {
	first, last := store.SpanOf(from), min(store.SpanOf(to), full-1)
	if len(clauses) == 0 || first > last {
		return []run{{from, to}}, nil
	}
	some := make([]bool, last-first+1)
	for i := range some {
		some[i] = true
	}
	for _, c := range clauses {
		counts, err := c.counts(r, first, last)
		if err != nil {
			return nil, err
		}
		for i, n := range counts {
			some[i] = some[i] && n > 0
		}
	}
	var out []run
	add := func(a, b int64) {
		if n := len(out); n > 0 && out[n-1].to == a-1 {
			out[n-1].to = b
		} else {
			out = append(out, run{a, b})
		}
	}
	for i, yes := range some {
		if span := first + int64(i); yes {
			add(max(from, span*store.SpanSize), min(to, (span+1)*store.SpanSize-1))
		}
	}
	if tail := full * store.SpanSize; to >= tail {
		add(max(from, tail), to)
	}
	return out, nil
}
