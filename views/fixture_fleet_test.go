package views_test

import (
	"time"

	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/fleetmap"
	"binnacle/model/session"
	"binnacle/views"
	"binnacle/views/canvas"
	"binnacle/views/document"
)

// fleetView is a fleet with every state that a row can have.
func fleetView() *fleetmap.Picture {
	yes := true
	row := func(actor, tool, session, change, state string, paths ...string) *fleetmap.LiveRow {
		return &fleetmap.LiveRow{Actor: actor, Agent: tool, Session: session, Change: change, State: state, Paths: paths, Event: "PostToolUse", EventSeq: 41}
	}
	working := row("builder-2", "claude-code", "7f3c", "retry-policy", session.Working, "queue/retry.go", "docs/guide.md")
	working.Ctx = session.ContextUse{Used: 37_128, Max: 200_000}
	working.LastWrite, working.WriteAge, working.Base = "queue/retry.go", 4*time.Second, "f24566b36b11334d7352ac19308201418b3d9f18"
	full := row("reviewer", "codex", "019a", "", session.Waiting, "queue/retry.go")
	full.Ctx = session.ContextUse{Used: 250_000, Max: 258_400}
	v := &fleetmap.Picture{
		At: now,
		Map: fleetmap.Map{
			Repo: "harbour", Machine: "m-k3fabcdefg", FetchedAt: ago(12 * time.Second), FetchAge: 12 * time.Second,
			Machines: []fleetmap.Machine{
				{Machine: "m-k3fabcdefg", Self: true, Readable: true, Fresh: 2},
				{Machine: "m-9qdabcdefg", Readable: true, Agent: "ci", Signed: true, Age: 40 * time.Second, Fresh: 1},
				{Machine: "m-badbadbadb", Code: model.CodeUnsigned, Why: "the registry wants a signature and there is none", Readable: true, Age: 9 * time.Second},
				{Machine: "m-quietquiet", Readable: true, Age: 3 * time.Minute, Skew: 2 * time.Hour},
			},
			Sessions: []fleetmap.Session{
				{Machine: "m-k3fabcdefg", LiveRow: working, RowAge: 2 * time.Second, Behind: &yes},
				{Machine: "m-k3fabcdefg", LiveRow: row("builder-3", "gemini", "u1", "", session.Idle), RowAge: time.Minute},
				{Machine: "m-9qdabcdefg", LiveRow: full, RowAge: 44 * time.Second},
				{Machine: "m-k3fabcdefg", LiveRow: &fleetmap.LiveRow{Change: "docs-9", State: session.Untracked}, Reason: "held here, and no session's record names it"},
			},
		},
		Landings: []model.Event{event(18_100, 3*time.Minute, model.KindCoord, "fleet", "ref.landed", "f24566b36b11", "", `{"commit":"f24566b36b11334d","untrusted":{"ref":"main","paths":["queue/retry.go"]}}`)},
	}
	v.Collisions = fleetmap.Collisions(v.Map.Sessions)
	return v
}

// oddFleet says what no fleet should.
func oddFleet() *fleetmap.Picture {
	v := fleetView()
	v.Map.Sessions = append([]fleetmap.Session{{Machine: hostile, LiveRow: &fleetmap.LiveRow{
		Actor: wide, Agent: long, Session: hostile, Change: hostile, State: hostile, Paths: []string{hostile, wide, long},
		Ctx: session.ContextUse{Used: 1 << 60, Max: 1}, LastWrite: hostile,
	}, RowAge: -time.Hour, Reason: hostile}}, v.Map.Sessions...)
	v.Map.Machines = append(v.Map.Machines, fleetmap.Machine{Machine: long, Code: "X", Why: hostile})
	v.Map.Truncated = true
	yes := true
	v.Map.Behind = &yes
	v.Fault = hostile
	return v
}

func fleetShapes(focused canvas.Chrome) []shape {
	v := fleetView()
	return []shape{
		{"fleet-none", views.Fleet{}.Draw},
		{"fleet-never", views.Fleet{View: &fleetmap.Picture{Map: fleetmap.Map{Blocked: model.CodeNotFetched}, Fault: "no fetch of the remote's live refs is recorded, so this is not the fleet"}}.Draw},
		{"fleet-empty", views.Fleet{View: &fleetmap.Picture{At: now, Map: fleetmap.Map{FetchedAt: ago(time.Minute), FetchAge: time.Minute}}}.Draw},
		{"fleet-busy", views.Fleet{Chrome: focused, Cursor: views.Cursor{At: views.ID{Noun: views.NounSession, Key: "m-9qdabcdefg/019a"}}, View: v}.Draw},
		{"fleet-odd", views.Fleet{View: oddFleet()}.Draw},
		{"detail-session", func(s canvas.Size, l canvas.Look) string {
			return document.Detail{Of: desk.Detail{Session: &v.Map.Sessions[0], Fleet: v}, Link: -1}.Draw(focused, 0, s, l)
		}},
		{"detail-session-odd", func(s canvas.Size, l canvas.Look) string {
			o := oddFleet()
			return document.Detail{Of: desk.Detail{Session: &o.Map.Sessions[0], Fleet: o}, Link: -1}.Draw(focused, 0, s, l)
		}},
		{"detail-session-here", func(s canvas.Size, l canvas.Look) string {
			asks := *v.Map.Sessions[0].LiveRow
			asks.State, asks.Title, asks.Asks = session.Waiting, "retry the upload", "Bash make deploy"
			place := session.Place{TmuxPane: "%7", TTY: "/dev/pts/3", Branch: "fix/upload", Transcript: "/home/ada/.claude/7f3c.jsonl"}
			of := fleetmap.Session{Machine: "m-k3fabcdefg", LiveRow: &asks, RowAge: 14 * time.Minute, Place: &place}
			return document.Detail{Of: desk.Detail{Session: &of, Fleet: v}, Link: -1}.Draw(focused, 0, s, l)
		}},
		{"detail-session-seen", func(s canvas.Size, l canvas.Look) string {
			row := fleetmap.LiveRow{Session: "pid 4242", Agent: "codex", State: session.Seen, View: "/home/ada/harbour"}
			of := fleetmap.Session{Machine: "m-k3fabcdefg", LiveRow: &row, Reason: "not reporting: no hook of process 4242 was heard"}
			return document.Detail{Of: desk.Detail{Session: &of, Fleet: v}, Link: -1}.Draw(focused, 0, s, l)
		}},
		{"detail-machine", func(s canvas.Size, l canvas.Look) string {
			return document.Detail{Of: desk.Detail{Machine: &v.Map.Machines[3], Fleet: v}, Link: -1}.Draw(focused, 0, s, l)
		}},
	}
}
