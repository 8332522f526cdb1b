//go:build linux

package command_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// patience bounds every wait: far more than anything takes, also where other
// work keeps the processors busy.
const patience = 90 * time.Second

// syncOff ends each frame; statusRequest may follow it, and receipt is the
// terminal's answer to that.
const (
	syncOff       = "\x1b[?2026l"
	statusRequest = "\x1b[5n"
	receipt       = "\x1b[0n"
)

// frameEnds says that the last thing written is the end of a frame.
func frameEnds(raw []byte) bool {
	return bytes.HasSuffix(bytes.TrimSuffix(raw, []byte(statusRequest)), []byte(syncOff))
}

// session is a process on a pseudo-terminal whose other end is an emulator that
// is not ours: what a test waits for is what a person would see.
//
// Everything below mu is the reader's and is looked at under mu.
type session struct {
	tb      testing.TB
	cmd     *exec.Cmd
	master  *os.File
	fd      int           // the master's
	before  unix.Termios  // of the terminal, before the process began
	begun   time.Time     // just before the process began
	ended   chan struct{} // closed when the process has ended
	drained chan struct{} // closed when nothing more can come

	mu     sync.Mutex
	em     *vt.Emulator
	modes  map[ansi.Mode]bool // set, and not reset since
	raw    []byte             // written since the last mark
	total  int64              // bytes written so far
	asked  int                // status requests so far
	fresh  chan struct{}      // closed and replaced whenever something was written
	watch  func() bool        // asked after each frame, until it says true
	seen   time.Time          // when watch said true: the instant at which the frame's end was read
	within chan struct{}      // closed when watch said true
}

// sessionOptions say what runs where.
type sessionOptions struct {
	dir  string // where it runs
	w, h int    // 0: 120x40
	env  []string
	args []string
	name string // of the program; "": the real one
	user int    // a user id to run as, 0: one's own
	mute bool   // the terminal answers no status request
	rate int    // bytes a second that the terminal takes, 0: as many as come
}

// begin starts a program on a terminal.
func begin(tb testing.TB, o sessionOptions) *session {
	tb.Helper()
	if o.name == "" {
		o.name = builtFor(tb)
	}
	if o.w == 0 {
		o.w, o.h = 120, 40
	}
	cmd := exec.Command(o.name, o.args...)
	cmd.Dir = o.dir
	cmd.Env = append(terminalEnv(o.dir), o.env...)
	s := &session{
		tb: tb, cmd: cmd, ended: make(chan struct{}), drained: make(chan struct{}),
		em: vt.NewEmulator(o.w, o.h), modes: map[ansi.Mode]bool{}, fresh: make(chan struct{}),
	}
	s.em.SetCallbacks(vt.Callbacks{
		EnableMode:  func(m ansi.Mode) { s.modes[m] = true },
		DisableMode: func(m ansi.Mode) { delete(s.modes, m) },
	})
	s.em.RegisterCsiHandler('n', func(ansi.Params) bool { s.asked++; return true })
	_, _ = s.em.WriteString("what stood here before\r\n")
	master, slave, err := pty.Open()
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = slave.Close() }()
	if err := pty.Setsize(master, &pty.Winsize{Cols: uint16(o.w), Rows: uint16(o.h)}); err != nil {
		tb.Fatal(err)
	}
	// A descriptor that the runtime polls: only then does closing it end a read
	// that waits on it, and with it the terminal. No other test's process may
	// inherit it, for that would keep the terminal alive.
	if s.fd, err = unix.FcntlInt(master.Fd(), unix.F_DUPFD_CLOEXEC, 0); err != nil {
		tb.Fatal(err)
	}
	if err := unix.SetNonblock(s.fd, true); err != nil {
		tb.Fatal(err)
	}
	s.master = os.NewFile(uintptr(s.fd), "master")
	_ = master.Close()
	// Something that is not the default, so that "as it was" is not mistaken for
	// "as it usually is".
	own := s.termios()
	own.Cc[unix.VERASE] = 0x08
	own.Iflag |= unix.IXANY
	if err := unix.IoctlSetTermios(s.fd, unix.TCSETS, &own); err != nil {
		tb.Fatal(err)
	}
	s.before = s.termios()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if o.user != 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(o.user), Gid: uint32(o.user)}
		if err := os.Chown(slave.Name(), o.user, o.user); err != nil {
			tb.Fatal(err)
		}
	}
	s.begun = time.Now()
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	go s.read(o)
	go func() {
		_ = cmd.Wait()
		close(s.ended)
	}()
	tb.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = s.master.Close()
		<-s.ended
		<-s.drained
	})
	return s
}

