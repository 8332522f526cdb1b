package fleetmap

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"binnacle/model"
	"binnacle/model/session"
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
