package ledger

import (
	"context"
	"sync"
	"time"

	"binnacle/backend/guard"
	"binnacle/backend/store"
	"binnacle/backend/wake"
	"binnacle/model"
)

// tail feeds the subscribers that are caught up. It runs one goroutine, only
// while somebody subscribes.
//
// What holds:
//   - mu guards subs, pos and the life of the goroutine. A subscriber's own mu
//     is taken while mu is held, never the other way round.
//   - Every subscriber in subs that is caught up has been offered exactly the
//     events up to pos, in order.
//   - A subscriber that is behind is fed by its own goroutine, from the store; it
//     joins the others only while mu is held and only when it has seen all that
//     the tailer has (cursor >= pos). So no event is lost or given twice
//     between the two ways.
//   - Offering an event never waits for a subscriber.
type tail struct {
	store store.Store

	mu     sync.Mutex
	subs   []*Subscription
	pos    int64
	epoch  string             // of pos
	stop   context.CancelFunc // of the running goroutine, or nil
	done   chan struct{}      // closed when that goroutine has ended
	closed bool
}

const (
	tailPage  = 1000                   // events of one read
	tailRetry = 200 * time.Millisecond // after a read that failed
)

// add registers a subscriber, which starts behind, and starts the goroutine if
// it is the first. head is the position it starts at.
func (t *tail) add(s *Subscription, head int64) error {
	for {
		t.mu.Lock()
		if t.closed {
			t.mu.Unlock()
			return errClosed()
		}
		if t.stop == nil && t.done != nil {
			// The former goroutine is still on its way out.
			done := t.done
			t.mu.Unlock()
			<-done
			t.mu.Lock()
			if t.done == done {
				t.done = nil
			}
			t.mu.Unlock()
			continue
		}
		break
	}
	defer t.mu.Unlock()
	t.subs = append(t.subs, s)
	if t.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		t.stop, t.done, t.pos, t.epoch = stop, make(chan struct{}), head, t.store.Epoch()
		done := t.done
		guard.Go("ledger tail", func() { t.run(ctx, done) })
	}
	return nil
}

// remove forgets a subscriber and stops the goroutine after the last.
func (t *tail) remove(s *Subscription) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, x := range t.subs {
		if x == s {
			t.subs = append(t.subs[:i], t.subs[i+1:]...)
			break
		}
	}
	if len(t.subs) == 0 && t.stop != nil {
		t.stop()
		t.stop = nil
	}
}

// close ends every subscription and waits for the goroutine.
func (t *tail) close() {
	t.mu.Lock()
	t.closed = true
	subs := append([]*Subscription(nil), t.subs...)
	done := t.done
	t.mu.Unlock()
	for _, s := range subs {
		s.end(errClosed())
		t.remove(s)
	}
	if done != nil {
		<-done
	}
}

func errClosed() error { return model.Errorf(model.CodeCancelled, "the ledger was closed") }

// run waits for new heads and offers what is new.
func (t *tail) run(ctx context.Context, done chan<- struct{}) {
	defer close(done)
	l := wake.Loop{Heads: t.store.Watch(ctx), Gone: t.store.Gone()}
	l.Run(ctx, func(wake.Why) time.Duration {
		if gone := t.store.Health().Gone; gone != nil {
			t.storeEnded(ctx, gone)
		} else if err := t.forward(ctx); err != nil {
			return tailRetry // the next head may be long in coming
		}
		return wake.Never
	})
	t.storeEnded(ctx, errClosed())
}

// forward reads everything after pos and offers it.
func (t *tail) forward(ctx context.Context) error {
	if err := t.followEpoch(ctx); err != nil {
		return err
	}
	for {
		t.mu.Lock()
		after := t.pos
		t.mu.Unlock()
		var events []model.Event
		err := t.store.Read(ctx, func(r store.Reader) error {
			var err error
			events, err = r.Events(after, tailPage)
			return err
		})
		if err != nil {
			return err
		}
		// The read itself may have been the first to see another epoch: what it
		// returned is then not what comes after pos.
		t.mu.Lock()
		same := t.epoch == t.store.Epoch()
		t.mu.Unlock()
		if !same {
			if err := t.followEpoch(ctx); err != nil {
				return err
			}
			continue
		}
		if len(events) == 0 {
			return nil
		}
		t.mu.Lock()
		t.pos = events[len(events)-1].Seq
		for _, s := range t.subs {
			s.offer(events)
		}
		t.mu.Unlock()
	}
}

// followEpoch ends the subscriptions of a ledger that was replaced by another,
// in which their cursors mean something else.
func (t *tail) followEpoch(ctx context.Context) error {
	epoch := t.store.Epoch()
	t.mu.Lock()
	same := epoch == t.epoch
	t.mu.Unlock()
	if same {
		return nil
	}
	var head model.Head
	err := t.store.Read(ctx, func(r store.Reader) error {
		var err error
		head, err = r.Head()
		return err
	})
	if err != nil {
		return err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.epoch, t.pos = epoch, head.Seq
	for _, s := range t.subs {
		if s.epoch != epoch {
			s.end(errOtherEpoch())
		}
	}
	return nil
}

func errOtherEpoch() error {
	return model.Errorf(model.CodeStale, "the ledger was replaced by another epoch of itself").
		WithHint("it was restored from a backup; read again from the start")
}

// storeEnded tells the subscribers that nothing will come any more, and why.
func (t *tail) storeEnded(ctx context.Context, why error) {
	if ctx.Err() != nil {
		return // the tailer was stopped, not the store
	}
	t.mu.Lock()
	subs := append([]*Subscription(nil), t.subs...)
	t.mu.Unlock()
	for _, s := range subs {
		s.end(why)
	}
}

// join makes a subscriber that is behind caught up, if it has seen all that the
// tailer has.
func (t *tail) join(s *Subscription) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cursor < t.pos {
		return false
	}
	s.behind = false
	return true
}
