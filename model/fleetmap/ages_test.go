package fleetmap

import (
	"testing"
	"time"

	"binnacle/model"
	"binnacle/model/session"

	"pgregory.net/rapid"
)

func reading(boot string, up, wall time.Duration) model.Reading {
	return model.Reading{Boot: boot, Up: up, Wall: model.Time(1e15).Add(wall)}
}

const sec = time.Second

func TestElapsed(t *testing.T) {
	start := reading("a", 1000*sec, 0)
	for _, c := range []struct {
		name string
		to   model.Reading
		want time.Duration
	}{
		{"row 13: wall an hour forward", reading("a", 1050*sec, time.Hour), 50 * sec},
		{"row 13: wall an hour back", reading("a", 1050*sec, -time.Hour), 50 * sec},
		{"row 14: suspended", reading("a", 1600*sec, 600*sec), 600 * sec},
		{"row 15: reboot, wall +90, up 20", reading("b", 20*sec, 90*sec), 90 * sec},
		{"row 16: reboot, wall went back, up 45", reading("b", 45*sec, -time.Hour), 45 * sec},
		{"row 17: reading before the record", reading("a", 990*sec, -10*sec), 0},
	} {
		if got := Elapsed(start, c.to); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func TestElapsedIsNeverNegative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		any := func(label string) model.Reading {
			return model.Reading{
				Boot: rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, label+" boot"),
				Up:   time.Duration(rapid.Int64Range(0, 1e18).Draw(t, label+" up")),
				Wall: model.Time(rapid.Int64Range(0, 1e16).Draw(t, label+" wall")),
			}
		}
		a, b := any("a"), any("b")
		if Elapsed(a, b) < 0 {
			t.Fatalf("%v to %v: %v", a, b, Elapsed(a, b))
		}
	})
}

// scene is one map of the age table, with a summary whose one row was aged
// when it was written.
type scene struct {
	first, fetched, now model.Reading
	rows                []LiveRow
	local               []LocalSession
	changes             []Change
	code                model.Code
	behind              func(change, base string) *bool
	noFetch, truncated  bool
}

func (s scene) join() Map {
	in := Input{
		Self: "m-self", Now: s.now, Window: DefaultWindow, Fetched: &s.fetched, Local: s.local, Changes: s.changes,
		Behind: s.behind, Truncated: s.truncated,
		Machines: []SeenMachine{{
			Name: "m-other", Readable: true, Code: s.code, First: s.first,
			Live: Live{Machine: "m-other", Rows: s.rows},
		}},
	}
	if s.code != "" {
		in.Machines[0].Live.Rows = nil
	}
	if s.noFetch {
		in.Fetched = nil
	}
	return Join(in)
}

func row(id string, age time.Duration) LiveRow {
	return LiveRow{Session: id, Actor: "ada", Agent: "codex", State: session.Working, Age: age}
}

func at(d time.Duration) model.Reading { return reading("self", time.Hour+d, d) }