// terminalEnv is a terminal's environment in which only the test's own folder
// counts.
func terminalEnv(home string) []string {
	out := slices.DeleteFunc(cleanEnv(home), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		switch name {
		case "NO_COLOR", "COLORTERM", "COLORFGBG", "CLICOLOR", "CLICOLOR_FORCE", "COLUMNS", "LINES", "TMUX", "STY", "TERM",
			"VISUAL", "EDITOR", "PAGER":
			return true
		}
		return false
	})
	return append(out, "TERM=xterm-256color", "COLORTERM=truecolor")
}

// read is the terminal: it shows what the process writes, and answers.
func (s *session) read(o sessionOptions) {
	defer close(s.drained)
	buf := make([]byte, 64<<10)
	if o.rate > 0 {
		buf = buf[:max(o.rate/50, 1)]
	}
	for {
		n, err := s.master.Read(buf)
		if o.rate > 0 {
			time.Sleep(time.Duration(n) * time.Second / time.Duration(o.rate))
		}
		at := time.Now()
		s.mu.Lock()
		asked := s.asked
		_, _ = s.em.Write(buf[:n])
		s.raw = append(s.raw, buf[:n]...)
		s.total += int64(n)
		if s.watch != nil && frameEnds(s.raw) && s.watch() {
			s.watch, s.seen = nil, at
			close(s.within)
		}
		asked = s.asked - asked
		close(s.fresh)
		s.fresh = make(chan struct{})
		s.mu.Unlock()
		if err != nil {
			return
		}
		if !o.mute && asked > 0 {
			_, _ = io.WriteString(s.master, strings.Repeat(receipt, asked))
		}
	}
}

// termios are the terminal's settings.
func (s *session) termios() unix.Termios {
	s.tb.Helper()
	t, err := unix.IoctlGetTermios(s.fd, unix.TCGETS)
	if err != nil {
		s.tb.Fatal(err)
	}
	return *t
}

// send types.
func (s *session) send(keys string) {
	s.tb.Helper()
	if _, err := io.WriteString(s.master, keys); err != nil {
		s.tb.Fatal(err)
	}
}

// until waits for a condition, which is asked under the lock.
func (s *session) until(what string, ok func() bool) {
	s.tb.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		s.mu.Lock()
		is, fresh := ok(), s.fresh
		s.mu.Unlock()
		if is {
			return
		}
		select {
		case <-fresh:
			continue
		case <-s.drained:
		case <-limit.C:
		}
		s.mu.Lock()
		is = ok()
		shown, raw := s.em.String(), s.raw[max(0, len(s.raw)-400):]
		s.mu.Unlock()
		if !is {
			s.tb.Fatalf("%s never came; shown:\n%s\nthe newest bytes: %q", what, shown, raw)
		}
		return
	}
}

// shows waits until all the texts are on the screen.
func (s *session) shows(wanted ...string) {
	s.tb.Helper()
	s.until(strings.Join(wanted, ", "), func() bool {
		shown := s.em.String()
		return !slices.ContainsFunc(wanted, func(w string) bool { return !strings.Contains(shown, w) })
	})
}

// showsNot waits until the text is not on the screen.
func (s *session) showsNot(text string) {
	s.tb.Helper()
	s.until("a screen without "+text, func() bool { return !strings.Contains(s.em.String(), text) })
}

// screen is what the terminal shows now.
func (s *session) screen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.em.String()
}

// written is what was written since the last mark.
func (s *session) written() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return string(s.raw)
}

// mark forgets what was written so far.
func (s *session) mark() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.raw = nil
}

// resize changes the terminal's size, as its window would.
func (s *session) resize(w, h int) {
	s.tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.em.Resize(w, h)
	s.raw = nil
	if err := unix.IoctlSetWinsize(s.fd, unix.TIOCSWINSZ, &unix.Winsize{Col: uint16(w), Row: uint16(h)}); err != nil {
		s.tb.Fatal(err)
	}
}

