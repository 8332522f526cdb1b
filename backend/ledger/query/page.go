package query

import (
	"context"
	"slices"
	"strconv"
	"time"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/filter"
)

// Bounds of a page.
const (
	MaxPage     = 5000                  // events
	DefaultPage = 500                   // events, when no limit is given
	PageBudget  = 50 * time.Millisecond // how long one Page searches at most
	firstSpan   = 4096                  // sequence numbers that the first read looks at
	maxSpan     = 1 << 22
	shortRead   = 8 * time.Millisecond // a read that took less is followed by a wider one
)

// Page reads at most r.Limit events that match, near r.After or r.Before, in
// ascending order. A rare filter over a long ledger is searched for in reads
// that each stay short, so that checkpoints go on, for about PageBudget in all;
// the page then says where to go on, and may be empty.
func Page(ctx context.Context, s store.Store, r desk.PageRequest) (desk.Page, error) {
	return pageOf(ctx, s, r, PageBudget)
}

func pageOf(ctx context.Context, of store.Store, r desk.PageRequest, budget time.Duration) (desk.Page, error) {
	limit := r.Limit
	if limit <= 0 {
		limit = DefaultPage
	}
	s := scan{store: of, filter: r.Filter, limit: min(limit, MaxPage), down: r.Before > 0}
	s.at = r.After
	if s.down {
		s.at = r.Before
	}
	err := s.run(ctx, budget)
	if s.down {
		slices.Reverse(s.found)
	}
	return desk.Page{Events: s.found, Exhausted: s.exhausted, Next: s.at}, err
}

// scan walks the sequence numbers up or down in spans. at is exclusive: what
// lies between the start and at has been looked at.
type scan struct {
	store     store.Store
	filter    filter.Filter
	limit     int
	down      bool
	at        int64
	found     []model.Event
	exhausted bool

	bounded bool
	low     int64 // only events with low <= seq <= high can match
	high    int64
	oldest  int64      // the first event that is a row; those before are sealed
	full    int64      // spans that were full then
	clauses []narrowed // what event_spans can answer about them
}

// run goes on until the limit, the budget (0 is none) or the end.
func (s *scan) run(ctx context.Context, budget time.Duration) error {
	begin := time.Now()
	for span := int64(firstSpan); !s.exhausted && len(s.found) < s.limit; {
		step := time.Now()
		if err := s.store.Read(ctx, func(r store.Reader) error { return s.look(r, span) }); err != nil {
			return err
		}
		if time.Since(step) < shortRead {
			span = min(span*4, maxSpan)
		} else if span > firstSpan {
			span /= 2
		}
		if budget > 0 && time.Since(begin) > budget {
			return nil
		}
	}
	return nil
}

// look reads one span and moves at behind it.
func (s *scan) look(r store.Reader, span int64) error {
	if err := s.bound(r); err != nil {
		return err
	}
	var from, to int64 // inclusive
	if s.down {
		to = min(s.at-1, s.high)
		from = max(to-span+1, s.low)
	} else {
		from = max(s.at+1, s.low)
		to = min(from+span-1, s.high)
	}
	if from > to {
		s.exhausted = true
		return nil
	}
	switch { // what is sealed is read event by event
	case from >= s.oldest:
	case s.down:
		from = max(from, to-sealedSpan+1)
	default:
		to = min(to, from+sealedSpan-1)
	}
	places, err := runs(r, s.clauses, s.full, from, to)
	if err != nil {
		return err
	}
	if s.down {
		slices.Reverse(places)
	}
	begin := time.Now()
	for i := 0; ; i++ {
		if i == len(places) {
			s.at = to
			if s.down {
				s.at = from
			}
			break
		}
		enough, err := s.read(r, places[i])
		if err != nil {
			return err
		}
		if enough || i+1 < len(places) && time.Since(begin) > shortRead {
			break
		}
	}
	// Upwards the end is only an end for now, so at stays at the last event seen.
	s.exhausted = s.down && s.at <= s.low || !s.down && s.at >= s.high
	return nil
}

// read reads one stretch, and moves at behind it; enough says that the limit is
// reached.
func (s *scan) read(r store.Reader, place run) (enough bool, err error) {
	sealed := run{place.from, min(place.to, s.oldest-1)}
	rows := run{max(place.from, s.oldest), place.to}
	if !s.down && sealed.from <= sealed.to {
		enough, err = s.readSealed(r, sealed)
	}
	if rows.from <= rows.to && !enough && err == nil {
		enough, err = s.readRows(r, rows)
	}
	if s.down && sealed.from <= sealed.to && !enough && err == nil {
		enough, err = s.readSealed(r, sealed)
	}
	return enough, err
}

// readRows is read for what stands in the table events.
func (s *scan) readRows(r store.Reader, place run) (enough bool, err error) {
	w := where{dialect: r.Dialect()}
	w.and("seq >= ?", place.from)
	w.and("seq <= ?", place.to)
	w.filter(s.filter)
	order, want := "ASC", s.limit-len(s.found)
	s.at = place.to
	if s.down {
		order, s.at = "DESC", place.from
	}
	events, err := store.SelectEvents(r, "WHERE "+w.text.String()+" ORDER BY seq "+order+" LIMIT "+strconv.Itoa(want), w.args...)
	if err != nil {
		return false, err
	}
	s.found = append(s.found, events...)
	if len(events) < want {
		return false, nil
	}
	s.at = events[want-1].Seq
	return true, nil
}

// bound turns the filter's times into sequence numbers, once: ts never decreases
// along seq, so that no index on ts is needed. It also finds out what the spans
// can answer.
func (s *scan) bound(r store.Reader) error {
	if s.bounded {
		return nil
	}
	head, err := r.Head()
	if err != nil {
		return err
	}
	s.low, s.high = 1, head.Seq
	if s.oldest, err = r.Oldest(); err != nil {
		return err
	}
	if s.filter.HasSince {
		if s.low, err = firstAt(r, s.filter.Since, head.Seq); err != nil {
			return err
		}
	}
	if s.filter.HasUntil {
		if s.high, err = firstAt(r, s.filter.Until, head.Seq); err != nil {
			return err
		}
		s.high--
	}
	s.full = store.FullSpans(head.Seq)
	if s.clauses, err = narrowing(r, s.filter); err != nil {
		return err
	}
	s.bounded = true
	return nil
}

// firstAt returns the first sequence number whose event is not before t, or
// head+1.
func firstAt(r store.Reader, t model.Time, head int64) (int64, error) {
	if seq, err := firstSealedAt(r, t); seq > 0 || err != nil {
		return seq, err
	}
	low, err := r.Oldest()
	for high := head + 1; low < high && err == nil; {
		mid := low + (high-low)/2
		var seq int64
		var ts model.Time
		// Where events are missing, the next one stands for them.
		rows, err := r.Query(`SELECT seq, ts FROM events WHERE seq >= $1 ORDER BY seq LIMIT 1`, mid)
		if err != nil {
			return 0, err
		}
		found := rows.Next()
		if found {
			err = rows.Scan(&seq, (*int64)(&ts))
		}
		rows.Close()
		switch {
		case err != nil:
			return 0, err
		case !found || ts >= t:
			high = mid
		default:
			low = seq + 1
		}
	}
	return low, err
}
