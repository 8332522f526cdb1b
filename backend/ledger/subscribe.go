package ledger

import (
	"context"
	"sync"

	"binnacle/backend/store"
	"binnacle/backend/wake"
	"binnacle/model"
	"binnacle/model/desk"
)

// Outbox is how many items wait for a subscriber at most.
const Outbox = 1024

// LagMode says what becomes of the events that find a subscriber's outbox full.
type LagMode int

const (
	// CatchUp gives them later: the subscriber reads them from the ledger at its
	// own speed. Nothing is missed.
	CatchUp LagMode = iota
	// Skip leaves them out: the subscriber goes on with what comes next.
	Skip
)

// SubscribeOptions choose what a subscriber gets.
type SubscribeOptions struct {
	// Match chooses events; nil is all. It is called from several goroutines and
	// must not keep the event's memory. filter.Filter's Match is one.
	Match func(*model.Event) bool
	// Since starts after the cursor; nil starts with what comes next.
	Since *model.Cursor
	// Replay starts with the newest N matching events that are there already. It
	// is read only when Since is nil.
	Replay int
	Lag    LagMode
	Outbox int // 0 is Outbox
}

// Subscription is one subscriber. Next is for one goroutine; Close may be called
// from any.
type Subscription struct {
	ledger *Ledger
	epoch  string
	match  func(*model.Event) bool
	lag    LagMode
	most   int
	bell   wake.Bell // something may be there

	mu     sync.Mutex
	outbox []desk.Item // in order; at most "most"
	// cursor: every matching event up to it was put into the outbox, delivered
	// or counted as missed, and none after it.
	cursor int64
	behind bool      // fed from the store by Next, not by the tailer
	notice *desk.Gap // not yet delivered; grows until it is
	err    error     // why it ended
}

// Subscribe starts a subscription. Every event that matches comes once, in the
// order of seq. A cursor of another epoch, or past the newest event, is refused
// with CodeStale.
func (l *Ledger) Subscribe(ctx context.Context, o SubscribeOptions) (*Subscription, error) {
	s := &Subscription{
		ledger: l, epoch: l.store.Epoch(), match: o.Match, lag: o.Lag, most: o.Outbox, behind: true, bell: wake.NewBell(),
	}
	if s.match == nil {
		s.match = func(*model.Event) bool { return true }
	}
	if s.most <= 0 {
		s.most = Outbox
	}
	head, err := store.HeadNow(ctx, l.store)
	if err != nil {
		return nil, err
	}
	switch {
	case o.Since != nil:
		if err := l.checkCursor(*o.Since, head.Seq); err != nil {
			return nil, err
		}
		s.cursor = o.Since.Seq
	case o.Replay > 0:
		if s.cursor, err = l.replayFrom(ctx, head.Seq, s.match, o.Replay); err != nil {
			return nil, err
		}
	default:
		s.cursor = head.Seq
	}
	if err := l.tail.add(s, head.Seq); err != nil {
		return nil, err
	}
	return s, nil
}

func (l *Ledger) checkCursor(c model.Cursor, head int64) error {
	if c.Epoch != "" && c.Epoch != l.store.Epoch() {
		return model.Errorf(model.CodeStale, "the cursor %s is of another epoch of this ledger", c).
			WithHint("the ledger was restored from a backup; read again from the start")
	}
	if c.Seq > head {
		return model.Errorf(model.CodeStale, "the cursor %s is past the newest event, %d", c, head)
	}
	return nil
}

// replayFrom returns the cursor before the n-th newest matching event, looking
// back from head.
func (l *Ledger) replayFrom(ctx context.Context, head int64, match func(*model.Event) bool, n int) (int64, error) {
	cursor := head
	for before := head + 1; before > 1 && n > 0; {
		var events []model.Event
		err := l.store.Read(ctx, func(r store.Reader) error {
			var err error
			events, err = store.SelectEvents(r, `WHERE seq < $1 ORDER BY seq DESC LIMIT $2`, before, tailPage)
			return err
		})
		if err != nil {
			return 0, err
		}
		if len(events) == 0 {
			break
		}
		for i := range events {
			if n > 0 && match(&events[i]) {
				cursor = events[i].Seq - 1
				n--
			}
		}
		before = events[len(events)-1].Seq
	}
	return cursor, nil
}

