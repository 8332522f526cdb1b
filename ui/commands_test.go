package ui

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// withProgram gives the cockpit a program that is a shell script.
func (r *rig) withProgram(script string, commands ...Command) *runner {
	r.t.Helper()
	path := filepath.Join(r.t.TempDir(), "binnacle")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		r.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	run := newRunner(ctx, Program{
		Path: path, Args: []string{"--workspace=/w s"}, Dir: filepath.Dir(path), Environ: os.Environ,
		Commands: func() []Command { return commands },
	})
	r.t.Cleanup(func() { cancel(); run.wait() })
	r.c.opt.Runner = run
	return run
}

func TestPaletteRunsCommands(t *testing.T) {
	r := newRig(t, rigOptions{})
	r.withProgram(`for a in "$@"; do echo "<$a>"; done; printf 'evil \033[2J here\n' >&2; i=0
		while [ $i -lt 60 ]; do echo line $i; i=$((i+1)); done; case "$*" in *queue*) exit 0;; esac; exit 1`,
		Command{Words: []string{"ledger", "look"}, Help: "Look."},
		Command{Words: []string{"queue", "show"}, Help: "Show one.", Takes: "ID", Needs: true},
		Command{Words: []string{"ledger", "log"}, Help: "Log.", Flags: []string{"--limit"}, Endless: []string{"--follow", "-f"}},
	)
	r.press(":")
	r.write("look")
	r.press("enter") // it takes nothing, so it runs
	r.has("▸binnacle ledger look")
	r.has("exit status 1")
	r.has("<--workspace=/w s>")
	r.has("<--no-json>")
	r.has("evil ␛[2J here")
	r.press("G")
	r.has("line 59")
	r.hasNot("<ledger>")
	r.press("g")
	r.has("<ledger>")
	r.press("u")
	r.has("close the output first")
	r.press("esc")
	r.hasNot("exit status")

	r.press(":")
	r.write("queue sh")
	r.press("enter")
	r.has("It takes ID.")
	r.press("enter")
	r.has("it needs ID")
	r.write(`"4 2`)
	r.press("enter")
	r.has("is not closed")
	r.write(`" --json`)
	r.press("enter")
	r.has("<4 2>")
	r.has("<--json>")
	r.hasNot("--no-json>")
	r.hasNot("exit status")
	r.press("esc")

	r.press(":")
	r.write("ledger log")
	r.press("enter")
	r.write("--follow=true")
	r.press("enter")
	r.has("does not end by itself")
	r.press("esc")
	if r.c.over.Len() != 0 {
		t.Fatal("esc leaves something open")
	}
}

// TestOutputIsBounded: what a command writes beyond the bound is counted.
func TestOutputIsBounded(t *testing.T) {
	r := newRig(t, rigOptions{})
	run := r.withProgram(`head -c 1000000 /dev/zero | tr '\0' x`)
	text, fault := run.run(context.Background(), nil)
	if fault != "" || len(text) > maxOutput+200 || !strings.HasSuffix(text, "737856 more bytes are not shown; run it in a shell.") {
		t.Fatalf("%d bytes, %q, ends with %q", len(text), fault, text[max(0, len(text)-80):])
	}
}

// TestCommandsEnd: by the time limit, by esc, and with the cockpit; what they
// started ends with them, and what they wrote until then is there.
func TestCommandsEnd(t *testing.T) {
	r := newRig(t, rigOptions{})
	run := r.withProgram("trap 'touch asked; exit 3' TERM; echo began; touch began; sleep 1000 & wait", Command{Words: []string{"forever"}, Help: "Go on."})
	run.timeout = 300 * time.Millisecond
	if text, fault := run.run(context.Background(), nil); fault != "stopped: not done within 300ms" || text != "began\n" && text != "" {
		t.Errorf("%q, %q", text, fault)
	}
	run.timeout = runTimeout

	began := filepath.Join(run.program.Dir, "began")
	for _, by := range []string{"esc", "the cockpit's end"} {
		for _, f := range []string{"began", "asked"} {
			if err := os.RemoveAll(filepath.Join(run.program.Dir, f)); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		run.ctx = ctx
		cmd := r.c.runCommand(Command{Words: []string{"forever"}}, nil)
		told := make(chan any, 1)
		go func() { told <- cmd() }()
		for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			if _, err := os.Stat(began); err == nil {
				break
			}
			if time.Now().After(deadline) {
				t.Fatal("it never began")
			}
		}
		if by == "esc" {
			r.press("esc")
			r.has("was told to stop")
		} else {
			cancel()
		}
		select {
		case m := <-told:
			if _, err := os.Stat(filepath.Join(run.program.Dir, "asked")); err != nil {
				t.Errorf("%s ends it without asking it to end", by)
			}
			r.send(m)
		case <-time.After(time.Minute):
			t.Fatalf("%s does not end it", by)
		}
		cancel()
	}
	run.wait()
	if _, fault := run.run(context.Background(), nil); fault == "" {
		t.Error("a command began after the cockpit's end")
	}
}

func TestWords(t *testing.T) {
	for line, want := range map[string][]string{
		"":                           nil,
		"  a  b\tc ":                 {"a", "b", "c"},
		`--filter 'a "b" c' ''`:      {"--filter", `a "b" c`, ""},
		`"a \"b\" \n \\" x\ y $HOME`: {`a "b" \n \`, "x y", "$HOME"},
		`a"b c"'d'`:                  {"ab cd"},
	} {
		if got, err := splitWords(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s is %q, %v, want %q", line, got, err, want)
		}
	}
	for _, line := range []string{`'a`, `"a`, `a\`} {
		if got, err := splitWords(line); err == nil {
			t.Errorf("%s is %q", line, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.SliceOf(rapid.StringN(1, 8, -1)).Draw(t, "words")
		quoted := make([]string, len(want))
		for i, w := range want {
			quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
		}
		got, err := splitWords(strings.Join(quoted, " "))
		if err != nil || !slices.Equal(got, want) {
			t.Fatalf("%q, %v", got, err)
		}
	})
}
