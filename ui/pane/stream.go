package pane

import (
	"bytes"

	"binnacle/model"
	"binnacle/model/desk"
)

// Bounds of the stream.
const (
	StreamRows = 5000 // rows kept in memory
	pageRows   = 500  // events asked of the ledger at once
)

// row is one line of the stream: an event, or a run of equal ones, or a gap.
type row struct {
	event model.Event // the newest of the run
	first int64       // seq of the run's first event: the row's identity
	count int64       // events in the run
	gap   desk.Gap    // Missed > 0: events that are not shown
}

// id is the row's identity for the list: the first seq of its run, which stays
// the same while the run grows; negative for a gap.
func (r row) id() int64 {
	if r.gap.Missed > 0 {
		return -r.gap.From
	}
	return r.first
}

// stream is a window onto the ledger under a filter: consecutive rows, the
// oldest first. In follow mode new events come in at the end and old rows leave
// at the start. Paused, rows that were read stay where they are: new events
// come in only while there is room, and what stays outside is counted and read
// back from the ledger by page when the operator goes there.
type stream struct {
	rows    []row
	follow  bool
	atStart bool  // nothing older matches
	low     int64 // every matching event with low <= seq <= high is in rows
	high    int64
	seen    int64 // newest seq that arrived, shown or not
	unread  int64 // matching events that arrived since the pause
	outside int64 // of those, the ones that found no room
	loading bool  // a page is on its way
}

func newStream() stream { return stream{follow: true} }

// arrive takes events that just happened, in order, and what was left out before
// them.
func (s *stream) arrive(events []model.Event, gap desk.Gap) {
	if gap.Missed > 0 && gap.To > s.seen {
		s.seen = gap.To
		if s.follow || s.outside == 0 && len(s.rows) < StreamRows {
			s.rows = append(s.rows, row{gap: gap})
			s.high = gap.To
		} else {
			s.outside += gap.Missed
		}
		if !s.follow {
			s.unread += gap.Missed
		}
	}
	for i := range events {
		e := &events[i]
		if e.Seq <= s.seen {
			continue // a page brought it already
		}
		s.seen = e.Seq
		if !s.follow {
			s.unread++
			if s.outside > 0 || len(s.rows) >= StreamRows && !s.foldsInto(len(s.rows)-1, e) {
				s.outside++
				continue
			}
		}
		s.push(*e)
	}
	if s.follow {
		s.trimStart()
	}
}

func (s *stream) push(e model.Event) {
	if s.low == 0 {
		s.low = e.Seq
	}
	s.high = e.Seq
	if n := len(s.rows) - 1; n >= 0 && s.foldsInto(n, &e) {
		s.rows[n].event = e
		s.rows[n].count++
		return
	}
	s.rows = append(s.rows, row{event: e, first: e.Seq, count: 1})
}

// foldsInto says whether e continues the run of row i.
func (s *stream) foldsInto(i int, e *model.Event) bool {
	if i < 0 || i >= len(s.rows) {
		return false
	}
	r := &s.rows[i]
	return r.gap.Missed == 0 && equalEvents(&r.event, e)
}

func equalEvents(a, b *model.Event) bool {
	return a.Kind == b.Kind && a.Topic == b.Topic && a.Producer == b.Producer && a.State == b.State &&
		a.Key == b.Key && bytes.Equal(a.Payload, b.Payload)
}

func (s *stream) trimStart() {
	extra := len(s.rows) - StreamRows
	if extra <= 0 {
		return
	}
	// Cutting a tenth at once makes the copying linear over a storm.
	extra = min(max(extra, StreamRows/10), len(s.rows)-1)
	s.rows = append(s.rows[:0], s.rows[extra:]...)
	s.low = s.rows[0].start()
	s.atStart = false
}

func (s *stream) trimEnd() {
	if extra := len(s.rows) - StreamRows; extra > 0 {
		for _, r := range s.rows[StreamRows:] {
			s.outside += max(r.count, r.gap.Missed)
		}
		clear(s.rows[StreamRows:])
		s.rows = s.rows[:StreamRows]
		s.high = s.rows[StreamRows-1].end()
	}
}

func (r row) start() int64 {
	if r.gap.Missed > 0 {
		return r.gap.From
	}
	return r.first
}

func (r row) end() int64 {
	if r.gap.Missed > 0 {
		return r.gap.To
	}
	return r.event.Seq
}

// older takes a page that was read before low: events oldest first, and
// whether the ledger has no more.
func (s *stream) older(events []model.Event, exhausted bool) {
	s.loading = false
	s.atStart = s.atStart || exhausted
	page := stream{}
	for _, e := range events {
		if s.low != 0 && e.Seq >= s.low {
			break
		}
		page.push(e)
		if e.Seq > s.seen {
			s.seen = e.Seq
		}
	}
	if len(page.rows) == 0 {
		return
	}
	if len(s.rows) == 0 {
		s.high = page.high
	} else if last := &page.rows[len(page.rows)-1]; s.rows[0].gap.Missed == 0 && equalEvents(&last.event, &s.rows[0].event) {
		s.rows[0].count += last.count
		s.rows[0].first = last.first
		page.rows = page.rows[:len(page.rows)-1]
	}
	s.rows = append(page.rows, s.rows...)
	s.low = page.low
	if !s.follow {
		s.trimEnd()
	} else {
		s.trimStart()
	}
}

// newer takes a page that was read after high.
func (s *stream) newer(events []model.Event, exhausted bool) {
	s.loading = false
	for _, e := range events {
		if e.Seq <= s.high {
			continue
		}
		s.push(e)
		if e.Seq > s.seen {
			s.seen = e.Seq
		}
		s.outside = max(0, s.outside-1)
	}
	if exhausted {
		s.outside = 0
	}
	s.trimStart()
}

// resume goes back to following. It says whether the newest page must be read
// again, because events stayed outside.
func (s *stream) resume() bool {
	s.follow, s.unread = true, 0
	if s.outside > 0 {
		*s = newStream()
		return true
	}
	return false
}

// pause stops following.
func (s *stream) pause() {
	if s.follow {
		s.follow, s.unread, s.outside = false, 0, 0
	}
}

// ids lists the rows' identities into dst.
func (s *stream) ids(dst []int64) []int64 {
	dst = dst[:0]
	for i := range s.rows {
		dst = append(dst, s.rows[i].id())
	}
	return dst
}
