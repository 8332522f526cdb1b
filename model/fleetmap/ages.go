package fleetmap

import (
	"time"

	"binnacle/model"
)

// Times of the fleet, unless the reader's configuration says otherwise.
const (
	DefaultWindow    = 120 * time.Second // the takeover window: older rows drop out
	DefaultHeartbeat = 10 * time.Second  // at most one push in that time
	FirstKept        = 24 * time.Hour    // how long the first sight of a summary is remembered
)

// Elapsed is the time from a to b, two readings of one machine, never negative:
// two machines' clocks are never compared. It counts by the boot's own clock
// while the machine stayed up, and else by the wall clock, but at least the
// time for which the machine has been up.
func Elapsed(a, b model.Reading) time.Duration {
	if a.SameBoot(b) {
		return max(0, b.Up-a.Up)
	}
	return max(0, b.Wall.Sub(a.Wall), b.Up)
}

// Fresh says whether a row of that age still counts: a row of exactly one
// window is dropped.
func Fresh(age, window time.Duration) bool { return age < window }

// Behind says whether a fetch is behind the remote: true once it is one window
// old, else nil (unknown). It is never false, for nobody asked the remote.
func Behind(fetched, now model.Reading, window time.Duration) *bool {
	if Elapsed(fetched, now) >= window {
		yes := true
		return &yes
	}
	return nil
}

// NextSeq is the sequence number of the next summary: it grows with each, also
// over a lost state folder, as long as the wall clock does not go back.
func NextSeq(last int64, now model.Time) int64 { return max(last+1, int64(now)/1000) }
