package model

import "time"

// Lease is when a claim ends, on two clocks. On the boot of the machine where
// the claim was made, the clock that nobody can set and that stops while the
// machine sleeps decides; elsewhere, and for claims that know no boot, the
// clock on the wall does. So neither a clock that is set nor a machine that
// sleeps takes anything from a holder that lives on, and a machine that died
// holds nothing for ever.
//
// Times of events never decide: they are kept from going back, and so may run
// ahead of every clock.
type Lease struct {
	Until Time   // by the clock on the wall; 0: there is no lease, and it never ends
	Boot  string // whose Awake is meant; "" is none
	Awake int64  // Reading.Awake at the end, in microseconds, more than 0 where Boot is set
}

// NewLease is a lease of length d that begins now.
func NewLease(now Reading, d time.Duration) Lease {
	l := Lease{Until: now.Wall.Add(d), Boot: now.Boot, Awake: (now.Awake + d).Microseconds()}
	if l.Boot == "" || l.Awake <= 0 {
		l.Boot, l.Awake = "", 0
	}
	return l
}

// Left is how long the lease lasts still; 0 or less when it is over. Every
// check of a lease goes through it. It means nothing where Until is 0.
func (l Lease) Left(now Reading) time.Duration {
	if l.Boot != "" && l.Boot == now.Boot {
		return time.Duration(l.Awake)*time.Microsecond - now.Awake
	}
	return l.Until.Sub(now.Wall)
}

// Over says whether the lease has run out. The last instant of a lease is the
// microsecond before its end.
func (l Lease) Over(now Reading) bool { return l.Until != 0 && l.Left(now) <= 0 }

// Ends is what the clock on the wall will say when the lease ends, as far as it
// can be told now; 0 when it never ends.
func (l Lease) Ends(now Reading) Time {
	if l.Until == 0 {
		return 0
	}
	return now.Wall.Add(l.Left(now))
}

// LeaseShare is how much of a lease of that length is left: 1 at its begin, 0 at
// its end and after.
func LeaseShare(l Lease, length time.Duration, now Reading) float64 {
	left := l.Left(now)
	if l.Until == 0 || left <= 0 || length <= 0 {
		return 0
	}
	return min(1, float64(left)/float64(length))
}

// ExpiresSoonPct is the share of a lease, in per cent, below which it is about to
// lapse.
const ExpiresSoonPct = 15

// AboutToLapse says whether less than ExpiresSoonPct of the lease is left,
// or nothing.
func AboutToLapse(l Lease, length time.Duration, now Reading) bool {
	return l.Until != 0 && LeaseShare(l, length, now)*100 < ExpiresSoonPct
}
