package model

import "time"

// ClockSlack is how far a clock may be off before it is worth a word.
const ClockSlack = 5 * time.Second

// StepShown is how long a clock that was set is an alarm, unless it is set back
// before: then the new time is what it is.
const StepShown = 10 * time.Minute

// ClockWatch notices, by readings of one machine, that the clock on the wall was
// set: it went on otherwise than the clock of the boot, which counts sleep, too.
// The zero value is ready.
type ClockWatch struct {
	base, last Reading
	stood      time.Duration // Reading.Up when the present step was seen first; 0: there is none
	on         bool
}

// moved is how far the timers that wait for the wall clock may be off before
// they are to look again.
const moved = 500 * time.Millisecond

// Tick takes a reading, every second or so. Step is by how much the clock has
// been set since the watch began: forward when positive, 0 when it is hardly
// worth a word. Jumped says that since the last reading the wall clock went on
// otherwise than the time awake: it was set, or the machine slept.
func (w *ClockWatch) Tick(now Reading) (step time.Duration, jumped bool) {
	if !w.on || !now.SameBoot(w.base) {
		*w = ClockWatch{base: now, last: now, on: true}
		return 0, false
	}
	d := now.Wall.Sub(w.last.Wall) - (now.Awake - w.last.Awake)
	jumped = d.Abs() > moved
	w.last = now
	step = now.Wall.Sub(w.base.Wall) - (now.Up - w.base.Up)
	if step.Abs() <= ClockSlack {
		w.stood = 0
		return 0, jumped
	}
	if w.stood == 0 {
		w.stood = now.Up
	}
	if now.Up-w.stood > StepShown {
		w.base, w.stood = now, 0
		return 0, jumped
	}
	return step, jumped
}

// StepText says by how much the clock was set, "" for 0.
func StepText(step time.Duration) string {
	switch {
	case step > 0:
		return "the clock was set forward by " + Span(step)
	case step < 0:
		return "the clock was set back by " + Span(-step)
	}
	return ""
}
