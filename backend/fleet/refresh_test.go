package fleet

import (
	"context"
	"os"
	"testing"
	"time"

	"binnacle/backend/clock"
	"binnacle/backend/fleet/hooks"
	"binnacle/model"
	"binnacle/model/session"
)

// metBefore is a push that was answered so long ago, after so many failures.
func metBefore(n *node, ago time.Duration, fails int) met {
	at := n.clock.now()
	at.Up, at.Wall = at.Up-ago, at.Wall.Add(-ago)
	return met{At: &at, Fails: fails}
}

func TestWhenASummaryIsRefreshed(t *testing.T) {
	n := local(t)
	window := n.opts.Window
	quiet := sleeper(t)
	n.feed(hooks.ToolClaude, quiet.Process.Pid, ev("a", "PermissionRequest"))
	due := func(m met) bool {
		var looked model.Reading
		return n.refreshDue(bg(), m, &looked)
	}
	for name, c := range map[string]struct {
		m    met
		want bool
	}{
		"nothing was published yet":         {met{}, false},
		"less than half a window ago":       {metBefore(n, window/2-time.Second, 0), false},
		"half a window ago":                 {metBefore(n, window/2, 0), true},
		"a failure, and its pause":          {metBefore(n, pause(1), 1), true},
		"a failure, and less than a pause":  {metBefore(n, pause(1)-time.Second, 1), false},
		"many failures, and a short pause":  {metBefore(n, window/2, 5), false},
		"many failures, and a longer pause": {metBefore(n, pause(5), 5), true},
	} {
		if got := due(c.m); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	looked := n.clock.now()
	n.clock.add(n.opts.Heartbeat - time.Second)
	if n.refreshDue(bg(), metBefore(n, window, 0), &looked) {
		t.Error("the database is asked again within a heartbeat")
	}
	n.clock.add(time.Second)
	if !n.refreshDue(bg(), metBefore(n, window, 0), &looked) {
		t.Error("it is not asked again after a heartbeat")
	}
	// Nobody is kept alive by a process that is gone, or by another's.
	must(t, quiet.Process.Kill())
	_ = quiet.Wait()
	if due(metBefore(n, window, 0)) {
		t.Error("refreshed for a process that is gone")
	}
}

// A session that waits without a word is shown on other machines for as long as
// its process lives, with its true age; the summary that says so is published
// again and again, without an event, and also after the remote was away.
func TestAQuietSessionStaysOnOtherMachines(t *testing.T) {
	w := newWorld(t)
	const window = 3 * time.Second
	fast := func(o *Options) {
		o.Window, o.Heartbeat, o.FetchEvery, o.Clock = window, 100*time.Millisecond, -1, clock.Machine()
	}
	a, b := w.node("a", fast), w.node("b", func(o *Options) { o.Clock = clock.Machine() })
	ctx, cancel := context.WithCancel(bg())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	defer func() { cancel(); must(t, <-ended) }()
	begin := time.Now()
	a.feed(hooks.ToolClaude, os.Getpid(), ev("s", "PermissionRequest"))
	seqs := map[string]bool{}
	eventually(t, "its summary is published three times", func() bool {
		if id := w.remoteRef("refs/bay/live/m-a"); id != "" {
			seqs[id] = true
		}
		return len(seqs) == 3
	})
	b.fetch()
	s := sessionsOf(b.fleet(), "m-a")
	if len(s) != 1 || s[0].State != session.Waiting || s[0].EventSeq != 1 || !s[0].Alive {
		t.Fatalf("%+v", s)
	}
	if age, real := s[0].RowAge, time.Since(begin); age < window-time.Second || age > real {
		t.Errorf("its age is %v after %v", age, real)
	}
}
