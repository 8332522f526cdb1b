package model

import "time"

// Clock looks at a machine's clocks. Everything that needs the time takes one.
type Clock func() Reading

// Now is what the clock on the wall says.
func (c Clock) Now() Time { return c().Wall }

// WallOnly makes a Clock of a wall clock alone: a machine whose boot can't be
// told.
func WallOnly(now func() Time) Clock {
	return func() Reading { return Reading{Wall: now()} }
}

// Reading is one look at a machine's clocks.
type Reading struct {
	// Boot names the time since the machine's last start, on the clocks that
	// this process reads; "" where it can't be told, and Up and Awake are 0.
	Boot string `json:"boot"`
	// Up is the time since the start, sleep included (CLOCK_BOOTTIME on Linux).
	Up time.Duration `json:"up"`
	// Awake is the time since the start without the machine's sleep
	// (CLOCK_MONOTONIC on Linux). Leases are measured by it: neither a clock that
	// is set nor a machine that sleeps takes anything from their holders.
	Awake time.Duration `json:"awake,omitempty"`
	// Wall is what the clock on the wall said, which may be set at will.
	Wall Time `json:"wall"`
}

// SameBoot says whether Up and Awake of both can be compared.
func (r Reading) SameBoot(o Reading) bool { return r.Boot != "" && r.Boot == o.Boot }
