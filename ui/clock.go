package ui

import (
	"time"

	"binnacle/model"
)

// nextStep returns how long it takes until an age of d is written differently:
// seconds under a minute, minutes under an hour, and so on, as model.Age
// steps.
func nextStep(d time.Duration) time.Duration {
	unit := time.Second
	switch {
	case d < 0:
		return -d
	case d < time.Minute:
	case d < time.Hour:
		unit = time.Minute
	default:
		unit = time.Hour
	}
	return unit - d%unit
}

// toMinute returns how long it takes until the header's clock changes.
func toMinute(now model.Time) time.Duration {
	return time.Minute - time.Duration(int64(now)%int64(time.Minute/time.Microsecond))*time.Microsecond
}

// soonest keeps the smaller of two spans and never goes under the shortest
// useful tick.
func soonest(a, b time.Duration) time.Duration { return max(min(a, b), 50*time.Millisecond) }
