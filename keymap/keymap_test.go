package keymap_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"binnacle/keymap"
	"binnacle/model"
	"binnacle/model/clean"
)

// checkMap holds a map to what it promises: no key means two things at one
// time, and dispatch finds what the lists say.
func checkMap(t interface{ Fatalf(string, ...any) }, m keymap.Map) {
	list := m.Actions()
	for i, a := range list {
		for _, k := range a.Keys {
			for _, s := range a.Scopes {
				if got, ok := m.Lookup(k, s); !ok || got.Name != a.Name {
					t.Fatalf("%q in %s is %q, want %s", k, s, got.Name, a.Name)
				}
			}
			for _, b := range list[:i] {
				if !slices.Contains(b.Keys, k) {
					continue
				}
				for _, x := range a.Scopes {
					for _, y := range b.Scopes {
						if keymap.Overlap(x, y) {
							t.Fatalf("%q is %s in %s and %s in %s", k, a.Name, x, b.Name, y)
						}
					}
				}
			}
		}
	}
}

func TestDefault(t *testing.T) {
	m := keymap.Default()
	checkMap(t, m)
	names := map[string]bool{}
	for _, a := range m.Actions() {
		if a.Name == "" || names[a.Name] {
			t.Errorf("the name %q is empty or taken", a.Name)
		}
		names[a.Name] = true
		if !strings.HasSuffix(a.Help, ".") || len(a.Help) > 90 || strings.Count(a.Help, ". ") > 1 || a.Short == "" || len(a.Short) > 16 {
			t.Errorf("%s: help %q, word %q", a.Name, a.Help, a.Short)
		}
		if len(a.Scopes) == 0 || !slices.Contains(keymap.Groups(), a.Group) {
			t.Errorf("%s applies nowhere or has no group", a.Name)
		}
		for _, s := range a.Scopes {
			if !slices.Contains(keymap.Scopes(), s) {
				t.Errorf("%s: no scope %q", a.Name, s)
			}
		}
		for _, k := range a.Keys {
			if got, err := keymap.Parse(k); err != nil || got != k {
				t.Errorf("%s: the key %q is not normal: %v", a.Name, k, err)
			}
		}
	}
	changes := ""
	for _, a := range m.Actions() {
		if a.Changes {
			changes += a.Name + " "
		}
	}
	if changes != "requeue drop raise lower defer extend push claim clear release undo " {
		t.Errorf("what changes something: %s", changes)
	}
}

// TestSpecifiedKeys are the keys that people know.
func TestSpecifiedKeys(t *testing.T) {
	m := keymap.Default()
	row := func(s keymap.Scope) []keymap.Scope {
		return []keymap.Scope{s, keymap.Record, keymap.List, keymap.Global}
	}
	for _, c := range []struct {
		keys   string
		scopes []keymap.Scope
		action string
	}{
		{"up k", row(keymap.Directive), "up"},
		{"down j", row(keymap.Directive), "down"},
		{"left h", row(keymap.Directive), "left"},
		{"right l", row(keymap.Directive), "right"},
		{"g", row(keymap.Events), "top"},
		{"G", row(keymap.Events), "bottom"},
		{"pgup", row(keymap.Events), "page-up"},
		{"pgdown", row(keymap.Events), "page-down"},
		{"tab", row(keymap.Events), "next-pane"},
		{"enter", row(keymap.Events), "open"},
		{"/", row(keymap.Events), "filter"},
		{"n", row(keymap.Events), "next-match"},
		{"N", row(keymap.Events), "previous-match"},
		{"]", row(keymap.Events), "next-problem"},
		{"[", row(keymap.Events), "previous-problem"},
		{"p", row(keymap.Events), "pause"},
		{"t", row(keymap.Events), "times"},
		{"z", row(keymap.Events), "zoom"},
		{"T", row(keymap.Events), "theme"},
		{"M", row(keymap.Events), "mouse"},
		{"ctrl+l", row(keymap.Events), "redraw"},
		{"r", row(keymap.Directive), "requeue"},
		{"d", row(keymap.Directive), "drop"},
		{"+", row(keymap.Directive), "raise"},
		{"-", row(keymap.Directive), "lower"},
		{"f", row(keymap.Directive), "defer"},
		{"L", row(keymap.Lease), "extend"},
		{"a", row(keymap.Directive), "push"},
		{"w", row(keymap.Directive), "why"},
		{"c", row(keymap.Signal), "claim"},
		{"x", row(keymap.Signal), "clear"},
		{"space  ", row(keymap.Signal), "mark"},
		{"U", row(keymap.Signal), "unmark-all"},
		{"u", row(keymap.Signal), "undo"},
		{"y", row(keymap.Signal), "copy-id"},
		{"Y", row(keymap.Signal), "copy-json"},
		{"e", row(keymap.Signal), "edit"},
		{"ctrl+z", []keymap.Scope{keymap.Dialog}, "suspend"},
		{":", row(keymap.Signal), "palette"},
		{"?", row(keymap.Signal), "help"},
		{"<", row(keymap.Detail), "cause"},
		{">", row(keymap.Detail), "effect"},
		{"F", row(keymap.Fleet), "fetch"},
	} {
		for _, k := range strings.Split(c.keys, " ") {
			if k == "" {
				k = " "
			}
			if got, ok := m.Lookup(k, c.scopes...); !ok || got.Name != c.action {
				t.Errorf("%q in %v is %q, want %s", k, c.scopes, got.Name, c.action)
			}
		}
	}
	for i, name := range []string{"pane-1", "pane-2", "pane-3", "pane-4", "pane-5", "pane-6"} {
		if got, _ := m.Lookup(string(rune('1'+i)), keymap.Global); got.Name != name {
			t.Errorf("%d is %q", i+1, got.Name)
		}
	}
	for _, c := range []struct {
		key   string
		scope keymap.Scope
	}{{"r", keymap.Dialog}, {"q", keymap.Input}, {"c", keymap.Directive}, {"nonsense", keymap.Global}} {
		if got, ok := m.Lookup(c.key, c.scope); ok {
			t.Errorf("%q in %s is %s", c.key, c.scope, got.Name)
		}
	}
}

