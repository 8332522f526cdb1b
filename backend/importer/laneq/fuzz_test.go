package laneq

import (
	"strings"
	"testing"

	"binnacle/model/directive"
)

// FuzzRow: whatever a laneq database holds becomes a directive that the
// rules of a push allow, or is refused.
func FuzzRow(f *testing.F) {
	f.Add("1", []byte("body"), "pending", "2026-06-20T12:00:00Z", "w", "3", "1", "default", "1,2")
	f.Add("x", []byte{0xff}, "frozen", "now", "a\x1b", "-1", "0", "a/b", "x,1,1")
	f.Add("", []byte(""), "", "", "", "", "", "", "")
	f.Add("2", []byte("b"), "deferred", "2026-06-20T12:00:00Z", "", "9e9", "7", strings.Repeat("l", 80), "7 7")
	f.Fuzz(func(t *testing.T, priority string, body []byte, status, at, by, requeues, parent, lane, blocked string) {
		m := &mapper{
			now: 5, ids: map[int64]int64{}, next: 1, taken: func(int64) bool { return false },
			spill: func(int64, []byte) (string, error) { return "file", nil },
		}
		rows := []row{{id: 1, body: []byte("other"), status: "pending", priority: "1"}, {
			id: 7, priority: priority, body: body, status: status, created: at, taken: at, done: at, takenBy: by, leaseUntil: at,
			requeues: requeues, parent: parent, lane: lane, notBefore: at, blockedBy: blocked,
		}}
		if err := m.plan(rows); err != nil {
			t.Fatal(err)
		}
		d := m.all[1].d
		for _, err := range []error{directive.CheckBody(d.Body), directive.CheckLane(d.Lane), directive.CheckWhy(d.Reason)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if !directive.IsStatus(d.Status) || d.Status == directive.StatusDeferred && d.NotBefore == 0 && len(d.BlockedBy) == 0 {
			t.Fatalf("got %+v", d)
		}
	})
}
