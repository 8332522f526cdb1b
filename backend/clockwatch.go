package backend

import (
	"context"
	"time"

	"binnacle/backend/ledger"
	"binnacle/backend/store"
	"binnacle/backend/wake"
	"binnacle/model"
	"binnacle/model/desk"
)

// Go's timers run on the clock that stops while the machine sleeps and that
// nobody can set. That is right for leases; what waits for the wall clock has
// to look again when that was set or when the machine wakes.

// clockLook is how often the clocks are looked at. It costs no read.
const clockLook = time.Second

// watchClock looks at the clocks until ctx ends: a clock that was set is an
// alarm, and whoever waits for the wall clock is woken.
func (b *Backend) watchClock(ctx context.Context) {
	var w model.ClockWatch
	wake.Every(ctx, clockLook, func() {
		step, jumped := w.Tick(b.clock())
		if step != 0 {
			b.raise("clock", model.StepText(step))
		} else {
			b.settle("clock")
		}
		if jumped {
			b.jumps.Ring()
			b.nudge.Ring()
		}
	})
}

// WatchClock begins to look at the clocks, until ctx or Close ends it. Run does
// it, too.
func (b *Backend) WatchClock(ctx context.Context) {
	b.spawnUntil(ctx, "clock", b.watchClock)
}

// behind is the alarm of a clock that is behind the newest event.
func behind(r store.Reader, head model.Head, now model.Time) ([]desk.Alarm, error) {
	text, err := ledger.ClockBehind(r, head, now)
	if err != nil || text == "" {
		return nil, err
	}
	return []desk.Alarm{{Engine: "clock", Text: text}}, nil
}