func TestOverrides(t *testing.T) {
	m := keymap.Default()
	n, err := m.WithOverrides(map[string][]string{"drop": {"ctrl+d", "D", "D"}, "quit": {}, "mark": {" "}})
	if err != nil {
		t.Fatal(err)
	}
	checkMap(t, n)
	if got, _ := n.Lookup("ctrl+d", keymap.Directive); got.Name != "drop" {
		t.Errorf("ctrl+d is %q", got.Name)
	}
	if got, ok := n.Lookup("d", keymap.Directive); ok {
		t.Errorf("d is still %q", got.Name)
	}
	if _, ok := n.Lookup("q", keymap.Global); ok || n.KeyOf("quit") != "" || len(n.KeysOf("quit")) != 0 {
		t.Error("quit has a key")
	}
	if got := n.KeysOf("drop"); len(got) != 2 || n.KeyOf("drop") != "ctrl+d" {
		t.Errorf("drop has %v", got)
	}
	if got := m.KeysOf("drop"); len(got) != 1 || got[0] != "d" {
		t.Errorf("the map that was overridden changed: %v", got)
	}
	// Two records never have one key's meaning at one time: r may serve both.
	if _, err := m.WithOverrides(map[string][]string{"clear": {"r"}}); err != nil {
		t.Errorf("a signal's key that is a directive's, too: %v", err)
	}
	for name, c := range map[string]struct {
		overrides      map[string][]string
		message, hints string
	}{
		"unknown":        {map[string][]string{"dorp": {"x"}}, `there is no action "dorp"`, "did you mean drop?"},
		"far":            {map[string][]string{"wonderful": {"x"}}, `there is no action "wonderful"`, "binnacle keys lists every action"},
		"conflict":       {map[string][]string{"drop": {"r"}}, `the key "r" is bound to both requeue and drop`, "give one of them another key, or [] for none"},
		"with global":    {map[string][]string{"drop": {"q"}}, `the key "q" is bound to both drop and quit`, "give one of them another key, or [] for none"},
		"always":         {map[string][]string{"press": {"ctrl+l"}}, `the key "ctrl+l" is bound to both redraw and press`, "give one of them another key, or [] for none"},
		"no key":         {map[string][]string{"drop": {"ctlr+d"}}, `keys of drop: "ctlr+d" is not a key: `, "write one character"},
		"near a name":    {map[string][]string{"drop": {"pageup"}}, `keys of drop: "pageup" is not a key: did you mean pgup?`, "write one character"},
		"shift":          {map[string][]string{"drop": {"shift+d"}}, `keys of drop: "shift+d" is not a key: write the character itself, D for one`, "write one character"},
		"a capital":      {map[string][]string{"drop": {"ctrl+D"}}, `keys of drop: "ctrl+D" is not a key: ctrl+ goes with a small letter`, "write one character"},
		"empty":          {map[string][]string{"drop": {""}}, `keys of drop: "" is not a key: `, "write one character"},
		"a control":      {map[string][]string{"drop": {"\x1b"}}, `keys of drop: "␛" is not a key: it is not a character that can be typed`, "write one character"},
		"two characters": {map[string][]string{"drop": {"dd"}}, `keys of drop: "dd" is not a key: `, "write one character"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := m.WithOverrides(c.overrides)
			if err == nil || !strings.HasPrefix(err.Error(), c.message) || !strings.HasPrefix(model.HintOf(err), c.hints) {
				t.Errorf("%v (%s)", err, model.HintOf(err))
			}
			if model.CodeOf(err) != model.CodeInvalid {
				t.Errorf("code %s", model.CodeOf(err))
			}
		})
	}
}