// quiet waits until nothing was written for as long.
func (s *session) quiet(long time.Duration) {
	s.tb.Helper()
	limit := time.Now().Add(patience)
	for time.Now().Before(limit) {
		s.mu.Lock()
		fresh := s.fresh
		s.mu.Unlock()
		select {
		case <-fresh:
		case <-time.After(long):
			return
		}
	}
	s.tb.Fatalf("it never stops writing; shown:\n%s", s.screen())
}

// row is a line of the screen; it is called under the lock.
func (s *session) row(y int) string {
	var b strings.Builder
	for x := range s.em.Width() {
		if c := s.em.CellAt(x, y); c != nil {
			b.WriteString(c.Content)
		}
	}
	return b.String()
}

// timed does something and returns how long it takes until a whole frame is on
// the screen that fulfils a condition.
func (s *session) timed(what string, do func(), ok func() bool) time.Duration {
	s.tb.Helper()
	s.mu.Lock()
	s.watch, s.within = ok, make(chan struct{})
	s.mu.Unlock()
	from := time.Now()
	do()
	select {
	case <-s.within:
	case <-s.drained:
		s.tb.Fatalf("it ended before %s; shown:\n%s", what, s.screen())
	case <-time.After(patience):
		s.tb.Fatalf("%s never came; shown:\n%s", what, s.screen())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen.Sub(from)
}

// leaves waits until the process has ended by itself and returns its status.
func (s *session) leaves() int {
	s.tb.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for _, c := range []chan struct{}{s.ended, s.drained} {
		select {
		case <-c:
		case <-limit.C:
			s.tb.Fatalf("it does not end; shown:\n%s", s.screen())
		}
	}
	return s.cmd.ProcessState.ExitCode()
}

// restored fails unless the terminal is as it was before the cockpit came.
func (s *session) restored() {
	s.tb.Helper()
	if now := s.termios(); now != s.before {
		s.tb.Errorf("the terminal's settings were\n%+v, now they are\n%+v", s.before, now)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.em.IsAltScreen() {
		s.tb.Error("the alternate screen was not left")
	}
	if s.em.CursorHidden() {
		s.tb.Error("the cursor stays hidden")
	}
	if !strings.Contains(s.em.String(), "what stood here before") {
		s.tb.Errorf("what stood there before is gone:\n%s", s.em.String())
	}
	for m := range s.modes {
		if m != ansi.ModeTextCursorEnable && m != ansi.ModeAutoWrap {
			s.tb.Errorf("the mode %v stays on", m)
		}
	}
	// What the emulator keeps no book of: keyboard modes, the keypad, the title.
	for _, m := range []struct{ name, on, off string }{
		{"the kitty keyboard", "\x1b[>1u", "\x1b[<u"},
		{"xterm's modified keys", "\x1b[>4;2m", "\x1b[>4"},
		{"the keypad", "\x1b=", "\x1b>"},
		{"the saved title", "\x1b[22;2t", "\x1b[23;2t"},
	} {
		raw := string(s.raw)
		if on, off := strings.LastIndex(raw, m.on), strings.LastIndex(raw, m.off); off < 0 || on >= off {
			s.tb.Errorf("%s is not put back", m.name)
		}
	}
}

// stat is what the kernel knows of a process: its state, and the processor's
// time that it took.
func stat(tb testing.TB, pid int) (state string, took time.Duration) {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		tb.Fatal(err)
	}
	// The name stands in parentheses and may hold anything.
	f := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	ticks := int64(0)
	for _, i := range []int{11, 12} {
		n, err := strconv.ParseInt(f[i], 10, 64)
		if err != nil {
			tb.Fatal(err)
		}
		ticks += n
	}
	const perSecond = 100 // USER_HZ, which Linux fixes for its users
	return f[0], time.Duration(ticks) * time.Second / perSecond
}

// ran runs the real program to its end, without a terminal, and returns what it
// wrote.
func ran(tb testing.TB, dir string, args ...string) string {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, builtFor(tb), args...)
	cmd.Dir, cmd.Env = dir, cleanEnv(dir)
	out, err := cmd.CombinedOutput()
	if err != nil {
		tb.Fatalf("binnacle %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func builtFor(tb testing.TB) string {
	tb.Helper()
	name, err := program()
	if err != nil {
		tb.Fatal(fmt.Errorf("the program can't be built: %w", err))
	}
	return name
}
