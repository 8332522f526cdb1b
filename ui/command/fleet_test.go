package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"binnacle/backend/clock"
	"binnacle/backend/fleet"
	"binnacle/model"
	"binnacle/model/fleetmap"
	"binnacle/model/session"
)

// clockOf is a clock that goes on: ages of sessions are differences of it.
func clockOf() model.Clock { return clock.Machine() }

func quoted(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(raw)
}

// On a terminal an install asks; only yes is yes.
func TestHooksAreInstalledOnAYes(t *testing.T) {
	for answer, want := range map[string]bool{"y\n": true, " YES \n": true, "n\n": false, "\n": false, "": false, "y": false, "yess\n": false} {
		e := hookEnv(t)
		e.IsTerminal = func(Stream) bool { return true }
		e.Stdin = strings.NewReader(answer)
		out := e.run(t, 0, "fleet", "hooks", "install", "codex", "--program", "/opt/bin/binnacle")
		path := filepath.Join(e.Dir, "home", ".codex", "hooks.json")
		_, err := os.Stat(path)
		if (err == nil) != want {
			t.Errorf("%q: written is %v", answer, err == nil)
		}
		if !strings.Contains(e.err.String(), "Write this to "+path+"? [y/N] ") || !strings.Contains(out, "+++ "+path) {
			t.Errorf("%q: it shows %s and asks %s", answer, out, e.err.String())
		}
		if !want && !strings.Contains(out, "left "+path+" as it is") {
			t.Errorf("%q: it says %s", answer, out)
		}
	}
}

func TestReadOnlyRefusesTheFleetsChanges(t *testing.T) {
	e := hookEnv(t)
	for _, args := range [][]string{
		{"fleet", "push"},
		{"fleet", "push", "--due"},
		{"fleet", "change", "open", "C-1"},
		{"fleet", "change", "hold", "C-1"},
		{"fleet", "change", "release", "C-1"},
		{"fleet", "change", "close", "C-1"},
		{"fleet", "change", "supersede", "C-1"},
		{"fleet", "change", "tip", "C-1", strings.Repeat("a", 40)},
		{"fleet", "hooks", "install", "codex", "--yes"},
		{"fleet", "hooks", "remove", "codex", "--yes"},
		{"fleet", "key", "new", "builder"},
		{"fleet", "key", "add", "builder"},
		{"fleet", "key", "remove", "builder"},
		{"fleet", "doctor", "--new-name"},
		{"trust"},
		{"trust", "--remove"},
	} {
		e.run(t, 1, append([]string{"--read-only"}, args...)...)
		if !strings.Contains(e.err.String(), "--read-only refuses every change") {
			t.Errorf("binnacle --read-only %s says %s", strings.Join(args, " "), e.err.String())
		}
	}
	e.run(t, 0, "--read-only", "fleet", "hooks", "install", "codex", "--program", "/opt/bin/binnacle", "--dry-run")
	e.run(t, 0, "--read-only", "fleet", "hooks", "show")
}

// Names come from other machines: whatever they hold, columns stay true and no
// byte steers the terminal.
func TestTheMapForPeople(t *testing.T) {
	yes := true
	row := func(actor, change string) *fleetmap.LiveRow {
		return &fleetmap.LiveRow{
			Session: "s", Actor: actor, Agent: "codex", Change: change, State: session.Working, Event: "PreToolUse",
			Ctx: session.ContextUse{Used: 50_000, Max: 200_000}, LastWrite: "src/a", WriteAge: 5 * time.Second, Age: 2 * time.Second,
		}
	}
	m := fleetmap.Map{
		Repo: "host/app", Machine: "m-self", FetchedAt: 1, FetchAge: 3 * time.Minute, Behind: &yes, Truncated: true, Note: "a note",
		Machines: []fleetmap.Machine{
			{Machine: "m-other", Agent: "builder", Readable: true, Signed: true, Age: 4 * time.Second, Fresh: 2, Dropped: 3, Skew: -2 * time.Hour},
			{Machine: "m-self", Self: true, Readable: true},
			{Machine: "m-odd", Code: model.CodeMalformed, Why: "its tree has another shape"},
		},
		Sessions: []fleetmap.Session{
			{Machine: "m-other", LiveRow: row("日本", "C-1"), RowAge: 6 * time.Second, Behind: &yes},
			{Machine: "m-other", LiveRow: row("\x1b[2J\x9b", ""), RowAge: 70 * time.Second},
			{Machine: "m-self", LiveRow: &fleetmap.LiveRow{Change: "C-2", State: session.Untracked}, Reason: "no record here names it"},
		},
	}
	e := newEnv(t)
	a := &app{env: e.Env, out: &output{w: &e.out, closed: func() {}}}
	if err := a.showMap(m, &fleet.FetchReport{Vanished: []string{"m-gone"}}); err != nil {
		t.Fatal(err)
	}
	want := `repository    host/app
this machine  m-self
fetched       3m ago, so it is behind the remote; binnacle fleet status fetches
gone          m-gone
left out      the remote has more machines than the 256 that are read
note          a note

MACHINE  AGE  SESSIONS  SIGNED BY  NOTE
m-other   4s         2  builder    3 more sessions did not fit; its clock is 2h behind
m-self               0             this one
m-odd    now         0             unreadable; MALFORMED: its tree has another shape

MACHINE  ACTOR   AGENT  CHANGE  STATE      AGE  EVENT       CONTEXT  WROTE      NOTE
m-other  日本    codex  C-1     working     6s  PreToolUse     25 %  src/a 9s   trunk moved on
m-other  ␛[2J⟨9B⟩  codex          working     1m  PreToolUse     25 %  src/a 1m
m-self                  C-2     untracked                                       no record here names it
`
	got := e.out.String()
	if strings.ContainsAny(got, "\x1b\u009b") {
		t.Error("a control character got through")
	}
	// The one hostile name is compared by itself: how it is shown is the
	// cleaner's matter.
	strip := func(s string) []string {
		var out []string
		for _, l := range strings.Split(s, "\n") {
			if !strings.Contains(l, "[2J") {
				out = append(out, strings.Join(strings.Fields(l), " "))
			}
		}
		return out
	}
	if !reflect.DeepEqual(strip(got), strip(want)) {
		t.Errorf("the map is\n%s\nnot\n%s", got, want)
	}
}

