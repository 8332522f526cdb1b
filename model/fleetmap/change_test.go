package fleetmap

import (
	"reflect"
	"strings"
	"testing"

	"binnacle/model"
)

func sampleChange() Change {
	return Change{
		ID: "C-1", Title: "a title", Base: strings.Repeat("1", 40), State: ChangeHeld, Tip: strings.Repeat("2", 40),
		Inputs: []ChangeInput{
			{InputPath, "src/api", strings.Repeat("3", 40)},
			{InputChange, "C-2", strings.Repeat("4", 40)},
			{InputPolicy, ".bay/keys/allowed_signers", ""},
		},
		Holder: Holder{"m-x", "ada", "s"}, View: View{"m-x", "/w"},
	}
}

func TestChangeRoundTrip(t *testing.T) {
	c := sampleChange()
	raw, err := c.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseChange(raw, "C-1")
	if err != nil || !reflect.DeepEqual(got, c) {
		t.Fatalf("%+v %v", got, err)
	}
	for name, text := range map[string]string{
		"another id":    strings.Replace(string(raw), "C-1", "C-9", 1),
		"another state": strings.Replace(string(raw), `"held"`, `"lost"`, 1),
		"bad pin":       strings.Replace(string(raw), strings.Repeat("3", 40), "main", 1),
		"bad kind":      strings.Replace(string(raw), `"kind":"path"`, `"kind":"file"`, 1),
		"bad input":     strings.Replace(string(raw), `"C-2"`, `"../C-2"`, 1),
		"bad machine":   strings.Replace(string(raw), `"m-x"`, `"M X"`, 1),
		"bad base":      strings.Replace(string(raw), strings.Repeat("1", 40), "HEAD", 1),
		"duplicate":     strings.Replace(string(raw), `"tip":`, `"id":"C-1","tip":`, 1),
		"capital":       strings.Replace(string(raw), `"title":`, `"Title":`, 1),
		"second":        string(raw) + "1",
		"type":          strings.Replace(string(raw), `"title":"a title"`, `"title":[]`, 1),
		"too large":     string(raw) + strings.Repeat(" ", MaxChangeBytes),
	} {
		if _, err := ParseChange([]byte(text), "C-1"); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestChangeMachineSteps(t *testing.T) {
	m := ChangeMachine()
	if to, ok := m.To(ChangeHeld, "release"); !ok || to != ChangeOpen {
		t.Error(to)
	}
	if !m.Final(ChangeClosed) || !m.Final(ChangeSuperseded) {
		t.Error("closed and superseded are not final")
	}
	if _, ok := m.To(ChangeHeld, "hold"); ok {
		t.Error("held twice")
	}
}

func TestInvalidations(t *testing.T) {
	c := sampleChange()
	list := c.Invalidations(func(in ChangeInput) (string, bool) {
		switch in.Kind {
		case InputPath:
			return strings.Repeat("9", 40), true
		case InputChange:
			return in.At, true
		}
		return strings.Repeat("8", 40), false
	}, func(ChangeInput) string { return "cause" })
	if len(list) != 1 || list[0].Input.Ref != "src/api" || list[0].Was != c.Inputs[0].At || list[0].Cause != "cause" {
		t.Fatalf("%+v", list)
	}
}

func TestTouches(t *testing.T) {
	c := sampleChange()
	for _, x := range []struct {
		name string
		e    BayEvent
		want bool
	}{
		{"itself", BayEvent{Kind: BayChangeHeld, Change: "C-1"}, true},
		{"an input change", BayEvent{Kind: BayChangeClosed, Change: "C-2"}, true},
		{"another change", BayEvent{Kind: BayChangeClosed, Change: "C-3"}, false},
		{"policy", BayEvent{Kind: BayPolicyChanged}, true},
		{"a path in it", BayEvent{Kind: BayInputMoved, Subject: BaySubject{InputPath, "src/api/x"}}, true},
		{"a path next to it", BayEvent{Kind: BayInputMoved, Subject: BaySubject{InputPath, "src/apis"}}, false},
	} {
		if got := c.Touches(x.e); got != x.want {
			t.Errorf("%s: %v", x.name, got)
		}
	}
	for _, x := range []struct {
		l    Landing
		want bool
	}{
		{Landing{Change: "C-1"}, true},
		{Landing{Change: "C-2"}, true},
		{Landing{Paths: []string{"src/api/a.go"}}, true},
		{Landing{Paths: []string{"src/apis/a.go", "README"}}, false},
		{Landing{Paths: []string{".bay/keys/allowed_signers"}}, true},
	} {
		if got := c.TouchesLanding(x.l); got != x.want {
			t.Errorf("%+v: %v", x.l, got)
		}
	}
}

func TestBayEvent(t *testing.T) {
	e := BayEvent{Executor: "m-x", Seq: 3, At: model.Time(1e15), Kind: BayChangeOpened, Change: "C-1", Subject: BaySubject{InputChange, "C-1"}}
	raw, err := e.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := ParseBayEvent(raw, "m-x")
	if err != nil || got.ID != "m-x:3" || got.Change != "C-1" {
		t.Fatalf("%+v %v", got, err)
	}
	for name, text := range map[string]string{
		"other executor": strings.ReplaceAll(string(raw), "m-x", "m-y"),
		"other id":       strings.Replace(string(raw), "m-x:3", "m-x:4", 1),
		"schema":         strings.Replace(string(raw), "event/1", "event/2", 1),
		"seq":            strings.Replace(string(raw), `"seq":3`, `"seq":0`, 1),
		"second":         string(raw) + "{}",
	} {
		if _, err := ParseBayEvent([]byte(text), "m-x"); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
}

func TestWatchCursor(t *testing.T) {
	c := WatchCursor{Remote: "abc", Trunk: strings.Repeat("1", 40), Logs: map[string]string{"m-x": strings.Repeat("2", 40)}, Change: "C-1"}
	got, err := ParseWatchCursor(c.Text())
	c.Version = 1
	if err != nil || !reflect.DeepEqual(got, c) {
		t.Fatalf("%+v %v", got, err)
	}
	bad := c
	bad.Trunk = "--upload-pack=evil"
	for _, text := range []string{"", "x", "e30", bad.Text(), c.Text() + "A", strings.Repeat("A", 1<<20)} {
		if _, err := ParseWatchCursor(text); model.CodeOf(err) != model.CodeUsage {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

func FuzzParseChange(f *testing.F) {
	raw, _ := sampleChange().Encode()
	f.Add(raw)
	f.Fuzz(func(t *testing.T, raw []byte) {
		c, err := ParseChange(raw, "C-1")
		if err != nil {
			return
		}
		if _, err := c.Encode(); err != nil && model.CodeOf(err) != model.CodeInvalid {
			t.Fatalf("what was read can't be written: %v", err)
		}
	})
}

func FuzzParseWatchCursor(f *testing.F) {
	f.Add(WatchCursor{Remote: "abc"}.Text())
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseWatchCursor(text)
		if err == nil && c.Trunk != "" && !HexID(c.Trunk) {
			t.Fatalf("%+v", c)
		}
	})
}

func TestCompareWitness(t *testing.T) {
	hashes := map[int64]string{5: "h5"}
	hash := func(seq int64) (string, error) { return hashes[seq], nil }
	for _, c := range []struct {
		head LedgerHead
		ok   bool
	}{
		{LedgerHead{5, "h5", "e"}, true},
		{LedgerHead{5, "other", "e"}, false},
		{LedgerHead{9, "h9", "e"}, false},
		{LedgerHead{5, "other", "older"}, true},
		{LedgerHead{}, true},
	} {
		got, err := CompareWitness("e", hash, []Witness{{Ledger: c.head}})
		if err != nil || got[0].OK != c.ok || got[0].Text == "" {
			t.Errorf("%+v: %+v %v", c.head, got, err)
		}
	}
}