func TestAgeTable(t *testing.T) {
	one := func(age time.Duration) []LiveRow { return []LiveRow{row("s", age)} }
	age := func(m Map) time.Duration {
		if len(m.Sessions) != 1 {
			return -1
		}
		return m.Sessions[0].RowAge
	}
	for _, c := range []struct {
		name    string
		scene   scene
		row     time.Duration // -1: none listed
		machine time.Duration
		fetch   time.Duration
		behind  bool
	}{
		{"2: first fetch", scene{first: at(0), fetched: at(0), now: at(0), rows: one(5 * sec)}, 5 * sec, 0, 0, false},
		{"3: +30 s, no fetch", scene{first: at(0), fetched: at(0), now: at(30 * sec), rows: one(5 * sec)}, 35 * sec, 30 * sec, 30 * sec, false},
		{"4: refetched, unchanged", scene{first: at(0), fetched: at(60 * sec), now: at(60 * sec), rows: one(5 * sec)}, 65 * sec, 60 * sec, 0, false},
		{"5: 119.999", scene{first: at(0), fetched: at(0), now: at(0), rows: one(119999 * time.Millisecond)}, 119999 * time.Millisecond, 0, 0, false},
		{"5: 120", scene{first: at(0), fetched: at(0), now: at(0), rows: one(120 * sec)}, -1, 0, 0, false},
		{"6: fetch age 119", scene{first: at(0), fetched: at(0), now: at(119 * sec), rows: one(0)}, 119 * sec, 119 * sec, 119 * sec, false},
		{"6: fetch age 120", scene{first: at(0), fetched: at(0), now: at(120 * sec), rows: one(0)}, -1, 120 * sec, 120 * sec, true},
		{"7: new blob at 200", scene{first: at(200 * sec), fetched: at(200 * sec), now: at(201 * sec), rows: one(3 * sec)}, 4 * sec, sec, sec, false},
		{"14: suspended 600 s", scene{first: at(0), fetched: at(0), now: at(600 * sec), rows: one(0)}, -1, 600 * sec, 600 * sec, true},
		{"9, 31: no sessions for a reason", scene{first: at(0), fetched: at(0), now: at(0), rows: one(0), code: model.CodeReplayed}, -1, 0, 0, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := c.scene.join()
			if got := age(m); got != c.row {
				t.Errorf("row age %v, want %v", got, c.row)
			}
			if len(m.Machines) != 1 || m.Machines[0].Age != c.machine {
				t.Errorf("machines %+v, want one of age %v", m.Machines, c.machine)
			}
			if m.FetchAge != c.fetch || (m.Behind != nil) != c.behind || m.Behind != nil && !*m.Behind {
				t.Errorf("fetch age %v behind %v, want %v %v", m.FetchAge, m.Behind, c.fetch, c.behind)
			}
			if c.row < 0 && (len(m.Actors) != 0 || m.Machines[0].Fresh != 0) {
				t.Errorf("actors %v, fresh %d without a session", m.Actors, m.Machines[0].Fresh)
			}
		})
	}
}

func TestRow1NeverFetched(t *testing.T) {
	m := scene{now: at(0), rows: []LiveRow{row("s", 0)}, noFetch: true, local: []LocalSession{{State: session.Idle, Row: row("l", 0)}}}.join()
	if m.Blocked != model.CodeNotFetched || len(m.Machines)+len(m.Sessions)+len(m.Actors) != 0 {
		t.Fatalf("%+v", m)
	}
	if model.Exit(model.Errorf(model.CodeNotFetched, "x")) != 10 {
		t.Fatal("exit is not 10")
	}
}

func TestRow21OwnRowDropped(t *testing.T) {
	for _, c := range []struct {
		age  time.Duration
		want int
	}{{119 * sec, 1}, {120 * sec, 0}} {
		m := scene{first: at(0), fetched: at(0), now: at(0), local: []LocalSession{{State: session.Working, Row: row("l", c.age)}}}.join()
		if len(m.Sessions) != c.want {
			t.Errorf("age %v: %d sessions, want %d", c.age, len(m.Sessions), c.want)
		}
	}
}

func TestRow20OwnMachineInTheFetch(t *testing.T) {
	now := at(0)
	m := Join(Input{
		Self: "m-self", Now: now, Window: DefaultWindow, Fetched: &now,
		Machines: []SeenMachine{{Name: "m-self", Readable: true, First: now, Live: Live{Machine: "m-self", Rows: []LiveRow{row("published", 0)}}}},
		Local:    []LocalSession{{State: session.Idle, Row: row("local", sec)}},
	})
	if len(m.Sessions) != 1 || m.Sessions[0].Session != "local" || len(m.Machines) != 1 || !m.Machines[0].Self {
		t.Fatalf("%+v", m)
	}
}

func TestRow25NoRefs(t *testing.T) {
	now := at(0)
	m := Join(Input{Self: "m-self", Now: now, Window: DefaultWindow, Fetched: &now, Local: []LocalSession{{State: session.Idle, Row: row("local", 0)}}})
	if m.Blocked != "" || len(m.Sessions) != 1 || m.Behind != nil {
		t.Fatalf("%+v", m)
	}
}

