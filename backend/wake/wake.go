// Package wake is the house's one way to wait until something may have changed:
// the newest event moved, an instant came that was asked for, or somebody
// nudged. Waking up is coalesced: however much happens, one look follows, and
// looks keep a distance. A wake-up promises nothing; whoever wakes looks.
package wake

import (
	"context"
	"sync"
	"time"

	"binnacle/model"
)

// Bell is rung to wake one waiter. Rings that come while nobody listens are one.
type Bell chan struct{}

// NewBell makes a Bell that nobody has rung.
func NewBell() Bell { return make(Bell, 1) }

// Ring wakes the waiter, now or when it next waits. It never blocks.
func (b Bell) Ring() {
	select {
	case b <- struct{}{}:
	default:
	}
}

// Bells rings many. The zero value has none.
type Bells struct {
	mu  sync.Mutex
	all map[Bell]bool
}

// Add lets Ring reach the bell, too, until ctx ends.
func (n *Bells) Add(ctx context.Context, b Bell) {
	n.mu.Lock()
	if n.all == nil {
		n.all = map[Bell]bool{}
	}
	n.all[b] = true
	n.mu.Unlock()
	context.AfterFunc(ctx, func() {
		n.mu.Lock()
		delete(n.all, b)
		n.mu.Unlock()
	})
}

// Ring rings all of them.
func (n *Bells) Ring() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for b := range n.all {
		b.Ring()
	}
}

// Loop says what wakes a look, and how often one may follow another.
type Loop struct {
	Heads <-chan model.Head // newest events; the loop ends when it is closed. May be nil
	Gone  <-chan struct{}   // closed when the workspace is not there any more: one more look. May be nil
	Bell  Bell              // may be nil
	Least time.Duration     // from the end of a look to the begin of the next
	Share float64           // so many times what a look took is rest, at least
	Most  time.Duration     // how long the instant that a look named is trusted; 0 is for ever
}

// Never is the instant of a look that waits for a head or a bell alone.
const Never = time.Duration(1<<63 - 1)

// Why says what a look is for.
type Why struct {
	Moved bool // a head came, a bell rang, or it is the first look; else the instant came
}

// Run looks at once, and then whenever something wakes it, until ctx ends or the
// heads do. look returns how long it is until it wants to look again by itself.
func (l Loop) Run(ctx context.Context, look func(Why) (next time.Duration)) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	heads, gone := l.Heads, l.Gone
	var ready time.Time
	wanted, why := true, Why{Moved: true}
	for {
		if wait := time.Until(ready); wanted && wait > 0 {
			timer.Reset(wait)
		} else if wanted {
			begin := time.Now()
			next := look(why)
			if ctx.Err() != nil {
				return
			}
			end := time.Now()
			ready = end.Add(max(l.Least, time.Duration(l.Share*float64(end.Sub(begin)))))
			wanted, why = false, Why{}
			if l.Most > 0 {
				next = min(next, l.Most)
			}
			if next == Never {
				timer.Stop()
			} else {
				timer.Reset(max(next, 0))
			}
		}
		select {
		case <-ctx.Done():
			return
		case _, ok := <-heads:
			if !ok {
				return
			}
			why.Moved = true
		case <-gone:
			gone, why.Moved = nil, true
		case <-l.Bell:
			why.Moved = true
		case <-timer.C:
		}
		wanted = true
	}
}

// Sleep waits for d and says whether ctx is still going on.
func Sleep(ctx context.Context, d time.Duration) bool { return Bell(nil).Wait(ctx, d) }

// Wait waits until the bell is rung, for d at the most, and says whether ctx is
// still going on.
func (b Bell) Wait(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-b:
	case <-t.C:
	case <-ctx.Done():
	}
	return ctx.Err() == nil
}

// begun is what beats are counted from.
var begun = time.Now()

// Beat is how long it is until the next whole multiple of d since the program
// began. Looks that only make sure of something wait for a beat: they come
// together then, and waking the process costs more than they do.
func Beat(d time.Duration) time.Duration { return d - time.Since(begun)%d }

// Every calls step at once and then at each beat of the interval until ctx ends.
// A step that takes longer misses beats.
func Every(ctx context.Context, interval time.Duration, step func()) {
	for ctx.Err() == nil {
		step()
		Sleep(ctx, Beat(interval))
	}
}
