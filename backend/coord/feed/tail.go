package feed

import (
	"context"
	"sync"
	"time"

	"binnacle/backend/guard"
	"binnacle/backend/store"
	"binnacle/backend/wake"
	"binnacle/model"
	"binnacle/model/feed"
)

// Rhythm of the tailer. Waking a reader costs some microseconds, so that the
// more there are, the more events they are woken for together.
const (
	tailPage  = 1000                   // events of one read
	tailRest  = 4 * time.Millisecond   // between two looks, at least
	tailEach  = 4 * time.Microsecond   // more of it for each who waits
	tailRetry = 200 * time.Millisecond // after a read that failed
)

// tail holds the newest events in a ring, while somebody waits for more. One
// goroutine fills it.
//
// What holds:
//   - The ring holds exactly the events with from < seq <= to of the epoch, the
//     event seq at seq modulo its size; with the epoch "" it holds none.
//   - Whatever changes of that, of why or of closed closes moved and makes it
//     anew, so that a reader who took moved before it looked misses nothing.
//   - Events in the ring are never changed, so that readers keep them.
type tail struct {
	store store.Store

	mu       sync.RWMutex
	waiters  int
	stop     context.CancelFunc // of the running goroutine, or nil
	running  sync.WaitGroup
	moved    chan struct{}
	epoch    string
	from, to int64
	bytes    int
	ring     []*feed.Event
	why      error // why nothing comes any more
}

// enter keeps the ring filled until leave is called.
func (t *tail) enter() (leave func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiters++; t.stop == nil && t.why == nil {
		ctx, stop := context.WithCancel(context.Background())
		t.stop = stop
		t.running.Add(1)
		guard.Go("feed tail", func() {
			defer t.running.Done()
			t.run(ctx)
		})
	}
	return sync.OnceFunc(func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.waiters--; t.waiters == 0 && t.stop != nil {
			t.stop()
			t.stop = nil
			t.forget("", 0)
		}
	})
}

func (t *tail) close() {
	t.end(model.Errorf(model.CodeCancelled, "the feed was closed"))
	t.mu.Lock()
	if t.stop != nil {
		t.stop()
		t.stop = nil
	}
	t.mu.Unlock()
	t.running.Wait()
}

// end tells all who wait that nothing will come.
func (t *tail) end(why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.why == nil {
		t.why = why
		t.tell()
	}
}

// tell wakes all who wait. mu is held.
func (t *tail) tell() {
	close(t.moved)
	t.moved = make(chan struct{})
}

// forget empties the ring, which then follows the event to of the epoch. mu is held.
func (t *tail) forget(epoch string, to int64) {
	t.epoch, t.from, t.to, t.bytes, t.ring = epoch, to, to, 0, nil
}

func (t *tail) run(ctx context.Context) {
	l := wake.Loop{Heads: t.store.Watch(ctx), Gone: t.store.Gone(), Least: tailRest}
	l.Run(ctx, func(wake.Why) time.Duration {
		if gone := t.store.Health().Gone; gone != nil {
			t.end(gone)
			return wake.Never
		}
		told, err := t.look(ctx)
		switch {
		case err != nil:
			return tailRetry // the next head may be long in coming
		case told > 0:
			wake.Sleep(ctx, time.Duration(told)*tailEach)
		}
		return wake.Never
	})
	if ctx.Err() == nil { // the heads ended: the store was closed
		t.end(model.Errorf(model.CodeCancelled, "the workspace was closed"))
	}
}

// look reads what is new into the ring, and says how many were woken for it.
func (t *tail) look(ctx context.Context) (told int, err error) {
	for {
		t.mu.RLock()
		epoch, after := t.epoch, t.to
		t.mu.RUnlock()
		var now string
		var head model.Head
		var events []model.Event
		err := t.store.Read(ctx, func(r store.Reader) error {
			if now, err = store.EpochOf(r); err != nil {
				return err
			}
			if now != epoch {
				head, err = r.Head()
			} else {
				events, err = r.Events(after, tailPage)
			}
			return err
		})
		if err != nil {
			return told, err
		}
		fed := make([]*feed.Event, len(events))
		for i := range events {
			fed[i] = feed.Of(&events[i], now)
		}
		t.mu.Lock()
		switch {
		case ctx.Err() != nil: // the ring may be another's already
			t.mu.Unlock()
			return told, nil
		case now != epoch:
			t.forget(now, head.Seq)
		default:
			for _, e := range fed {
				t.push(e)
			}
		}
		if now != epoch || len(fed) > 0 {
			t.tell()
			told = t.waiters
		}
		t.mu.Unlock()
		if len(events) < tailPage {
			return told, nil
		}
	}
}

// push takes an event in; the oldest make room. mu is held.
func (t *tail) push(e *feed.Event) {
	if seq := e.ID.Seq; seq != t.to+1 {
		t.forget(t.epoch, seq-1) // what lies between was taken away
	}
	if t.ring == nil {
		t.ring = make([]*feed.Event, ringEvents)
	}
	for t.to > t.from && (t.to-t.from == ringEvents || t.bytes+e.Size() > ringBytes) {
		t.from++
		oldest := &t.ring[t.from%ringEvents]
		t.bytes -= (*oldest).Size()
		*oldest = nil
	}
	t.to++
	t.ring[t.to%ringEvents] = e
	t.bytes += e.Size()
}

// at says where the ring is, and when it will be elsewhere.
func (t *tail) at() (moved <-chan struct{}, why error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.moved, t.why
}

// read gives the ring's events after a place, in order, to take, until it returns
// false. ok is false where the ring does not know what follows that place.
func (t *tail) read(after model.Cursor, take func(*feed.Event) bool) (to int64, ok bool) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	if t.epoch == "" || t.epoch != after.Epoch || after.Seq < t.from || after.Seq > t.to {
		return 0, false
	}
	for seq := after.Seq + 1; seq <= t.to; seq++ {
		if !take(t.ring[seq%ringEvents]) {
			break
		}
	}
	return t.to, true
}