func TestContextUse(t *testing.T) {
	for c, want := range map[session.ContextUse]string{
		{}: "", {Used: 999}: "999", {Used: 37_128}: "37k", {Used: 37_128, Max: 258_400}: "14 %", {Max: 200_000}: "",
	} {
		if got := contextUse(c); got != want {
			t.Errorf("%+v is %q, not %q", c, got, want)
		}
	}
}

func TestJoinedAddsAMember(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		object := map[string]any{"a": rapid.String().Draw(t, "a"), "b": []any{rapid.String().Draw(t, "b"), "}"}}
		member := rapid.String().Draw(t, "member")
		text, err := joined(object, "more", member)
		if err != nil {
			t.Fatal(err)
		}
		var got, want map[string]any
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		raw, _ := json.Marshal(object)
		if err := json.Unmarshal(raw, &want); err != nil {
			t.Fatal(err)
		}
		raw, _ = json.Marshal(member)
		var value any
		if err := json.Unmarshal(raw, &value); err != nil {
			t.Fatal(err)
		}
		want["more"] = value
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s is not %v", text, want)
		}
	})
}

func TestParseInput(t *testing.T) {
	pin := strings.Repeat("ab", 20)
	for text, want := range map[string]fleetmap.ChangeInput{
		"path:src/api":         {Kind: "path", Ref: "src/api"},
		"path:a@b/c:d":         {Kind: "path", Ref: "a@b/c:d"},
		"path:src@" + pin:      {Kind: "path", Ref: "src", At: pin},
		"change:C-2":           {Kind: "change", Ref: "C-2"},
		"policy:.bay/keys/all": {Kind: "policy", Ref: ".bay/keys/all"},
	} {
		if got, err := parseInput(text); err != nil || got != want {
			t.Errorf("%s is %+v (%v)", text, got, err)
		}
	}
	for _, text := range []string{"", "src", "file:src", "path:", "Path:src", ":x"} {
		if _, err := parseInput(text); model.Exit(err) != 2 {
			t.Errorf("%q is taken (%v)", text, err)
		}
	}
}

func FuzzParseInput(f *testing.F) {
	for _, s := range []string{"path:a", "change:C-1@" + strings.Repeat("0", 64), "policy::@", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		in, err := parseInput(s)
		if err != nil {
			if model.Exit(err) != 2 {
				t.Errorf("%q ends with %d", s, model.Exit(err))
			}
			return
		}
		back := in.Kind + ":" + in.Ref
		if in.At != "" {
			back += "@" + in.At
		}
		if back != s {
			t.Errorf("%q became %q", s, back)
		}
	})
}

// A public key comes as a line, as words that a shell took apart, from a file
// or from stdin.
func TestPublicKeys(t *testing.T) {
	e := newEnv(t)
	line := "ssh-ed25519 AAAA ada@host"
	if err := os.WriteFile(filepath.Join(e.Dir, "id.pub"), []byte(line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(e.Dir, "empty.pub"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{line}, strings.Fields(line), {"id.pub"}, {"-"}} {
		e.Stdin = strings.NewReader(line + "\n")
		a := &app{env: e.Env}
		if got, err := a.publicKey(args); err != nil || strings.TrimSpace(got) != line {
			t.Errorf("%q is %q (%v)", args, got, err)
		}
	}
	for _, args := range [][]string{{"none.pub"}, {"empty.pub"}, {"."}} {
		a := &app{env: e.Env}
		if got, err := a.publicKey(args); model.Exit(err) != 2 {
			t.Errorf("%q is %q (%v)", args, got, err)
		}
	}
}

// Every level has its own mark and its own word, also in plain ASCII.
func TestDoctorMarks(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		seen := map[string]bool{}
		for _, level := range []fleetmap.FindingLevel{fleetmap.FindingOK, fleetmap.FindingInfo, fleetmap.FindingWarn, fleetmap.FindingBad} {
			mark, word, _ := strings.Cut(doctorMark(level, ascii), " ")
			if seen[mark] || seen[word] || mark == "" || word == "" {
				t.Errorf("%s is %q %q", level, mark, word)
			}
			seen[mark], seen[word] = true, true
			for _, r := range mark + word {
				if ascii && r > 126 {
					t.Errorf("%s has %q", level, r)
				}
			}
		}
	}
}

func TestAClosedPipeEndsTheFleetsCommands(t *testing.T) {
	e := hookEnv(t)
	for _, args := range [][]string{
		{"fleet", "hooks", "show"},
		{"fleet", "hooks", "show", "codex", "--no-json"},
		{"fleet", "hooks", "install", "codex", "--program", "/opt/bin/binnacle", "--dry-run", "--no-json"},
		{"fleet", "doctor", "--no-json"},
	} {
		e.err.Reset()
		e.Stdout = &closing{0}
		if got := Main(args, e.Env); got != 0 || e.err.Len() > 0 {
			t.Errorf("binnacle %s ends with %d and says %s", strings.Join(args, " "), got, e.err.String())
		}
	}
}
