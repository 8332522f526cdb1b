package screen

import (
	"testing"
	"time"
)

// lineAt is a line and a clock.
type lineAt struct {
	*line
	t   *testing.T
	now time.Time
}

func newLineAt(t *testing.T) *lineAt {
	return &lineAt{line: newLine(), t: t, now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
}

func (l *lineAt) after(d time.Duration) *lineAt {
	l.now = l.now.Add(d)
	return l
}

func (l *lineAt) send(n int, asks bool, why string) {
	l.t.Helper()
	if got := l.sends(l.now, n); got != asks {
		l.t.Fatalf("%s: asks %t", why, got)
	}
}

func (l *lineAt) waits(pressing bool, want time.Duration, why string) {
	l.t.Helper()
	if got := l.wait(l.now, pressing); got != want {
		l.t.Fatalf("%s: waits %s, want %s", why, got, want)
	}
}

func TestLineThatAnswers(t *testing.T) {
	l := newLineAt(t)
	l.waits(false, 0, "the first frame")
	if n := l.budget(); n != minSlice {
		t.Errorf("the first write is of %d bytes", n)
	}
	l.send(600, true, "the first frame")
	l.after(300 * time.Millisecond).received(l.now)
	if n := l.budget(); n < 700 || n > 900 {
		t.Errorf("at 2 KB a second the budget is %d", n)
	}
	l.waits(false, 300*time.Millisecond, "at rest as long as the last one took")
	l.waits(true, 0, "a key does not rest")
	l.after(300*time.Millisecond).waits(false, 0, "rested")
	l.send(800, true, "the second")
	l.waits(true, overdue, "one frame under way")
	l.after(400 * time.Millisecond).received(l.now)
	l.adds(5000)
	if !l.behind() {
		t.Error("bytes without a receipt are forgotten")
	}
	l.send(0, true, "their receipt")
	if l.after(2 * time.Second).received(l.now); l.behind() {
		t.Error("still behind")
	}
	l.send(100, true, "one that is lost")
	l.after(overdue-time.Second).waits(true, time.Second, "not yet overdue")
	l.after(time.Second).waits(true, 0, "overdue")
	l.send(100, true, "asked once more")
	l.waits(true, 0, "keys wait for no answer that may not come")
}

// TestFastLine: on a fast line frames have no bound, and none on a line of which
// only the way is long, after a few.
func TestFastLine(t *testing.T) {
	l := newLineAt(t)
	l.send(600, true, "the first frame")
	l.after(time.Millisecond).received(l.now)
	if n := l.budget(); n != 0 {
		t.Errorf("a fast line has a budget of %d", n)
	}
	far := newLineAt(t)
	const way, rate = 200 * time.Millisecond, 1_000_000
	for n := 0; n < 6 && (n == 0 || far.budget() > 0); n++ {
		size := max(far.budget(), 600)
		far.send(size, true, "a slice")
		far.after(way + time.Duration(size)*time.Second/rate).received(far.now)
	}
	if n := far.budget(); n > 0 && n < 12_000 {
		t.Errorf("a line with a long way has a budget of %d", n)
	}
}

// TestLineThatDoesNotAnswer: it is asked once, and frames flow after a while.
func TestLineThatDoesNotAnswer(t *testing.T) {
	l := newLineAt(t)
	l.send(600, true, "the first frame")
	for wait := trial; wait <= trial<<(trials-1); wait *= 2 {
		l.waits(true, 0, "a key")
		l.waits(false, wait, "the engines")
		l.after(wait).send(100, false, "asked once")
	}
	l.waits(false, 0, "as if nothing had been asked")
	l.send(100, false, "never again")
	if n := l.budget(); n != 0 {
		t.Errorf("the budget is %d", n)
	}
	l.received(l.now) // late
	if l.send(100, true, "it does answer"); !l.answers {
		t.Error("a late answer is dropped")
	}
}
