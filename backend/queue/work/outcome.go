package work

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"time"
)

// Exit statuses of a command that say more than that it failed, as sysexits.h
// has them.
const (
	ExitTempFail = 75 // try again later
	ExitConfig   = 78 // it can't be done before somebody changes something
)

// Outcome is what became of a claim.
type Outcome string

// Outcomes.
const (
	Done     Outcome = "done"
	Later    Outcome = "later"    // deferred: the command asked to be tried again
	Parked   Outcome = "parked"   // the command can't do it, or failed too often
	Failed   Outcome = "failed"   // given back, counted
	Returned Outcome = "returned" // given back, not counted: the worker stops
	Finished Outcome = "finished" // by the command itself, with its token
	Lost     Outcome = "lost"     // somebody else ended the claim
)

// ending is why a command was made to end.
type ending int

const (
	byItself ending = iota
	tooLong         // past its timeout
	stopping        // the worker is told to stop
	claimLost
)

// decide says what is done with a claim whose command ended: how it ended decides,
// unless it was made to.
func decide(why ending, exit int) Outcome {
	switch {
	case why == claimLost:
		return Lost
	case why == stopping:
		return Returned
	case why == tooLong:
		return Failed // also with 0, which many programs answer to SIGTERM
	case exit == 0:
		return Done
	case exit == ExitTempFail:
		return Later
	case exit == ExitConfig:
		return Parked
	}
	return Failed
}

// mostLater bounds what RetryAfter grows to.
const mostLater = time.Hour

// later is how long a directive rests before its next attempt: base for the first,
// twice as long for each further one, up to mostLater (or base, where that is
// longer), give or take a quarter.
func later(base time.Duration, attempt int64, random *rand.Rand) time.Duration {
	d := base
	for n := int64(1); n < attempt && d < mostLater; n++ {
		d *= 2
	}
	if d = min(d, max(base, mostLater)); d <= 0 {
		return 0
	}
	return d - d/4 + time.Duration(random.Int64N(int64(d/2)+1))
}

// ended says in words how a process ended.
func ended(s syscall.WaitStatus, took time.Duration) string {
	how := fmt.Sprintf("exit %d", s.ExitStatus())
	if s.Signaled() {
		how = fmt.Sprintf("killed by signal %d (%s)", int(s.Signal()), s.Signal())
	}
	return how + " after " + took.Round(roundTo(took)).String()
}

func roundTo(d time.Duration) time.Duration {
	switch {
	case d < time.Second:
		return time.Millisecond
	case d < time.Minute:
		return 100 * time.Millisecond
	}
	return time.Second
}

// Bounds of what evidence repeats of the output.
const (
	evidenceLines = 10
	evidenceBytes = 1 << 10
)

// evidence is the reason that is recorded: how the command ended, and its last
// lines.
func evidence(how string, tail []byte) string {
	lines := lastLines(tail, evidenceLines, evidenceBytes)
	if lines == "" {
		return how
	}
	return how + "\n" + lines
}

// lastLines is the end of an output: at most n lines and size bytes, valid UTF-8,
// the line's beginning where even one does not fit.
func lastLines(tail []byte, n, size int) string {
	text := strings.TrimRight(strings.ToValidUTF8(string(tail), "�"), " \t\r\n")
	lines := strings.Split(text, "\n")
	lines = lines[max(0, len(lines)-n):]
	for len(lines) > 1 && len(strings.Join(lines, "\n")) > size {
		lines = lines[1:]
	}
	text = strings.Join(lines, "\n")
	if len(text) > size {
		text = strings.ToValidUTF8(text[:size], "")
	}
	return text
}
