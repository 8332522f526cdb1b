package directive

import (
	"errors"
	"strings"
	"testing"
	"time"

	"binnacle/model"

	"pgregory.net/rapid"
)

func drawDirective(t *rapid.T) Directive {
	d := Directive{
		ID: rapid.Int64Range(1, 30).Draw(t, "id"), Priority: Priority(rapid.IntRange(0, 2).Draw(t, "priority")),
		Status: StatusPending, Since: model.Time(rapid.Int64Range(0, 4_000_000_000).Draw(t, "since")),
		Importance: rapid.Int64Range(-MaxImportance, MaxImportance).Draw(t, "importance"),
	}
	if rapid.Bool().Draw(t, "deadline") {
		d.Deadline = model.Time(rapid.Int64Range(1, 8_000_000_000).Draw(t, "at"))
	}
	return d
}

// TestAgeingNeverHurts: the longer a directive waits the sooner it goes, without
// bound, and with ageing off time changes nothing.
func TestAgeingNeverHurts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDirective(t)
		a := Ageing{Interval: time.Minute}
		now := model.Time(rapid.Int64Range(0, 1<<40).Draw(t, "now"))
		later := now + model.Time(rapid.Int64Range(0, 1<<40).Draw(t, "later"))
		if a.Effective(d, later) > a.Effective(d, now) {
			t.Fatalf("fell back from %d to %d", a.Effective(d, now), a.Effective(d, later))
		}
		if (Ageing{}).Effective(d, later) != int64(d.Priority) {
			t.Fatal("off, and it ages")
		}
		if next := later.Add(a.Interval); later >= d.Since && a.Effective(d, next) > a.Effective(d, later)-1 {
			t.Fatal("an interval gave no step")
		}
	})
}

func TestDeadlineSteps(t *testing.T) {
	a := Ageing{Interval: time.Minute}
	const now = model.Time(10_000_000_000)
	for left, want := range map[time.Duration]int64{
		4 * time.Minute: 0, 3 * time.Minute: 0, 3*time.Minute - 1000: 1, 2 * time.Minute: 1, time.Minute: 2, time.Second: 3,
		0: 3, -30 * time.Second: 3, -time.Minute: 4, -10 * time.Minute: 13,
	} {
		d := Directive{Priority: P2, Status: StatusPending, Since: now, Deadline: now.Add(left)}
		if got := int64(P2) - a.Effective(d, now); got != want {
			t.Errorf("%s before the deadline: %d steps, want %d", left, got, want)
		}
	}
}

func TestFindCycleBounds(t *testing.T) {
	_, err := FindCycle(1, []int64{2}, func(id int64) ([]int64, error) { return []int64{id + 1, id + 2}, nil })
	if model.CodeOf(err) != model.CodeRefused {
		t.Fatalf("an endless graph: %v", err)
	}
	broken := errors.New("broken")
	if _, err := FindCycle(1, []int64{2}, func(int64) ([]int64, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Fatalf("got %v", err)
	}
	long := make([]int64, 40)
	if got := CyclePath(long); strings.Count(got, "#") != 16 || !strings.Contains(got, "24 more") {
		t.Fatalf("got %s", got)
	}
}

func TestDirectiveLine(t *testing.T) {
	at, _ := model.ParseTime("2026-11-30T20:35:43.999999Z")
	cases := []struct {
		d    Directive
		want string
	}{
		{Directive{ID: 1, Priority: P1, Lane: "default", Status: StatusPending, Body: "\n  one \ntwo"}, "#1    P1  one "},
		{
			Directive{ID: 12345, Priority: P0, Lane: "release", Status: StatusTaken, TakenBy: "w", LeaseUntil: at, RequeueCount: 2, Body: "b"},
			"#12345 P0 <taken> lane=release by=w lease=2026-11-30T20:35:43Z requeues=2  b",
		},
		{
			Directive{ID: 2, Priority: P2, Lane: "default", Status: StatusDeferred, NotBefore: at, BlockedBy: []int64{3, 4}, Body: strings.Repeat("é", 71)},
			"#2    P2 <deferred> not_before=2026-11-30T20:35:43Z blocked_by=3,4  " + strings.Repeat("é", 70) + "...",
		},
		{Directive{ID: 3, Priority: P1, Lane: "default", Status: StatusDone, TakenBy: "w", Body: "b"}, "#3    P1 <done>  b"},
	}
	for _, c := range cases {
		if got := Line(c.d, model.Reading{}, nil); got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
	if got := Line(cases[1].d, model.Reading{Wall: at}, nil); !strings.Contains(got, " lapsed ") {
		t.Errorf("got %q", got)
	}
	hostile := Directive{ID: 1, Lane: "default", Status: StatusTaken, TakenBy: "a\x1b[2J", Body: "b\x9b\u202e\x1b]52;c;x"}
	line := Line(hostile, model.Reading{}, nil) + Heading(hostile, nil) + ThreadLine(hostile)
	if strings.ContainsAny(line, "\x1b\u009b\u202e") {
		t.Errorf("hostile text came through: %q", line)
	}
	want := "#1 [P0] taken lane=default parent=- taken_by=w lease_until=- requeues=0 not_before=- blocked_by=- created=- taken=- done=-"
	if got := Heading(Directive{ID: 1, Lane: "default", Status: StatusTaken, TakenBy: "w"}, nil); got != want {
		t.Errorf("got %q", got)
	}
}

func TestWhySentencesAreClean(t *testing.T) {
	for _, s := range Machine().States() {
		w := Why{
			Directive: Directive{ID: 4, Status: s, Lane: "default", TakenBy: "\x1b[2J", Reason: "\u202e", RequeueCount: 1, Lapses: 2},
			At:        50_000_000, Rank: 2, Line: 9, Ahead: []int64{3}, Blocks: []int64{9}, MaxAttempts: 10,
			Blockers: []Blocker{{ID: 8}, {ID: 9, Status: StatusTaken}},
		}
		got := strings.Join(w.Sentences(nil), "\n")
		if strings.ContainsAny(got, "\x1b\u202e") || !strings.Contains(got, "#4") {
			t.Errorf("%s: %q", s, got)
		}
	}
}
