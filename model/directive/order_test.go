package directive

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"binnacle/model"
	"binnacle/model/modeltest"

	"pgregory.net/rapid"
)

func TestAgeingOff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ds := anyLine(t)
		Ageing{}.Sort(ds, noon)
		for i := 1; i < len(ds); i++ {
			a, b := ds[i-1], ds[i]
			if a.Priority > b.Priority || a.Priority == b.Priority && a.ID >= b.ID {
				t.Fatalf("#%d %s stands before #%d %s", a.ID, a.Priority, b.ID, b.Priority)
			}
		}
	})
}

func anyLine(t *rapid.T) []Directive {
	ids := rapid.Permutation([]int64{1, 2, 3, 4, 5, 6}).Draw(t, "ids")
	ds := make([]Directive, len(ids))
	for i, id := range ids {
		ds[i] = Directive{
			ID: id, Status: StatusPending, Priority: Priority(rapid.IntRange(0, 2).Draw(t, "priority")),
			Since: noon - model.Time(rapid.Int64Range(0, 7200e6).Draw(t, "waited")), Importance: rapid.Int64Range(-9, 9).Draw(t, "importance"),
		}
	}
	return ds
}

func TestAgeing(t *testing.T) {
	half := Ageing{Interval: 30 * time.Minute}
	minute := model.Time(60e6)
	tests := []struct {
		name string
		d    Directive
		want int64
	}{
		{"fresh", Directive{Status: StatusPending, Priority: P2, Since: noon}, 2},
		{"29 minutes", Directive{Status: StatusPending, Priority: P2, Since: noon - 29*minute}, 2},
		{"30 minutes", Directive{Status: StatusPending, Priority: P2, Since: noon - 30*minute}, 1},
		{"two hours", Directive{Status: StatusPending, Priority: P2, Since: noon - 120*minute}, -2},
		{"a clock that went back", Directive{Status: StatusPending, Priority: P1, Since: noon + 120*minute}, 1},
		{"not pending", Directive{Status: StatusDeferred, Priority: P2, Since: noon - 120*minute}, 2},
		{"importance", Directive{Status: StatusPending, Priority: P2, Since: noon, Importance: 2}, 0},
		{"unimportance", Directive{Status: StatusPending, Priority: P1, Since: noon, Importance: -3}, 4},
		{"deadline far", Directive{Status: StatusPending, Priority: P2, Since: noon, Deadline: noon + 90*minute}, 2},
		{"deadline near", Directive{Status: StatusPending, Priority: P2, Since: noon, Deadline: noon + 89*minute}, 1},
		{"deadline now", Directive{Status: StatusPending, Priority: P2, Since: noon, Deadline: noon}, -1},
		{"deadline gone", Directive{Status: StatusPending, Priority: P2, Since: noon, Deadline: noon - 60*minute}, -3},
	}
	for _, tt := range tests {
		if got := half.Effective(tt.d, noon); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
		if got := (Ageing{}).Effective(tt.d, noon); got != int64(tt.d.Priority) {
			t.Errorf("%s, ageing off: %d", tt.name, got)
		}
	}
}

// TestAgeingNeverStarves: whatever comes, what waits long enough goes first.
func TestAgeingNeverStarves(t *testing.T) {
	a := Ageing{Interval: time.Hour}
	old := Directive{ID: 9, Status: StatusPending, Priority: P2, Since: noon}
	for h := model.Time(0); h < 48; h++ {
		now := noon + h*3600e6
		fresh := Directive{ID: 10, Status: StatusPending, Priority: P0, Since: now}
		if first := a.Compare(old, fresh, now) < 0; first != (h >= 2) {
			t.Fatalf("after %d hours the old one is first: %v", h, first)
		}
	}
}

func TestAgeingIsATotalOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := Ageing{Interval: time.Duration(rapid.IntRange(0, 3600).Draw(t, "seconds")) * time.Second}
		ds := anyLine(t)
		a.Sort(ds, noon)
		for i := range ds {
			for j := range ds {
				if got := a.Compare(ds[i], ds[j], noon); (got < 0) != (i < j) || (got == 0) != (i == j) {
					t.Fatalf("%d and %d compare as %d", i, j, got)
				}
			}
		}
	})
}