// Next returns what has come, at least one item, or waits for it until ctx ends
// or the subscription does.
func (s *Subscription) Next(ctx context.Context) ([]desk.Item, error) {
	for {
		items, behind, err := s.take()
		if len(items) > 0 || err != nil {
			return items, err
		}
		if behind {
			if items, err := s.catchUp(ctx); len(items) > 0 || err != nil {
				return items, err
			}
			continue
		}
		select {
		case <-s.bell:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Cursor is the place after what Next has returned.
func (s *Subscription) Cursor() model.Cursor {
	s.mu.Lock()
	defer s.mu.Unlock()
	seq := s.cursor
	if len(s.outbox) > 0 {
		seq = s.outbox[0].Event.Seq - 1
		if n := s.outbox[0].Gap; n != nil {
			seq = n.From - 1
		}
	} else if s.notice != nil && s.lag == Skip {
		seq = s.notice.From - 1
	}
	return s.ledger.Cursor(seq)
}

// Behind says whether it is fed from the store at present.
func (s *Subscription) Behind() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.behind
}

// Close ends the subscription: a waiting Next returns CodeCancelled.
func (s *Subscription) Close() {
	s.end(model.Errorf(model.CodeCancelled, "the subscription was closed"))
	s.ledger.tail.remove(s)
}

func (s *Subscription) end(err error) {
	s.mu.Lock()
	if s.err == nil {
		s.err = err
	}
	s.mu.Unlock()
	s.bell.Ring()
}

// take empties the outbox. A notice comes after what was put in before the
// outbox was full.
func (s *Subscription) take() (items []desk.Item, behind bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	items, s.outbox = s.outbox, nil
	if s.notice != nil {
		items = append(items, desk.Item{Gap: s.notice})
		s.notice = nil
	}
	if len(items) == 0 {
		err = s.err
	}
	return items, s.behind, err
}

// offer gives the subscriber new events, without waiting. The tailer calls it.
func (s *Subscription) offer(events []model.Event) {
	s.mu.Lock()
	if s.err != nil || s.behind && s.notice == nil {
		s.mu.Unlock()
		return
	}
	for i := range events {
		e := &events[i]
		switch {
		case s.behind:
			// Next reads it from the store; only the notice wants to know.
			if s.notice != nil && e.Seq >= s.notice.From && s.match(e) {
				s.notice.Late++
				s.notice.To = e.Seq
			}
			continue
		case e.Seq <= s.cursor:
			continue // it read further than the tailer before it joined
		}
		if s.match(e) && !s.put(e) {
			continue
		}
		s.cursor = e.Seq
	}
	s.mu.Unlock()
	s.bell.Ring()
}

// put files one matching event. It says whether the event is dealt with; under
// CatchUp a full outbox puts the subscriber behind instead.
func (s *Subscription) put(e *model.Event) bool {
	if s.notice == nil && len(s.outbox) < s.most {
		s.outbox = append(s.outbox, desk.Item{Event: *e})
		return true
	}
	if s.notice == nil {
		s.notice = &desk.Gap{From: e.Seq, Next: s.ledger.Cursor(e.Seq - 1)}
	}
	s.notice.To = e.Seq
	if s.lag == CatchUp {
		s.behind = true
		s.notice.Late++
		return false
	}
	s.notice.Missed++
	return true
}

// catchUp reads the next page from the store, in the subscriber's goroutine.
// It joins the tailer's group when there is nothing more to read.
func (s *Subscription) catchUp(ctx context.Context) ([]desk.Item, error) {
	if s.epoch != s.ledger.store.Epoch() {
		return nil, errOtherEpoch()
	}
	s.mu.Lock()
	after := s.cursor
	s.mu.Unlock()
	var events []model.Event
	err := s.ledger.store.Read(ctx, func(r store.Reader) error {
		var err error
		events, err = r.Events(after, tailPage)
		return err
	})
	if err != nil {
		return nil, err
	}
	var items []desk.Item
	for i := range events {
		if s.match(&events[i]) {
			items = append(items, desk.Item{Event: events[i]})
		}
	}
	if n := len(events); n > 0 {
		s.mu.Lock()
		s.cursor = events[n-1].Seq
		s.mu.Unlock()
	}
	if len(events) < tailPage {
		s.ledger.tail.join(s)
	}
	return items, nil
}