// TestAnyOverrides: whatever is overridden, the result keeps the rules or is
// refused.
func TestAnyOverrides(t *testing.T) {
	m := keymap.Default()
	names := []string{"nothing"}
	for _, a := range m.Actions() {
		names = append(names, a.Name)
	}
	key := rapid.OneOf(rapid.SampledFrom([]string{"a", "b", "q", "r", "ctrl+l", "alt+x", "pgup", "enter", " ", "ß", "f5"}), rapid.StringN(0, 3, 6))
	rapid.Check(t, func(t *rapid.T) {
		over := rapid.MapOfN(rapid.SampledFrom(names), rapid.SliceOfN(key, 0, 3), 0, 6).Draw(t, "overrides")
		n, err := m.WithOverrides(over)
		if err != nil {
			if clean.Line(err.Error()) != err.Error() {
				t.Fatalf("the refusal is not clean: %q", err.Error())
			}
			return
		}
		checkMap(t, n)
		for name, keys := range over {
			if len(keys) == 0 && len(n.KeysOf(name)) != 0 {
				t.Fatalf("%s has keys", name)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a", "ctrl+l", "alt+ctrl+x", "shift+tab", "ctrl+", "+", "alt++", " ", "pgup", "\x1b", "e\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		k, err := keymap.Parse(s)
		if err != nil {
			return
		}
		if again, err := keymap.Parse(k); err != nil || again != k || clean.Line(k) != k {
			t.Fatalf("%q is read as %q and then as %q, %v", s, k, again, err)
		}
	})
}

func TestLine(t *testing.T) {
	var words []string
	for _, a := range keymap.Default().Line(keymap.Directive, keymap.Record, keymap.List, keymap.Global) {
		words = append(words, a.Keys[0]+" "+a.Short)
	}
	want := "r requeue, d drop, + priority, - priority, w why, f defer, enter open, u undo, a push, / filter, : do, ? help, q quit"
	if got := strings.Join(words, ", "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestDocuments(t *testing.T) {
	m := keymap.Default()
	md, txt := m.Markdown(), m.Text()
	if md != keymap.Default().Markdown() {
		t.Error("the table differs from one time to the next")
	}
	for _, a := range m.Actions() {
		if !strings.Contains(md, "`"+a.Name+"` | "+a.Help+" |") || !strings.Contains(txt, a.Help) {
			t.Errorf("%s is missing", a.Name)
		}
	}
	for _, ln := range strings.Split(md, "\n") {
		if strings.HasPrefix(ln, "|") && strings.Count(ln, "|")-strings.Count(ln, `\|`) != 4 {
			t.Errorf("the line breaks the table: %s", ln)
		}
	}
	n, err := m.WithOverrides(map[string][]string{"drop": {"|"}, "quit": {}, "help": {"`"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| `\\|` | `drop` |", "| (none) | `quit` |", "| `` ` `` | `help` |"} {
		if !strings.Contains(n.Markdown(), want) {
			t.Errorf("%s is missing", want)
		}
	}
	b, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Name, Group, Help string
		Keys, Scopes      []string
		Changes           bool
	}
	if err := json.Unmarshal(b, &rows); err != nil || len(rows) != len(n.Actions()) {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, r := range rows {
		if r.Keys == nil || len(r.Scopes) == 0 || r.Help == "" {
			t.Errorf("%+v", r)
		}
	}
}
