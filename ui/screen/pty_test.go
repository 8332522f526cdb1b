//go:build unix

package screen

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/sys/unix"

	"binnacle/views/text"
)

// child says, in the environment, that the test binary is to be the program
// under test; its value is the directory for traces.
const child = "BINNACLE_SCREEN_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(child); dir != "" {
		os.Exit(program(dir))
	}
	os.Exit(m.Run())
}

// program is a small program on a terminal: it shows what it is sent.
func program(dir string) int {
	guard := NewGuard(dir, os.Stderr, time.Now)
	term, err := Open(Options{Mouse: true, Paste: true, Focus: true, Signals: true, Guard: guard})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	_, err = Run(context.Background(), echo{term: term}, term, 60)
	var crash *Crash
	switch {
	case err == nil:
		fmt.Fprintln(os.Stderr, "left in peace")
		return 0
	case errors.As(err, &crash):
		return 1
	default:
		fmt.Fprintln(os.Stderr, "lost:", err)
		return 3
	}
}

// echo is its model.
type echo struct {
	term    *Terminal
	last    string
	w, h    int
	resumed int
	mouse   bool
}

type explode struct{}

func (m echo) Init() tea.Cmd { return nil }

func (m echo) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.w, m.h = msg.Width, msg.Height
	case ResumedMsg:
		m.resumed++
	case tea.MouseMsg:
		m.last = fmt.Sprintf("%s at %d,%d", msg, msg.X, msg.Y)
	case explode:
		panic("boom in update")
	case tea.KeyMsg:
		m.last = fmt.Sprintf("key %q", msg.String())
		switch msg.String() {
		case "q":
			return m, tea.Quit
		case "ctrl+z":
			return m, tea.Suspend
		case "u":
			return m, func() tea.Msg { return explode{} }
		case "c":
			return m, tea.Sequence(func() tea.Msg { return nil }, func() tea.Msg { panic("boom in a command") })
		case "g":
			m.term.guard.Go("engine", func() { panic("boom in a goroutine") })
		case "m":
			m.term.SetMouse(m.mouse)
			m.mouse = !m.mouse
		case "y":
			_ = m.term.Copy("hi")
		case "e":
			return m, func() tea.Msg {
				tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
				if err != nil {
					return nil
				}
				defer tty.Close()
				cmd := exec.Command("sh", "-c", "echo in the editor; read line; echo edited $line")
				cmd.Stdin, cmd.Stdout = tty, tty
				_ = m.term.Exec(cmd)
				return nil
			}
		}
	}
	return m, nil
}

func (m echo) View() string {
	lines := []string{
		fmt.Sprintf("size %dx%d", m.w, m.h), m.last, fmt.Sprintf("resumed %d", m.resumed), "日本 \x1b[31mred\x1b[0m",
	}
	return strings.Join(text.Block(lines, m.w, m.h), "\n")
}

func TestPTYKeysResizeAndPaste(t *testing.T) {
	s := start(t, exec.Command(self(t)))
	s.shows("size 40x8")
	s.shows("日本 red")
	for _, k := range []struct{ in, want string }{
		{"a", `key "a"`},
		{"\x0c", `key "ctrl+l"`},
		{"\x1b[Z", `key "shift+tab"`},
		{"\x1b[6~", `key "pgdown"`},
		{"\x1b", `key "esc"`},
		{"日", `key "日"`},
		{"\x1b[<0;3;2M", "left press at 2,1"},
		{"\x1b[200~quit\rq\x1b[201~", `key "[quit\nq]"`},
	} {
		s.send(k.in)
		s.shows(k.want)
	}
	s.mu.Lock()
	s.em.Resize(50, 6)
	s.mu.Unlock()
	s.mark()
	if err := unix.IoctlSetWinsize(s.fd, unix.TIOCSWINSZ, &unix.Winsize{Col: 50, Row: 6}); err != nil {
		t.Fatal(err)
	}
	s.shows("size 50x6")
	s.until("a full frame", func(raw, _ string) bool { return strings.Contains(raw, wipe) })
	s.mark()
	s.send("q")
	code, raw := s.ends()
	if code != 0 {
		t.Errorf("exit code %d", code)
	}
	restored(t, raw)
	if strings.Contains(raw, "\x1b]11;?") || strings.Contains(raw, "\x1b[c") || strings.Contains(raw, "\x1b[6n") {
		t.Errorf("the terminal was asked something: %q", raw)
	}
}

// TestPTYKeyIsFewBytes: a key whose effect is one letter is not a screenful.
func TestPTYKeyIsFewBytes(t *testing.T) {
	s := start(t, exec.Command(self(t)))
	s.shows("size 40x8")
	s.send("a")
	s.shows(`key "a"`)
	s.mark()
	s.send("b")
	s.until("the b", func(raw, _ string) bool { return strings.HasSuffix(raw, syncOff) })
	s.mu.Lock()
	raw := string(s.raw)
	s.mu.Unlock()
	if want := syncOn + "\x1b[2;6Hb" + syncOff; raw != want {
		t.Errorf("written %q, want %q", raw, want)
	}
}

