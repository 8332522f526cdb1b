package query

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/filter"
)

// maxText bounds the text that is looked for, in bytes: SQLite takes no longer
// pattern than 50,000.
const maxText = 10_000

// Query chooses events. Every condition that is set must hold.
type Query struct {
	Topic    string // a glob: * is any run of characters, ? is one
	Kind     string // one kind, or several with commas
	Producer string
	State    string
	Key      string
	Since    model.Time    // inclusive; 0 is none
	Until    model.Time    // exclusive; 0 is none
	Text     string        // found in payload, topic, producer or key; ASCII letters in any case
	Filter   filter.Filter // the filter language's
	After    int64         // only events with a greater seq
	Before   int64         // > 0: only events with a smaller seq
	Limit    int           // 0 is no limit
	Newest   bool          // newest first; a limit takes the newest
}

// Validate refuses what can't match because it is no kind.
func (q Query) Validate() error {
	_, err := q.filter()
	return err
}

// filter brings all conditions into one filter.
func (q Query) filter() (filter.Filter, error) {
	f := q.Filter
	f.Clauses = append([]filter.Clause(nil), f.Clauses...)
	f.Terms = append([]filter.Term(nil), f.Terms...)
	add := func(field filter.Field, texts ...string) {
		c := filter.Clause{Field: field}
		for _, t := range texts {
			c.Any = append(c.Any, filter.Pattern{Text: t, Glob: field == filter.FieldTopic && strings.ContainsAny(t, "*?")})
		}
		f.Clauses = append(f.Clauses, c)
	}
	if q.Kind != "" {
		kinds := strings.Split(q.Kind, ",")
		for _, k := range kinds {
			if !model.Kind(k).Valid() {
				return f, model.Errorf(model.CodeUsage, "%q is not a kind", clean.Line(k)).
					WithHint("the kinds are note, signal, metric, work, generic, directive, coord and system")
			}
		}
		add(filter.FieldKind, kinds...)
	}
	if err := q.checkState(); err != nil {
		return f, err
	}
	for _, x := range []struct {
		field filter.Field
		text  string
	}{{filter.FieldTopic, q.Topic}, {filter.FieldProducer, q.Producer}, {filter.FieldState, q.State}, {filter.FieldKey, q.Key}} {
		if x.text != "" {
			add(x.field, x.text)
		}
	}
	if len(q.Text) > maxText {
		return f, model.Errorf(model.CodeInvalid, "the text to look for has %d bytes; at most %d fit", len(q.Text), maxText)
	}
	if q.Text != "" {
		t, err := term(q.Text)
		if err != nil {
			return f, err
		}
		f.Terms = append(f.Terms, t)
	}
	if q.Since != 0 && (!f.HasSince || q.Since > f.Since) {
		f.Since, f.HasSince = q.Since, true
	}
	if q.Until != 0 && (!f.HasUntil || q.Until < f.Until) {
		f.Until, f.HasUntil = q.Until, true
	}
	return f, nil
}

// checkState refuses a state that no record of the kinds can have: it would find
// nothing.
func (q Query) checkState() error {
	if q.State == "" {
		return nil
	}
	known := filter.States(func(k model.Kind) bool {
		return q.Kind == "" || slices.Contains(strings.Split(q.Kind, ","), string(k))
	})
	switch {
	case slices.Contains(known, q.State):
		return nil
	case len(known) == 0:
		return model.Errorf(model.CodeUsage, "events of kind %s have no state", clean.Line(q.Kind))
	}
	return model.Errorf(model.CodeUsage, "there is no state %q", clean.Line(q.State)).
		WithHint("there are %s", strings.Join(known, ", "))
}

// term makes a text to be looked for, as the filter language does.
func term(text string) (filter.Term, error) {
	lower := strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	raw, err := json.Marshal(lower)
	if err != nil {
		return filter.Term{}, err
	}
	quoted, err := model.Canonical(raw)
	if err != nil {
		return filter.Term{}, err
	}
	return filter.Term{Text: lower, JSON: string(quoted[1 : len(quoted)-1])}, nil
}

// Each calls fn for every event that matches, in the query's order, until fn
// fails. It sees the events up to the newest one at its start, and reads them
// in short steps, however long fn takes.
func Each(ctx context.Context, from store.Store, q Query, fn func(*model.Event) error) error {
	f, err := q.filter()
	if err != nil {
		return err
	}
	head, err := store.HeadNow(ctx, from)
	if err != nil {
		return err
	}
	before := head.Seq + 1
	if q.Before > 0 {
		before = min(before, q.Before)
	}
	left := q.Limit
	if left <= 0 {
		left = int(head.Seq) + 1
	}
	s := scan{store: from, filter: f, down: q.Newest, at: q.After}
	if q.Newest {
		s.at = before
	}
	for left > 0 && !s.exhausted {
		s.found, s.limit = s.found[:0], min(left, exportPage)
		if err := s.run(ctx, 0); err != nil {
			return err
		}
		for i := range s.found {
			e := &s.found[i]
			if e.Seq <= q.After || e.Seq >= before {
				return nil // the order is strict: nothing further is wanted
			}
			if err := fn(e); err != nil {
				return err
			}
		}
		left -= len(s.found)
	}
	return nil
}

