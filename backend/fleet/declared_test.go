package fleet

import (
	"strings"
	"testing"
	"time"

	"binnacle/backend/coord"
	"binnacle/backend/store/storetest"
	"binnacle/model/session"
)

// A session that somebody declared is on the map beside those that hooks report,
// with its paths, for as long as its lease lasts; it has no process to look for.
func TestDeclaredSessionsAreOnTheMap(t *testing.T) {
	w := newWorld(t)
	n := w.node("a")
	n.hook("s1", "UserPromptSubmit")
	c := coord.Open(n.store, coord.Options{Clock: n.clock.now})
	d, err := c.Start(bg(), coord.Start{
		Task: "parser", Paths: []string{"src/"}, Lease: time.Hour, Place: n.Here(), By: coord.Who{Name: "ada"},
	})
	must(t, err)
	if d.Machine != n.Machine() || d.View != n.repo || len(d.Base) != 40 {
		t.Errorf("it works at %q in %q from %q", d.Machine, d.View, d.Base)
	}
	n.fetch()
	p := n.push()
	raw := w.git(w.remote, "show", p.Commit+":live.json")
	if p.Rows != 2 || !strings.Contains(raw, d.ID) || !strings.Contains(raw, `"src/"`) {
		t.Errorf("published %d rows: %s", p.Rows, raw)
	}
	want := func(states map[string]string) {
		t.Helper()
		got := map[string]string{}
		for _, s := range sessionsOf(n.fleet(), n.Machine()) {
			got[s.Session] = s.State
		}
		for id, state := range states {
			if got[id] != state {
				t.Errorf("session %s is %q, want %q", id, got[id], state)
			}
		}
	}
	want(map[string]string{"s1": session.Working, d.ID: session.Working})
	if gone, err := n.SweepGone(bg()); err != nil || gone != 0 {
		t.Errorf("%d were swept, %v: it has no process that could be gone", gone, err)
	}
	n.clock.add(time.Hour)
	for _, s := range sessionsOf(n.fleet(), n.Machine()) {
		if s.Session == d.ID && s.State != session.Ended {
			t.Errorf("its lease is over, and it is %s", s.State)
		}
	}
	if ended, err := c.Reap(bg()); err != nil || ended != 1 {
		t.Errorf("%d were ended, %v", ended, err)
	}
	storetest.CheckWhole(t, n.store)
}