func TestPTYMouseOffAndCopy(t *testing.T) {
	s := start(t, exec.Command(self(t)))
	s.shows("size 40x8")
	s.mark()
	s.send("m")
	s.shows(`key "m"`)
	s.until("the mouse off", func(raw, _ string) bool {
		return strings.Contains(raw, "\x1b[?1000l") && !strings.Contains(raw, "\x1b[?1000h")
	})
	s.send("y")
	s.until("the copy", func(raw, _ string) bool { return strings.Contains(raw, "\x1b]52;c;aGk=\x07") })
}

func TestPTYPanics(t *testing.T) {
	for key, boom := range map[string]string{"u": "boom in update", "c": "boom in a command", "g": "boom in a goroutine"} {
		t.Run(boom, func(t *testing.T) {
			s := start(t, exec.Command(self(t)))
			s.shows("size 40x8")
			s.mark()
			s.send(key)
			code, _ := s.ends()
			if code != 1 {
				t.Errorf("exit code %d, want 1", code)
			}
			s.until("the path of the trace", func(raw, _ string) bool { return strings.Contains(raw, ".txt") })
			s.mu.Lock()
			raw := string(s.raw)
			s.mu.Unlock()
			restored(t, raw)
			if strings.Index(raw, "The trace is in") < strings.Index(raw, "\x1b[?1049l") {
				t.Error("the path was printed on the alternate screen")
			}
			files, err := os.ReadDir(s.dir)
			if err != nil || len(files) != 1 {
				t.Fatalf("traces: %v, %v", files, err)
			}
			trace, err := os.ReadFile(s.dir + "/" + files[0].Name())
			if err != nil || !bytes.Contains(trace, []byte(boom)) {
				t.Errorf("the trace does not hold %q (%v)", boom, err)
			}
		})
	}
}

func TestPTYSignalsEndIt(t *testing.T) {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			s := start(t, exec.Command(self(t)))
			s.shows("size 40x8")
			s.mark()
			if err := s.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			code, raw := s.ends()
			if code != 3 || !strings.Contains(raw, "ended by signal: "+sig.String()) {
				t.Errorf("exit code %d, written %q", code, raw)
			}
			restored(t, raw)
		})
	}
}

// TestPTYClosedTerminalEndsIt: when the terminal's window goes, so does the
// program, and soon.
func TestPTYClosedTerminalEndsIt(t *testing.T) {
	s := start(t, exec.Command(self(t)))
	s.shows("size 40x8")
	if err := s.master.Close(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-s.exited:
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.ExitCode() != 3 {
			t.Errorf("ended with %v, want exit code 3", err)
		}
	case <-time.After(15 * time.Second):
		t.Fatal("the process goes on without a terminal")
	}
}

func TestPTYEditor(t *testing.T) {
	s := start(t, exec.Command(self(t)))
	s.shows("size 40x8")
	s.mark()
	s.send("e")
	s.shows("in the editor")
	s.mu.Lock()
	raw, alt := string(s.raw), s.em.IsAltScreen()
	s.mu.Unlock()
	if alt {
		t.Error("the editor runs on our screen")
	}
	restored(t, raw)
	s.send("some text\r")
	s.shows("resumed 1")
	s.until("modes and a full frame", func(raw, _ string) bool {
		for _, seq := range []string{"edited some text", "\x1b[?1049h", "\x1b[?2004h", "\x1b[?1000h", "\x1b[?1004h", wipe} {
			if !strings.Contains(raw, seq) {
				return false
			}
		}
		return true
	})
	s.send("k")
	s.shows(`key "k"`)
	s.send("q")
	if code, _ := s.ends(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// TestPTYSuspend: ctrl+z stops the job, fg brings it back, as a shell sees it.
func TestPTYSuspend(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("needs a shell with job control")
	}
	cmd := exec.Command(bash, "--norc", "--noprofile", "-i")
	s := startShell(t, cmd)
	s.shows("prompt>")
	s.send(self(t) + " >/dev/null\r")
	s.shows("size 40x8")
	s.mark()
	s.send("\x1a")
	s.until("the shell", func(raw, shown string) bool {
		return strings.Contains(raw, "Stopped") && strings.HasSuffix(strings.TrimSpace(shown), "prompt>")
	})
	s.mu.Lock()
	raw := string(s.raw)
	s.mu.Unlock()
	restored(t, raw)
	back := func(resumed int) {
		s.mark()
		s.send("fg\r")
		s.shows(fmt.Sprintf("resumed %d", resumed))
		s.until("a full frame", func(raw, _ string) bool { return strings.Contains(raw, wipe) })
		s.send("x")
		s.shows(`key "x"`)
	}
	back(1)

	// A stop from outside leaves no time to give the terminal back; afterwards
	// it has to be taken anew all the same.
	s.mark()
	pgrp, err := unix.IoctlGetInt(s.fd, unix.TIOCGPGRP)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(-pgrp, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	s.until("the shell", func(raw, _ string) bool { return strings.Contains(raw, "Stopped") })
	back(2)
	s.mark()
	s.send("q")
	s.until("the shell", func(raw, _ string) bool { return strings.Contains(raw, "left in peace") })
	s.send("exit\r")
}

// TestPTYSuspendWithoutShell: where no shell could continue it, ctrl+z is over
// at once rather than for ever.
func TestPTYSuspendWithoutShell(t *testing.T) {
	s := start(t, exec.Command(self(t)))
	s.shows("size 40x8")
	s.send("\x1a")
	s.shows("resumed 1")
	s.send("x")
	s.shows(`key "x"`)
}
