package pane

import (
	"time"

	"binnacle/model"
	"binnacle/views/canvas"
)

// Wait finds how long nothing on the screen changes by itself, so that the
// program sleeps until then.
type Wait struct {
	Look *canvas.Look
	next time.Duration
}

// NewWait begins with what always changes, the header's clock.
func NewWait(look *canvas.Look) *Wait {
	past := time.Duration(int64(look.Now)%int64(time.Minute/time.Microsecond)) * time.Microsecond
	return &Wait{Look: look, next: time.Minute - past}
}

// shortest is the shortest tick that is of use.
const shortest = 50 * time.Millisecond

// In says that something changes after d.
func (w *Wait) In(d time.Duration) { w.next = max(min(w.next, d), shortest) }

// Since says that the age of something that happened at t is shown.
func (w *Wait) Since(t model.Time) { w.Age(w.Look.Now.Sub(t)) }

// Age says that an age of d is shown: seconds under a minute, minutes under an
// hour, and so on, as model.Age steps.
func (w *Wait) Age(d time.Duration) {
	unit := time.Second
	switch {
	case d < 0:
		w.In(-d)
		return
	case d < time.Minute:
	case d < time.Hour:
		unit = time.Minute
	default:
		unit = time.Hour
	}
	w.In(unit - d%unit)
}

// Lease says that what remains of a lease is shown.
func (w *Wait) Lease(l model.Lease) {
	reading := w.Look.Clocks
	reading.Wall = w.Look.Now
	if d := canvas.LeaseStep(l, reading); d > 0 {
		w.In(d)
	}
}

// Next is how long nothing changes.
func (w *Wait) Next() time.Duration { return w.next }
