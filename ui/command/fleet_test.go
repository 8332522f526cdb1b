package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"binnacle/backend/clock"
	"binnacle/model"
	"binnacle/ui/command/cli"
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
		e.IsTerminal = func(cli.Stream) bool { return true }
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
