package screen

import (
	"sync"
	"time"
)

// statusRequest asks the terminal how it is (DSR 5). It answers once it has
// taken everything before it: the receipt of a frame. The queue of a PTY tells
// nothing of the kind, for on a line over the network it is empty all the time.
const statusRequest = "\x1b[5n"

// Bounds of what is learned about a line.
const (
	// overdue is how long a receipt is waited for before the terminal counts as
	// one that does not answer.
	overdue = 10 * time.Second
	// trial is how long what no key did waits at first while it is not known
	// whether the terminal answers; it doubles with each write, up to trials.
	trial  = 400 * time.Millisecond
	trials = 4
	// slice is how long a write may keep the line busy, minSlice what it may
	// hold in any case, in bytes.
	slice    = 400 * time.Millisecond
	minSlice = 600
	// fast is the rate, in bytes a second, from which a frame has no bound.
	fast = 100_000
	// telling is the size from which a write says something about the rate
	// rather than about the way there and back.
	telling = 400
	// leave and leaveSlow are how long the last receipt is waited for before the
	// terminal is given back; the second where it is known to come.
	leave     = 100 * time.Millisecond
	leaveSlow = time.Second
)

// line knows what is on its way to the terminal, and learns how fast that takes
// it. At most one write is unacknowledged once the terminal is known to answer;
// before that, and where it never does, the writes are not counted.
//
// Invariant: asked is set from just before a status request is written until
// its answer, or until it is overdue.
type line struct {
	mu      sync.Mutex
	changed chan struct{} // says that a receipt came

	answers  bool          // it has answered
	asked    time.Time     // when the request under way was sent; zero: none is
	bytes    int           // of the write that it ended
	loose    int           // bytes written since without a request
	silent   bool          // it was asked and never answered
	written  time.Time     // when the newest frame was written
	unheard  int           // frames written since the request under way
	rest     time.Time     // until when the engines' frames wait
	rate     float64       // bytes a second; 0: not known
	latency  time.Duration // of the way there and back; 0: not known
	finished bool          // nothing is waited for any more
}

func newLine() *line { return &line{changed: make(chan struct{}, 1)} }

// sends takes note of a frame of n bytes that is about to be written, and says
// whether a status request is to follow it. The line takes it that it does.
func (l *line) sends(now time.Time, n int) (ask bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.written = now
	if l.silent || !l.asked.IsZero() {
		l.loose += n
		l.unheard++
		return false
	}
	l.asked, l.bytes, l.loose, l.unheard = now, n+l.loose+len(statusRequest), 0, 0
	return true
}

// adds takes note of n bytes that no request follows.
func (l *line) adds(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.loose += n
}

// behind says that much is under way of which no receipt will come: it has to be
// asked for before the next frame.
func (l *line) behind() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.answers && l.asked.IsZero() && l.loose > minSlice
}

// received takes the terminal's answer.
func (l *line) received(now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.asked.IsZero() && !l.silent {
		return // nothing was asked
	}
	if !l.asked.IsZero() {
		took := max(now.Sub(l.asked), 0)
		l.learn(l.bytes, took)
		l.rest = now.Add(took)
	}
	l.asked, l.answers, l.silent = time.Time{}, true, false
	l.tell()
}

// tell wakes whoever waits for a change.
func (l *line) tell() {
	select {
	case l.changed <- struct{}{}:
	default:
	}
}

// learn reckons the rate of the line from what a write took. Small writes tell
// how long the way there and back is, which says nothing about the rate.
func (l *line) learn(n int, took time.Duration) {
	const small, noise = 128, 20 * time.Millisecond
	if n <= small && (l.latency == 0 || took < l.latency) {
		l.latency = took
	}
	spent := took - min(l.latency, took)
	if n < telling && spent < slice/2 {
		return
	}
	if spent < noise && n < fast/10 {
		l.rate = fast
		return
	}
	l.rate = float64(n) / max(spent, time.Millisecond).Seconds()
}

// budget is how many bytes the next write may have, 0 for any number.
func (l *line) budget() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.answers && !l.silent && l.asked.IsZero() {
		return minSlice // the first one: it tells how fast the line is
	}
	if !l.answers || l.rate == 0 || l.rate >= fast {
		return 0
	}
	return max(int(l.rate*slice.Seconds()), minSlice) - len(statusRequest)
}

// wait is how long the next frame has to wait, 0 if not at all; a receipt may
// end the wait before. A frame with what a key did is pressing: it waits for
// the one under way alone.
func (l *line) wait(now time.Time, pressing bool) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.finished, l.silent:
		return 0
	case l.answers && !l.asked.IsZero():
		if left := l.asked.Add(overdue).Sub(now); left > 0 {
			return left
		}
		// The next frame asks once more.
		l.asked, l.answers, l.loose = time.Time{}, false, 0
		return 0
	case l.answers && !pressing:
		return max(l.rest.Sub(now), 0)
	case !l.asked.IsZero():
		if l.unheard >= trials {
			l.silent, l.asked = true, time.Time{}
			return 0
		}
		if pressing {
			return 0
		}
		return max(l.written.Add(trial<<l.unheard).Sub(now), 0)
	}
	return 0
}

// settle waits until nothing is under way, for a moment at most: an answer that
// comes after the terminal was given back is taken for typing by what is next.
func (l *line) settle() {
	l.mu.Lock()
	limit := leave
	if l.answers {
		limit = leaveSlow
	}
	l.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		l.mu.Lock()
		waits := !l.asked.IsZero() && !l.finished
		l.mu.Unlock()
		if !waits {
			return
		}
		select {
		case <-l.changed:
		case <-timer.C:
			return
		}
	}
}

// forget begins anew after the terminal was given back.
func (l *line) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.asked, l.loose, l.unheard = time.Time{}, 0, 0
}

// end says that no answer will come any more: the terminal is lost.
func (l *line) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.finished = true
	l.tell()
}
