//go:build unix

package screen

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// session is a process on a pseudo-terminal, with an emulator at the other end.
type session struct {
	t       *testing.T
	cmd     *exec.Cmd
	master  *os.File
	fd      int
	exited  chan error
	drained chan struct{} // closed when nothing more can come from the terminal

	mu    sync.Mutex
	em    emulated
	raw   []byte
	fresh chan struct{}
	dir   string
}

// start runs a command on a terminal of 40x8. Its standard output is no
// terminal, so that nothing but us writes to that.
func start(t *testing.T, cmd *exec.Cmd) *session {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	cmd.Stdout = null
	return startShell(t, cmd)
}

// startShell is start for a shell, which writes to the terminal itself.
func startShell(t *testing.T, cmd *exec.Cmd) *session {
	t.Helper()
	s := &session{
		t: t, cmd: cmd, exited: make(chan error, 1), drained: make(chan struct{}), fresh: make(chan struct{}, 1), dir: t.TempDir() + "/crash",
		em: newEmulated(40, 8, true),
	}
	s.em.WriteString("\x1b[m\x1b[?1049l\x1b[H\x1b[2J")
	cmd.Env = append(os.Environ(), "TERM=xterm-256color", "COLORTERM=truecolor", "LC_ALL=C.UTF-8", "TMUX=", "STY=", "NO_COLOR=", "PS1=prompt> ", child+"="+s.dir)
	master, err := pty.StartWithSize(cmd, &pty.Winsize{Cols: 40, Rows: 8})
	if err != nil {
		t.Fatal(err)
	}
	// A descriptor that the runtime polls: only then does closing it end a read
	// that waits on it, and with it the terminal.
	if s.fd, err = unix.Dup(int(master.Fd())); err != nil {
		t.Fatal(err)
	}
	if err := unix.SetNonblock(s.fd, true); err != nil {
		t.Fatal(err)
	}
	s.master = os.NewFile(uintptr(s.fd), "master")
	_ = master.Close()
	go s.read()
	go func() { s.exited <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = s.master.Close()
	})
	return s
}

func (s *session) read() {
	defer close(s.drained)
	buf := make([]byte, 4096)
	for {
		n, err := s.master.Read(buf)
		s.mu.Lock()
		s.em.Write(buf[:n])
		s.raw = append(s.raw, buf[:n]...)
		s.mu.Unlock()
		select {
		case s.fresh <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (s *session) send(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.master, keys); err != nil {
		s.t.Fatal(err)
	}
}

// until waits for a condition on what was written and what is shown.
func (s *session) until(what string, ok func(raw, shown string) bool) {
	s.t.Helper()
	limit := time.After(15 * time.Second)
	for {
		s.mu.Lock()
		raw, shown := string(s.raw), s.em.String()
		s.mu.Unlock()
		if ok(raw, shown) {
			return
		}
		select {
		case <-s.fresh:
		case <-limit:
			s.t.Fatalf("%s never came; shown:\n%s\nwritten: %q", what, shown, raw)
		}
	}
}

// shows waits until the terminal shows a text.
func (s *session) shows(want string) {
	s.t.Helper()
	s.until(want, func(_, shown string) bool { return strings.Contains(shown, want) })
}

// mark forgets what was written so far.
func (s *session) mark() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raw = nil
}

// ends waits for the process and returns its exit code and all that was written.
func (s *session) ends() (code int, raw string) {
	s.t.Helper()
	select {
	case err := <-s.exited:
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			code = exit.ExitCode()
		}
	case <-time.After(15 * time.Second):
		s.t.Fatal("the process did not end")
	}
	// What it wrote last may still be on its way here. A process that it left
	// behind may hold the terminal open.
	select {
	case <-s.drained:
	case <-time.After(2 * time.Second):
	}
	s.until("the restored terminal", func(raw, _ string) bool { return strings.Contains(raw, "\x1b[?2004l") })
	s.mu.Lock()
	defer s.mu.Unlock()
	return code, string(s.raw)
}

// restored checks that the bytes leave the terminal as it was found, once.
func restored(t *testing.T, raw string) {
	t.Helper()
	for name, seq := range map[string]string{
		"alternate screen": "\x1b[?1049l", "cursor": "\x1b[?25h", "autowrap": "\x1b[?7h",
		"paste": "\x1b[?2004l", "focus": "\x1b[?1004l",
	} {
		if n := strings.Count(raw, seq); n != 1 {
			t.Errorf("%s restored %d times (%q)", name, n, seq)
		}
	}
	if on, off := strings.LastIndex(raw, "\x1b[?1000h"), strings.LastIndex(raw, "\x1b[?1000l"); off < on {
		t.Error("the mouse is left on")
	}
	if strings.LastIndex(raw, "\x1b[?1049l") < strings.LastIndex(raw, syncOff) {
		t.Error("a frame was painted after the terminal was given back")
	}
}

func self(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}