func TestReady(t *testing.T) {
	d := Directive{Status: StatusDeferred, NotBefore: noon}
	done, open := Blocker{5, StatusDone}, Blocker{6, StatusTaken}
	for _, tt := range []struct {
		name     string
		d        Directive
		blockers []Blocker
		now      model.Time
		want     bool
	}{
		{"its time has come", d, nil, noon, true},
		{"a microsecond early", d, nil, noon - 1, false},
		{"blockers done and dropped", d, []Blocker{done, {7, StatusDropped}}, noon, true},
		{"one is open", d, []Blocker{done, open}, noon, false},
		{"one is parked", d, []Blocker{{7, StatusParked}}, noon, false},
		{"one does not exist", d, []Blocker{{8, ""}}, noon, false},
		{"not deferred", Directive{Status: StatusPending}, nil, noon, false},
	} {
		if got := tt.d.Ready(tt.blockers, tt.now); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestFindCycle(t *testing.T) {
	graph := map[int64][]int64{2: {3}, 3: {4, 5}, 5: {1}, 6: {7}, 7: {6}}
	edges := func(id int64) ([]int64, error) { return graph[id], nil }
	for _, tt := range []struct {
		start   int64
		targets []int64
		want    string
	}{
		{1, []int64{1}, "#1 -> #1"},
		{1, []int64{9, 2}, "#1 -> #2 -> #3 -> #5 -> #1"},
		{1, []int64{4, 6}, ""},
		{1, nil, ""},
	} {
		got, err := FindCycle(tt.start, tt.targets, edges)
		if err != nil || CyclePath(got) != tt.want {
			t.Errorf("%d -> %v: %s (%v), want %q", tt.start, tt.targets, CyclePath(got), err, tt.want)
		}
	}
	broken := errors.New("broken")
	if _, err := FindCycle(1, []int64{2}, func(int64) ([]int64, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if _, err := FindCycle(1, []int64{2}, func(id int64) ([]int64, error) { return []int64{id + 1, id + 2}, nil }); model.CodeOf(err) != model.CodeRefused {
		t.Errorf("a graph without end: %v", err)
	}
	if e := RefuseCycle([]int64{4, 4}, "blocked by"); e.Message != "#4 can't be blocked by itself" {
		t.Error(e)
	}
	if e := RefuseCycle([]int64{4, 9, 4}, "blocked by"); !strings.Contains(e.Message, "#4 -> #9 -> #4") || e.Hint == "" {
		t.Error(e)
	}
	long := make([]int64, 100)
	if s := CyclePath(long); strings.Count(s, "#") != 16 || !strings.Contains(s, "84 more") {
		t.Error(s)
	}
}

// TestFindCycleFindsExactly: a cycle is found when there is one, and what is
// found is one.
func TestFindCycleFindsExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		graph := map[int64][]int64{}
		id := rapid.Int64Range(1, 8)
		for range rapid.IntRange(0, 12).Draw(t, "edges") {
			from := id.Draw(t, "from")
			graph[from] = append(graph[from], id.Draw(t, "to"))
		}
		targets := rapid.SliceOfN(id, 0, 3).Draw(t, "targets")
		graph[1] = nil // the new directive has no edges yet
		reach := map[int64]bool{}
		var walk func(int64)
		walk = func(n int64) {
			if !reach[n] {
				reach[n] = true
				for _, m := range graph[n] {
					walk(m)
				}
			}
		}
		for _, n := range targets {
			walk(n)
		}
		path, err := FindCycle(1, targets, func(id int64) ([]int64, error) { return graph[id], nil })
		if err != nil || (path != nil) != reach[1] {
			t.Fatalf("%v from %v: %v (%v)", graph, targets, path, err)
		}
		for i := 1; i < len(path); i++ {
			out := graph[path[i-1]]
			if i == 1 {
				out = targets
			}
			if !slices.Contains(out, path[i]) {
				t.Fatalf("%v is no way in %v from %v", path, graph, targets)
			}
		}
		if path != nil && (path[0] != 1 || path[len(path)-1] != 1) {
			t.Fatalf("%v", path)
		}
	})
}

func TestThread(t *testing.T) {
	th := Thread{Root: 4, Total: 2, Open: 1, Items: []Directive{{ID: 4, Status: StatusDone}, {ID: 5, Status: StatusParked}}}
	if th.Line() != "thread #4 open total=2 open=1" || len(th.OpenItems()) != 1 || th.OpenItems()[0].ID != 5 {
		t.Errorf("%s %v", th.Line(), th.OpenItems())
	}
	th.Open = 0
	if th.Status() != "done" {
		t.Error(th.Status())
	}
}

func TestDirectiveLines(t *testing.T) {
	d := Directive{
		ID: 7, Priority: P0, Lane: "release", Body: "\n  fix \x1b[2J it\nand more", Status: StatusTaken, TakenBy: "b\u202e2",
		LeaseUntil: noon, RequeueCount: 2, CreatedAt: noon - 60e6,
	}
	if got, want := Line(d, model.Reading{Wall: noon - 1}, nil), "#7    P0 <taken> lane=release by=b<202e>2 lease=2026-06-20T12:00:00Z requeues=2  fix ␛[2J it"; got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if got := Line(d, model.Reading{Wall: noon}, nil); !strings.Contains(got, " lapsed") {
		t.Errorf("got %q", got)
	}
	d.BlockedBy, d.NotBefore, d.Status, d.TakenBy, d.LeaseUntil, d.RequeueCount, d.Lane = []int64{3, 4}, noon, StatusDeferred, "", 0, 0, DefaultLane
	if got, want := Line(d, model.Reading{Wall: noon}, nil), "#7    P0 <deferred> not_before=2026-06-20T12:00:00Z blocked_by=3,4  fix ␛[2J it"; got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if got := (Directive{Body: strings.Repeat("é", 71)}).Summary(); got != strings.Repeat("é", 70)+"..." {
		t.Errorf("got %q", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		d := Directive{Body: modeltest.Hostile().Draw(t, "body"), Lane: modeltest.Hostile().Draw(t, "lane"), TakenBy: modeltest.Hostile().Draw(t, "by"), Status: StatusTaken}
		for _, line := range []string{Line(d, model.Reading{Wall: noon}, nil), Heading(d, nil), ThreadLine(d)} {
			for _, r := range line {
				if r < 0x20 || r == 0x7f || r >= 0x80 && r < 0xa0 || r == '\u202e' || r == '\u200b' {
					t.Fatalf("%U in %q", r, line)
				}
			}
		}
	})
}

func TestWhySentences(t *testing.T) {
	minute := model.Time(60e6)
	tests := []struct {
		name string
		why  Why
		want []string
	}{
		{"next", Why{Directive: Directive{ID: 4, Status: StatusPending, Lane: "default", Priority: P1, Since: noon - 3*minute}, Rank: 1, Line: 3}, []string{
			"#4 is next in lane default.", "Its priority is P1; it has been pending for 3m.",
		}},
		{"in line", Why{
			Directive: Directive{ID: 4, Status: StatusPending, Lane: "default", Priority: P2, Since: noon - 3*minute, RequeueCount: 1, Lapses: 2},
			Rank:      13, Line: 20, Ahead: []int64{1, 2}, Effective: 1, Interval: 90 * time.Second, MaxAttempts: 10, Blocks: []int64{8},
		}, []string{
			"#4 is number 13 of 20 in lane default.", "Ahead of it: #1, #2 and 10 more.", "Its priority is P2; it has been pending for 3m.",
			"Ageing (1m30s a step), importance and deadline put it 1 step ahead of its priority.", "It came back to the line once.",
			"Its lease ran out 2 times; at 10 it is parked.", "Waiting for it: #8.",
		}},
		{"taken", Why{Directive: Directive{ID: 4, Status: StatusTaken, TakenBy: "b\x1b", TakenAt: noon - minute, Attempt: 2, LeaseUntil: noon + 5*minute}}, []string{
			"#4 has been held by b␛ for 1m (attempt 2).", "Its lease runs until 2026-06-20 12:05:00 +00:00, for another 5:00.",
		}},
		{"lapsed", Why{Directive: Directive{ID: 4, Status: StatusTaken, TakenAt: noon, LeaseUntil: noon}, Due: true}, []string{
			"#4 has been held by somebody without a name for less than a second (attempt 0).", "Its lease ran out at 2026-06-20 12:00:00 +00:00; the next write takes it back.",
		}},
		{"deferred", Why{
			Directive: Directive{ID: 4, Status: StatusDeferred, NotBefore: noon + minute, Reason: "later"},
			Blockers:  []Blocker{{5, StatusTaken}, {6, StatusDone}, {7, ""}},
		}, []string{"#4 is deferred (later): it waits until 2026-06-20 12:01:00 +00:00, in 1:00 and for #5, which is taken and for #7, which does not exist."}},
		{"due", Why{Directive: Directive{ID: 4, Status: StatusDeferred, Lane: "x"}, Due: true}, []string{"#4 was deferred and is due now; the next write in lane x puts it into the line."}},
		{"parked", Why{Directive: Directive{ID: 4, Status: StatusParked, Since: noon - minute, Reason: "hold"}}, []string{"#4 has been parked for 1m (hold): nobody is given it until it is unparked."}},
		{"done", Why{Directive: Directive{ID: 4, Status: StatusDone, TakenBy: "b", DoneAt: noon - minute, RequeueCount: 3}}, []string{"#4 was done by b 1m ago."}},
		{"dropped", Why{Directive: Directive{ID: 4, Status: StatusDropped, DoneAt: noon}}, []string{"#4 was dropped, just now."}},
	}
	for _, tt := range tests {
		tt.why.At, tt.why.Now.Wall = noon, noon
		if got := tt.why.Sentences(nil); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s:\n got %q\nwant %q", tt.name, got, tt.want)
		}
	}
	for d, want := range map[time.Duration]string{
		20 * time.Second: "20s", 90 * time.Second: "1m30s", 10 * time.Minute: "10m", time.Hour: "1h", 90 * time.Minute: "1h30m", 10 * time.Hour: "10h",
	} {
		if got := intervalText(d); got != want {
			t.Errorf("%s is written %s", d, got)
		}
	}
}

func TestLeaseShare(t *testing.T) {
	for _, tt := range []struct {
		begin, until, now model.Time
		want              float64
	}{{0, 100, 0, 1}, {0, 100, 75, 0.25}, {0, 100, 100, 0}, {0, 100, 200, 0}, {50, 100, 0, 1}, {100, 50, 0, 0}, {0, 0, 0, 0}} {
		if got := model.LeaseShare(model.Lease{Until: tt.until}, tt.until.Sub(tt.begin), model.Reading{Wall: tt.now}); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}