func TestRow26Behind(t *testing.T) {
	yes, no := true, false
	answers := map[string]*bool{"b1": &no, "b2": &yes, "b3": nil}
	for base, want := range answers {
		r := row("s", 0)
		r.Change, r.Base = "c", base
		m := scene{first: at(0), fetched: at(0), now: at(0), rows: []LiveRow{r}, behind: func(_, b string) *bool { return answers[b] }}.join()
		if got := m.Sessions[0].Behind; got != want {
			t.Errorf("base %s: %v, want %v", base, got, want)
		}
	}
	m := scene{first: at(0), fetched: at(0), now: at(0), rows: []LiveRow{row("s", 0)}, behind: func(_, _ string) *bool { return &yes }}.join()
	if m.Sessions[0].Behind != nil {
		t.Error("a session without a change is behind")
	}
}

func TestRows27To30HeldChanges(t *testing.T) {
	held := func(machine string) []Change {
		return []Change{{ID: "c", State: ChangeHeld, Holder: Holder{Machine: machine, Actor: "ada"}, View: View{Machine: machine, Path: "/w"}}}
	}
	named := func(state string, age time.Duration) []LocalSession {
		r := row("l", age)
		r.Change = "c"
		return []LocalSession{{State: state, Row: r}}
	}
	for _, c := range []struct {
		name    string
		changes []Change
		local   []LocalSession
		want    string // "" for no entry
	}{
		{"27: view here, no record names it", held("m-self"), []LocalSession{{State: session.Idle, Row: row("x", 200*sec)}}, session.Untracked},
		{"28: view elsewhere, no fresh row", held("m-other"), nil, session.Unknown},
		{"29: its session here ended", held("m-self"), named(session.Ended, sec), ""},
		{"30: stale, not ended", held("m-self"), named(session.Working, 200*sec), session.Unknown},
		{"one ended, one stale", held("m-self"), append(named(session.Ended, sec), named(session.Working, 200*sec)...), session.Unknown},
		{"a change that is only open", []Change{{ID: "c", State: ChangeOpen, View: View{Machine: "m-self"}}}, nil, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := scene{first: at(0), fetched: at(0), now: at(0), changes: c.changes, local: c.local}.join()
			got := ""
			for _, s := range m.Sessions {
				if s.Change == "c" {
					got = s.State
					if s.Reason == "" {
						t.Error("no reason")
					}
				}
			}
			if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	fresh := named(session.Working, sec)
	m := scene{first: at(0), fetched: at(0), now: at(0), changes: held("m-self"), local: fresh}.join()
	if len(m.Sessions) != 1 || m.Sessions[0].State != session.Working {
		t.Errorf("a fresh session that names it: %+v", m.Sessions)
	}
}

func TestRow24Truncated(t *testing.T) {
	if m := (scene{first: at(0), fetched: at(0), now: at(0), truncated: true}).join(); !m.Truncated {
		t.Fatal("not said")
	}
}

func TestActorsAcrossMachines(t *testing.T) {
	now := at(0)
	other := func(name string, rows ...LiveRow) SeenMachine {
		return SeenMachine{Name: name, Readable: true, First: now, Live: Live{Machine: name, Rows: rows}}
	}
	bob := row("b", 2*sec)
	bob.Actor = "bob"
	m := Join(Input{
		Self: "m-m", Now: now, Window: DefaultWindow, Fetched: &now,
		Machines: []SeenMachine{other("m-a", row("1", 9*sec), row("2", 4*sec)), other("m-z", row("3", 5*sec), bob)},
		Local:    []LocalSession{{State: session.Idle, Row: row("l", 3*sec)}},
	})
	if len(m.Actors) != 2 || m.Actors[0].Actor != "ada" || m.Actors[0].Age != 3*sec || len(m.Actors[0].Machines) != 3 {
		t.Fatalf("%+v", m.Actors)
	}
	for i, want := range []string{"m-a", "m-m", "m-z"} {
		if m.Machines[i].Machine != want {
			t.Fatalf("machines %+v", m.Machines)
		}
	}
}

func TestSeqSurvivesALostState(t *testing.T) {
	if got := NextSeq(5, model.Time(7000000)); got != 7000 {
		t.Fatal(got)
	}
	if got := NextSeq(9000, model.Time(7000000)); got != 9001 {
		t.Fatal(got)
	}
}
