//go:build linux

package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The cockpit opens on an empty and on a busy workspace, asks the terminal
// nothing, and q leaves it as it was.
func TestPTYOpensAndLeaves(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		fill  bool
		shows []string
	}{
		{"empty", false, []string{"1 Events", "2 Planes", "3 Lanes", "4 Leases", "0 events", "Every event of the workspace"}},
		{"busy", true, []string{"compiled 119", "121 disk", "flaky test", "job-42"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			w := workspaceIn(t, dir)
			if c.fill {
				b := openIn(t, w, nil)
				fill(t, b)
				leased(t, b)
			}
			s := begin(t, sessionOptions{dir: dir})
			s.shows(c.shows...)
			s.mu.Lock()
			if !s.em.IsAltScreen() || !s.em.CursorHidden() {
				t.Error("it does not draw on the alternate screen, or the cursor is shown")
			}
			s.mu.Unlock()
			if s.termios() == s.before {
				t.Error("the terminal is not in raw mode")
			}
			s.send("q")
			if status := s.leaves(); status != 0 {
				t.Errorf("it ends with %d", status)
			}
			s.restored()
			for _, question := range []string{"\x1b[c", "\x1b[0c", "\x1b[>c", "\x1b[6n", "?\x07", "?\x1b\\", "$p"} {
				if strings.Contains(s.written(), question) {
					t.Errorf("the terminal was asked more than for receipts: %q", question)
				}
			}
		})
	}
}

// A signal ends the cockpit as it ends any program, and the terminal is as it
// was.
func TestPTYSignals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	workspaceIn(t, dir)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		s := begin(t, sessionOptions{dir: dir})
		s.shows("1 Events")
		if err := s.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		if status := s.leaves(); status != 128+int(sig) {
			t.Errorf("%s: it ends with %d, having written %q", sig, status, s.written())
		}
		s.restored()
	}
}

// When the terminal's window is closed the process ends, and does not spend
// the processor's time on a terminal that is no more.
func TestPTYClosedTerminal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := workspaceIn(t, dir)
	fill(t, openIn(t, w, nil))
	s := begin(t, sessionOptions{dir: dir})
	s.shows("compiled 119")
	_, before := stat(t, s.cmd.Process.Pid)
	if err := s.master.Close(); err != nil {
		t.Fatal(err)
	}
	s.leaves()
	took := s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime()
	if took-before > 2*time.Second {
		t.Errorf("ending took %s of a processor", took-before)
	}
	traces, err := filepath.Glob(filepath.Join(dir, ".binnacle", "crash", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range traces {
		trace, err := os.ReadFile(name)
		t.Errorf("there is a trace of a crash (%v): %s", err, trace)
	}
}

// ctrl+z gives the terminal back to the shell, fg returns to a full screen, and
// the keys go on working.
func TestPTYSuspend(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs a shell with job control")
	}
	dir := t.TempDir()
	w := workspaceIn(t, dir)
	fill(t, openIn(t, w, nil))
	s := begin(t, sessionOptions{
		dir: dir, name: bash, args: []string{"--norc", "--noprofile", "--noediting", "-i"}, env: []string{"PS1=prompt> "},
	})
	s.shows("prompt>")
	s.send(builtFor(t) + " & echo started $!; fg >/dev/null\r")
	started := regexp.MustCompile(`started (\d+)`)
	s.shows("2 Planes", "compiled 119")
	found := started.FindStringSubmatch(s.written())
	if found == nil {
		t.Fatalf("the shell does not name the process: %q", s.written())
	}
	pid, err := strconv.Atoi(found[1])
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		s.mark()
		s.send("\x1a")
		s.until("the shell's prompt", func() bool {
			return strings.Contains(string(s.raw), "Stopped") && strings.HasSuffix(strings.TrimSpace(s.em.String()), "prompt>")
		})
		if state, _ := stat(t, pid); state != "T" {
			t.Errorf("the process is in state %s, not stopped", state)
		}
		s.mu.Lock()
		if s.em.IsAltScreen() || s.em.CursorHidden() {
			t.Error("the shell does not have its own screen back")
		}
		s.mu.Unlock()
		s.mark()
		s.send("fg >/dev/null\r")
		s.shows("2 Planes", "compiled 119")
		s.send("?")
		s.shows("esc closes")
		s.send("\x1b")
		s.showsNot("esc closes")
	}
	s.mark()
	s.send("q")
	s.until("the shell's prompt", func() bool { return strings.HasSuffix(strings.TrimSpace(s.em.String()), "prompt>") })
	s.send("exit\r")
	s.leaves()
	s.restored()
}

// The layout follows the terminal's size, down to a single cell and back.
func TestPTYResize(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := workspaceIn(t, dir)
	fill(t, openIn(t, w, nil))
	s := begin(t, sessionOptions{dir: dir})
	s.shows("2 Planes", "compiled 119")
	for _, c := range []struct {
		w, h  int
		shows []string
	}{
		{200, 60, []string{"2 Planes", "6 Needs you", "compiled 70"}},
		{80, 24, []string{"[1 Events]", "6 Needs you", "compiled 119"}},
		{39, 9, []string{"binnacle needs 40x10, this is 39x9"}},
		{12, 1, []string{"40x10 needed"}},
		{1, 1, nil},
		{2, 50, nil},
		{120, 40, []string{"2 Planes", "4 Leases", "compiled 119"}},
	} {
		s.resize(c.w, c.h)
		s.until("a frame of "+strconv.Itoa(c.w)+"x"+strconv.Itoa(c.h), func() bool {
			return frameEnds(s.raw)
		})
		s.shows(c.shows...)
	}
	s.send("q")
	if status := s.leaves(); status != 0 {
		t.Errorf("it ends with %d", status)
	}
}
