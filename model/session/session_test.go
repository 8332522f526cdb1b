package session

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"binnacle/model"

	"pgregory.net/rapid"
)

// play runs reports through the reducer as an engine would, and returns the
// facts.
type play struct {
	s    Session
	now  model.Time
	all  []model.Event
	head model.Head
}

func (p *play) step(t interface{ Fatalf(string, ...any) }, r Report) []model.Draft {
	p.now++
	facts := p.s.Next(Session{Tool: "codex", ID: "s", Machine: "m-x", Boot: "b", Actor: "ada", View: "/w"}, r, p.now)
	for _, d := range facts {
		d.Producer = "test"
		if err := d.Check(); err != nil {
			t.Fatalf("fact %+v: %v", d, err)
		}
		var e model.Event
		e, p.head, _ = p.head.Link(d, p.now, nil)
		if err := p.s.Apply(e); err != nil {
			t.Fatalf("%s: %v", r.Text(), err)
		}
		p.all = append(p.all, e)
	}
	return facts
}

func TestSessionStates(t *testing.T) {
	acts := func(list ...Act) []Act { return list }
	for _, c := range []struct {
		name  string
		acts  []Act
		state string
		facts int
	}{
		{"start", acts(ActStart), Idle, 1},
		{"prompt", acts(ActStart, ActPrompt), Working, 2},
		{"tools say nothing new", acts(ActStart, ActPrompt, ActTool, ActTool), Working, 2},
		{"asks", acts(ActStart, ActPrompt, ActAsk), Waiting, 3},
		{"answered", acts(ActPrompt, ActAsk, ActTool), Working, 3},
		{"stop", acts(ActPrompt, ActStop), Idle, 2},
		{"end", acts(ActPrompt, ActEnd), Ended, 2},
		{"ended twice", acts(ActPrompt, ActEnd, ActEnd), Ended, 2},
		{"start was lost", acts(ActTool), Working, 1},
		{"end of nobody", acts(ActEnd), "", 0},
		{"alive says nothing", acts(ActOther), "", 0},
		{"stragglers after the end", acts(ActPrompt, ActEnd, ActTool, ActStop, ActAsk), Ended, 2},
		{"back after the end", acts(ActPrompt, ActEnd, ActPrompt), Working, 3},
		{"spawned, not yet there", acts(ActSpawn), Starting, 1},
		{"spawned, then there", acts(ActSpawn, ActStart), Idle, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p play
			for _, a := range c.acts {
				p.step(t, Report{Act: a})
			}
			if p.s.State != c.state || len(p.all) != c.facts {
				t.Fatalf("%s with %d facts, want %s with %d", p.s.State, len(p.all), c.state, c.facts)
			}
		})
	}
}

func TestSessionIncarnationsAndReason(t *testing.T) {
	var p play
	p.step(t, Report{Act: ActStart, Paths: []string{"a"}})
	p.step(t, Report{Act: ActEnd, Reason: "Prompt Input Exit!"})
	if p.s.Reason != "prompt_input_exit_" {
		t.Fatalf("reason %q", p.s.Reason)
	}
	p.now += LateTool + 1
	p.step(t, Report{Act: ActTool})
	if p.s.Incarnation != 2 || len(p.s.Paths) != 0 || p.s.State != Working {
		t.Fatalf("%+v", p.s)
	}
}

func TestSubagentsMoveNoState(t *testing.T) {
	var p play
	p.step(t, Report{Act: ActPrompt})
	p.step(t, Report{Act: ActStop})
	for _, a := range []Act{ActTool, ActStop, ActAsk, ActEnd, ActPrompt} {
		if f := p.step(t, Report{Act: a, Subagent: "a1"}); len(f) != 0 {
			t.Fatalf("%s: %+v", a, f)
		}
	}
	p.step(t, Report{Act: ActTool, Subagent: "a1", Paths: []string{"x.go"}})
	if p.s.State != Idle || !slices.Equal(p.s.Paths, []string{"x.go"}) {
		t.Fatalf("%+v", p.s)
	}
}

func TestSessionFold(t *testing.T) {
	acts := []Act{ActSpawn, ActStart, ActPrompt, ActTool, ActAsk, ActStop, ActEnd, ActOther, "nonsense"}
	rapid.Check(t, func(t *rapid.T) {
		var p play
		for range rapid.IntRange(1, 40).Draw(t, "n") {
			r := Report{Act: rapid.SampledFrom(acts).Draw(t, "act")}
			if rapid.Bool().Draw(t, "writes") {
				r.Paths = []string{rapid.SampledFrom([]string{"a", "b/c", "b/d", "e/f/g"}).Draw(t, "path")}
			}
			if rapid.IntRange(0, 9).Draw(t, "late") == 0 {
				p.now += LateTool
			}
			before := p.s.State
			p.step(t, r)
			if p.s.State != before && !Machine().Can(before, p.s.State) {
				t.Fatalf("%s to %s", before, p.s.State)
			}
		}
		var again Session
		for _, e := range p.all {
			if err := again.Apply(e); err != nil {
				t.Fatalf("replay: %v", err)
			}
		}
		if !reflect.DeepEqual(again, p.s) {
			t.Fatalf("replay gives %+v, want %+v", again, p.s)
		}
	})
}

func TestRefusedFactLeavesTheSession(t *testing.T) {
	var p play
	p.step(t, Report{Act: ActPrompt})
	was := p.s
	for _, e := range []model.Event{
		{Topic: TopicState, State: Idle, Key: "codex:s", Payload: []byte(`{"act":"prompt"}`)},
		{Topic: TopicStarted, State: Idle, Key: "codex:s", Payload: []byte(`{"act":"start"}`)},
		{Topic: TopicEnded, State: Idle, Key: "codex:s", Payload: []byte(`{"act":"stop"}`)},
		{Topic: "session.other", State: Idle, Payload: []byte(`{}`)},
		{Topic: TopicState, State: Idle, Payload: []byte(`[`)},
	} {
		if err := p.s.Apply(e); err == nil {
			t.Errorf("taken: %+v", e)
		}
		if !reflect.DeepEqual(p.s, was) {
			t.Fatalf("changed by %+v", e)
		}
	}
}

func TestMergePaths(t *testing.T) {
	var many []string
	for i := range 40 {
		many = append(many, fmt.Sprintf("src/pkg%d/file.go", i%4), fmt.Sprintf("src/pkg%d/f%d.go", i%4, i))
	}
	got := MergePaths([]string{"README"}, many)
	if !slices.Equal(got, []string{"README", "src/pkg0/", "src/pkg1/", "src/pkg2/", "src/pkg3/"}) {
		t.Fatal(got)
	}
	if again := MergePaths(got, []string{"src/pkg1/new.go"}); !slices.Equal(again, got) {
		t.Fatalf("a covered file changes the set: %v", again)
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.StringMatching(`[a-c](/[a-c]{1,2}){0,4}`)
		a := rapid.SliceOfN(p, 0, 80).Draw(t, "a")
		b := rapid.SliceOfN(p, 0, 80).Draw(t, "b")
		set := MergePaths(MergePaths(nil, a), b)
		if len(set) > MaxPaths || !slices.IsSorted(set) {
			t.Fatal(set)
		}
		for _, x := range append(a, b...) {
			covered := false
			for _, s := range set {
				covered = covered || s == x || strings.HasSuffix(s, "/") && (s == "./" || strings.HasPrefix(x, s))
			}
			if !covered {
				t.Fatalf("%s is lost in %v", x, set)
			}
		}
	})
}
