package command_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
)

// program builds the real program once: what it does before main is part of
// what is tested here, and the test's own binary imports other things.
var program = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "binnacle-test-")
	if err != nil {
		return "", err
	}
	programDir = dir
	name := filepath.Join(dir, "binnacle")
	// Also another user is to run it: see TestPTYReadOnly.
	if err := os.Chmod(dir, 0o755); err != nil {
		return "", err
	}
	if out, err := buildCommand(name, ".").CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return name, nil
})

// buildCommand makes a program as the README says that ours is made.
func buildCommand(name, of string) *exec.Cmd {
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", name, of)
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	return cmd
}

// programDir is where program put it; "" while it was not built.
var programDir string

// cleaning runs the tests and deletes the program afterwards.
type cleaning struct{ *testing.M }

func (c cleaning) Run() int {
	status := c.M.Run()
	if programDir != "" {
		_ = os.RemoveAll(programDir)
	}
	return status
}

func built(t *testing.T) string {
	t.Helper()
	name, err := program()
	if err != nil {
		t.Fatalf("the program can't be built: %v", err)
	}
	return name
}

// onTerminal runs the program on a terminal that never answers a question, and
// returns what it wrote and its exit status.
func onTerminal(t *testing.T, dir string, env []string, args ...string) (out string, status int) {
	t.Helper()
	name := built(t)
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(append(cleanEnv(dir), "TERM=xterm-256color"), env...)
	f, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 40, Cols: 120})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var b bytes.Buffer
	// Linux ends a terminal's last read with EIO.
	if _, err := io.Copy(&b, f); err != nil && !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if ctx.Err() != nil {
		t.Fatalf("binnacle %s does not end; so far it wrote %q", strings.Join(args, " "), b.String())
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return b.String(), cmd.ProcessState.ExitCode()
}

// everyCommand lists the commands of the program by their manual pages.
func everyCommand(t *testing.T) [][]string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(built(t), "man", "--dir", dir)
	cmd.Env = cleanEnv(dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("man --dir: %v\n%s", err, out)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil || len(pages) < 40 {
		t.Fatalf("there are %d pages (%v)", len(pages), err)
	}
	var out [][]string
	for _, p := range pages {
		text, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(text), ".SH SYNOPSIS\n\\fBbinnacle")
		line, _, _ := strings.Cut(rest, "\\fR")
		var words []string
		for _, w := range strings.Fields(strings.ReplaceAll(line, "\\-", "-")) {
			if strings.Trim(w, "abcdefghijklmnopqrstuvwxyz-") != "" {
				break // an argument's name, or [flags]
			}
			words = append(words, w)
		}
		out = append(out, words)
	}
	return out
}

// Nothing but the cockpit speaks to the terminal: no question is asked of it,
// no mode is set, no colour is written.
func TestNoEscapeSequences(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	quiet := func(out string, args ...string) {
		t.Helper()
		if i := strings.IndexFunc(out, func(r rune) bool { return r == 0x1b || r == 0x9b || r == utf8.RuneError }); i >= 0 {
			t.Errorf("binnacle %s writes an escape sequence: %q", strings.Join(args, " "), out[max(0, i-20):min(len(out), i+20)])
		}
	}
	for _, args := range [][]string{
		{"--version"},
		{"version"},
		{"status"},
		{"init"},
		{"status"},
		{"verify"},
		{"queue", "list"},
		{"keys"},
		{"emit", "a/b", `{"text":"\u001b]52;c;eA==\u0007 and \u009b31m"}`, "--kind", "note"},
		{"log"},
		{"query", "--json"},
		{"queue", "push", "-b", "\x1b[2Jcleared"},
		{"queue", "list"},
		{"queue", "show", "1"},
		{"queue", "peek"},
		{"queue", "next"},
		{"--plain", "--once", "--replay", "5"},
		{"watch", "--plain", "--once"},
		{"no-such-command"},
		{"--no-such-flag"},
		{"queue", "stats"},
		{"signal", "list"},
		{"work", "list"},
		{"config"},
		{"kinds"},
		{"export"},
		{"ledger", "status"},
		{"ledger", "log"},
		{"fleet", "status"},
		{"fleet", "doctor"},
		{"fleet", "watch", "--timeout", "1"},
		{"fleet", "key", "list"},
		{"queue", "thread-status", "1"},
		{"queue", "why", "1"},
		{"trust"},
	} {
		out, _ := onTerminal(t, dir, nil, args...)
		if out == "" {
			t.Errorf("binnacle %s writes nothing", strings.Join(args, " "))
		}
		quiet(out, args...)
	}
	for _, words := range everyCommand(t) {
		args := append(slices.Clone(words), "--help")
		out, status := onTerminal(t, dir, nil, args...)
		quiet(out, args...)
		if status != 0 || !strings.Contains(out, "Usage:") {
			t.Errorf("binnacle %s ends with %d and writes %q", strings.Join(args, " "), status, out)
		}
	}
}

