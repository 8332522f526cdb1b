package directive

import (
	"cmp"
	"slices"
	"time"

	"binnacle/model"
)

// Ageing lets what waits long overtake what is more important by name. The
// zero Ageing is off: then the order is by priority and, inside of it, by id.
type Ageing struct {
	// Interval is how long a pending directive waits for one priority step. 0 is
	// off.
	Interval time.Duration
}

// DeadlineSteps is how many intervals before its deadline a directive begins to
// gain from it: one step an interval, and on beyond the deadline.
const DeadlineSteps = 3

// On says whether ageing is configured.
func (a Ageing) On() bool { return a.Interval >= time.Microsecond }

// Effective is the directive's priority in steps, smaller is sooner: its
// priority, less one for each interval that it has been pending, less its
// importance, less what its deadline adds. It falls below P0 without bound, so
// that what waits long enough goes first in the end whatever else comes. With
// ageing off it is the priority alone.
func (a Ageing) Effective(d Directive, now model.Time) int64 {
	steps := int64(d.Priority)
	if !a.On() {
		return steps
	}
	interval := a.Interval.Microseconds()
	if waited := int64(now - d.Since); d.Status == StatusPending && waited > 0 {
		steps -= waited / interval
	}
	steps -= d.Importance
	if d.Deadline != 0 {
		left := int64(d.Deadline - now)
		switch {
		case left < 0:
			steps -= DeadlineSteps + (-left)/interval
		case left < DeadlineSteps*interval:
			steps -= DeadlineSteps - left/interval
		}
	}
	return steps
}

// Compare orders two directives as next takes them at the instant now:
// negative when a goes first. The id breaks ties, so the order is total.
func (a Ageing) Compare(x, y Directive, now model.Time) int {
	return cmp.Or(cmp.Compare(a.Effective(x, now), a.Effective(y, now)), cmp.Compare(x.ID, y.ID))
}

// Sort orders directives as next takes them at the instant now.
func (a Ageing) Sort(ds []Directive, now model.Time) {
	slices.SortFunc(ds, func(x, y Directive) int { return a.Compare(x, y, now) })
}
