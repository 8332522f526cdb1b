package canvas

import (
	"strconv"
	"time"

	"binnacle/model"
)

// Left is what remains of a lease, in words as coarse as they can be read.
func (l *Look) Left(lease model.Lease) string {
	d := lease.Left(l.Reading())
	if lease.Until == 0 || d <= 0 {
		return "lapsed"
	}
	switch {
	case d >= 2*time.Hour:
		return model.Age(d)
	case d >= leaseBySecond:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	}
	return model.Left(d)
}

// leaseBySecond is from when on what remains of a lease is told by the second:
// before, nobody acts on seconds, and telling them keeps a machine awake.
const leaseBySecond = 10 * time.Minute

// LeaseStep returns how long it takes until what remains of a lease is written
// differently; 0 when it is over and stays so.
func LeaseStep(lease model.Lease, now model.Reading) time.Duration {
	d := lease.Left(now)
	switch {
	case lease.Until == 0 || d <= 0:
		return 0
	case d >= 2*time.Hour:
		return d%time.Hour + time.Millisecond
	case d >= leaseBySecond:
		return d%time.Minute + time.Millisecond
	}
	return time.Second
}