// No answer of the terminal's is waited for: a library that asks it for its
// background waits five seconds on a terminal that stays silent. The least of
// three runs counts, for others may keep the processors busy.
func TestSilentTerminalDelaysNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, status := onTerminal(t, dir, nil, "init"); status != 0 {
		t.Fatalf("init ends with %d", status)
	}
	for _, term := range []string{"xterm-256color", "dumb", ""} {
		for _, args := range [][]string{{"--version"}, {"--help"}, {"--plain", "--once"}, {"status"}, {"queue", "list"}} {
			best := time.Hour
			for range 3 {
				from := time.Now()
				out, status := onTerminal(t, dir, []string{"TERM=" + term}, args...)
				best = min(best, time.Since(from))
				if status != 0 || out == "" && args[0] != "queue" || strings.ContainsAny(out, "\x1b\u009b") {
					t.Errorf("TERM=%s binnacle %s ends with %d and writes %q", term, strings.Join(args, " "), status, out)
				}
			}
			if best > 4*time.Second {
				t.Errorf("TERM=%s binnacle %s takes %s", term, strings.Join(args, " "), best)
			}
		}
	}
}

// A terminal gets text for people and a pipe gets JSON; flags and the
// environment decide otherwise.
func TestWhoLooksDecides(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, status := onTerminal(t, dir, nil, "init"); status != 0 {
		t.Fatalf("init ends with %d", status)
	}
	for _, c := range []struct {
		name string
		env  []string
		args []string
		json bool
	}{
		{"a terminal", nil, []string{"status"}, false},
		{"--json", nil, []string{"status", "--json"}, true},
		{"always", []string{"BINNACLE_JSON=always"}, []string{"status"}, true},
		{"a flag wins", []string{"BINNACLE_JSON=always"}, []string{"status", "--no-json"}, false},
	} {
		out, status := onTerminal(t, dir, c.env, c.args...)
		if status != 0 || strings.HasPrefix(out, "{") != c.json {
			t.Errorf("%s: it ends with %d and writes %q", c.name, status, out)
		}
	}
}

// A run without work to do must cost nothing that people notice: a database that
// is opened, or a question that is asked, would show here. What counts is the
// processor's time, the least of twenty runs, against five times the goal of
// 20 ms, for machines differ; BenchmarkStart says how near the goal is.
func TestVersionIsQuick(t *testing.T) {
	name := built(t)
	best := time.Hour
	for range 20 {
		cmd := exec.Command(name, "--version")
		if out, err := cmd.Output(); err != nil || !bytes.HasPrefix(out, []byte("binnacle ")) {
			t.Fatalf("--version: %v, %q", err, out)
		}
		best = min(best, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	}
	if best > 100*time.Millisecond {
		t.Errorf("--version takes %s of a processor", best)
	}
}
