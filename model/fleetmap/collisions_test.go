package fleetmap

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"binnacle/model"
	"binnacle/model/session"

	"pgregory.net/rapid"
)

// crowd is n sessions on one path: n(n-1)/2 collisions.
func crowd(n int) Map {
	m := Map{Machine: "m-self"}
	for i := range n {
		row := &LiveRow{Session: fmt.Sprint("s", i), State: session.Working, Paths: []string{"src/a"}}
		m.Sessions = append(m.Sessions, Session{Machine: "m-x", LiveRow: row})
	}
	return m
}

// Every collision is counted; where a list ends before they do, that is said.
func TestAllCollisionsAreCountedAndInTheJSON(t *testing.T) {
	for _, c := range []struct {
		sessions, total, listed int
		more                    bool
	}{
		{0, 0, 0, false},
		{2, 1, 1, false},
		{20, 190, 190, false},
		{100, 4950, 1000, false},
		{200, 10_000, 1000, true},
	} {
		m := crowd(c.sessions)
		if list, more := CountCollisions(m.Sessions); len(list) != c.total || more != c.more {
			t.Errorf("%d sessions: %d collisions, more is %v", c.sessions, len(list), more)
		}
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		var got struct {
			Collisions []Collision `json:"collisions"`
			Total      int         `json:"collisions_total"`
			More       bool        `json:"collisions_more"`
		}
		if err := json.Unmarshal(raw, &got); err != nil {
			t.Fatal(err)
		}
		if got.Collisions == nil || len(got.Collisions) != c.listed || got.Total != c.total || got.More != c.more {
			t.Errorf("%d sessions: %d listed, %d in all, more is %v", c.sessions, len(got.Collisions), got.Total, got.More)
		}
	}
}

func TestAgoIsPartOfASentence(t *testing.T) {
	for d, want := range map[time.Duration]string{-time.Hour: "just now", 0: "just now", time.Second: "1s ago", 3 * time.Hour: "3h ago"} {
		if got := model.Ago(d); got != want {
			t.Errorf("%v is %q, not %q", d, got, want)
		}
	}
}

// Two sessions collide exactly where two of their paths overlap, as the feed's
// readers of paths see it.
func TestCollisionsAreOverlaps(t *testing.T) {
	path := rapid.SampledFrom([]string{
		"./", ".", "src/", "src", "src/parser/", "src/parser/lex.go", "src/pa*", "src/*.go", "src/p", "srcs/", "*", "docs/{a,b}/", "docs/a/x", "src/parser",
	})
	rapid.Check(t, func(t *rapid.T) {
		var all []Session
		for i := range rapid.IntRange(0, 6).Draw(t, "sessions") {
			row := &LiveRow{Session: fmt.Sprint("s", i), State: session.Working, Paths: rapid.SliceOfN(path, 0, 4).Draw(t, "paths")}
			all = append(all, Session{Machine: "m", LiveRow: row})
		}
		got := map[[2]string]bool{}
		for _, c := range Collisions(all) {
			got[[2]string{c.A, c.B}] = true
		}
		for i := range all {
			for j := range all[:i] {
				want := slices.ContainsFunc(all[i].Paths, func(p string) bool {
					return slices.ContainsFunc(all[j].Paths, func(q string) bool { return session.Overlap(p, q) })
				})
				if pair := [2]string{KeyOf(all[j]), KeyOf(all[i])}; got[pair] != want {
					t.Fatalf("%q and %q collide: %v", all[j].Paths, all[i].Paths, got[pair])
				}
			}
		}
	})
}