// exportPage is how many events one step of Each keeps.
const exportPage = 2000

// All returns the events that match.
func All(ctx context.Context, s store.Store, q Query) ([]model.Event, error) {
	var out []model.Event
	err := Each(ctx, s, q, func(e *model.Event) error {
		out = append(out, *e)
		return nil
	})
	return out, err
}

// Count counts the events that match. The total and the totals of kinds are
// known; everything else is counted in short reads.
func Count(ctx context.Context, of store.Store, q Query) (int64, error) {
	f, err := q.filter()
	if err != nil {
		return 0, err
	}
	var n int64
	if q.After == 0 && q.Before == 0 && q.Limit == 0 && onlyKinds(f) {
		err := of.Read(ctx, func(r store.Reader) error {
			counts, err := r.Counts()
			n = countKinds(counts, f)
			return err
		})
		return n, err
	}
	head, err := store.HeadNow(ctx, of)
	if err != nil {
		return 0, err
	}
	s := scan{store: of, filter: f}
	top := head.Seq
	if q.Before > 0 {
		top = min(top, q.Before-1)
	}
	const span = 100_000
	for from := q.After + 1; from <= top && (q.Limit == 0 || n < int64(q.Limit)); {
		err := of.Read(ctx, func(r store.Reader) error {
			if err := s.bound(r); err != nil {
				return err
			}
			from = max(from, s.low)
			to := min(from+span-1, top, s.high)
			if from < s.oldest {
				to = min(to, from+sealedSpan-1)
			}
			if from > to {
				from = top + 1
				return nil
			}
			part, err := s.count(r, from, to)
			if err != nil {
				return err
			}
			n += part
			from = to + 1
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	if q.Limit > 0 {
		n = min(n, int64(q.Limit))
	}
	return n, nil
}

// count counts the events between two sequence numbers, inclusive, that pass.
func (s *scan) count(r store.Reader, from, to int64) (n int64, err error) {
	// One clause and nothing else: the spans know how many.
	if first, last := store.SpanOf(from-1)+1, min(store.SpanOf(to+1), s.full)-1; s.plain() && first <= last {
		counts, err := s.clauses[0].counts(r, first, last)
		if err != nil {
			return 0, err
		}
		for _, k := range counts {
			n += k
		}
		before, err := s.countEvents(r, run{from, first*store.SpanSize - 1})
		if err != nil {
			return 0, err
		}
		after, err := s.countEvents(r, run{(last + 1) * store.SpanSize, to})
		return n + before + after, err
	}
	places, err := runs(r, s.clauses, s.full, from, to)
	if err != nil {
		return 0, err
	}
	for _, place := range places {
		k, err := s.countEvents(r, place)
		if err != nil {
			return 0, err
		}
		n += k
	}
	return n, nil
}

// plain says whether the filter is one clause that event_spans can answer, and,
// for s.low and s.high bound the times, at most a stretch of time besides.
func (s *scan) plain() bool {
	return len(s.clauses) == 1 && len(s.filter.Clauses) == 1 && len(s.filter.Terms) == 0
}

func (s *scan) countEvents(r store.Reader, place run) (n int64, err error) {
	if place.from < s.oldest {
		sealed, err := s.countSealed(r, run{place.from, min(place.to, s.oldest-1)})
		if err != nil {
			return 0, err
		}
		place.from, n = s.oldest, sealed
	}
	if place.from > place.to {
		return n, nil
	}
	w := where{dialect: r.Dialect()}
	w.and("seq >= ?", place.from)
	w.and("seq <= ?", place.to)
	w.filter(s.filter)
	var rows int64
	err = r.QueryRow("SELECT count(*) FROM events WHERE "+w.text.String(), w.args...).Scan(&rows)
	return n + rows, err
}

// onlyKinds says whether the filter asks for nothing but one plain choice of
// kinds.
func onlyKinds(f filter.Filter) bool {
	if len(f.Terms) > 0 || f.HasSince || f.HasUntil || len(f.Clauses) > 1 {
		return false
	}
	return len(f.Clauses) == 0 || f.Clauses[0].Field == filter.FieldKind
}

func countKinds(c model.Counts, f filter.Filter) int64 {
	if len(f.Clauses) == 0 {
		return c.Total()
	}
	var n int64
	for _, k := range model.Kinds() {
		e := model.Event{Kind: k}
		if f.Match(&e) {
			n += c.Get(model.PlaneRecord, string(k))
		}
	}
	return n
}
