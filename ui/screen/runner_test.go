package screen

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/gdamore/tcell/v2"
	"go.uber.org/goleak"

	"binnacle/views/text"
)

// fakeTty is a terminal in memory: an emulator, keys to be typed, and a gate
// that can be closed to make it slow, or broken.
type fakeTty struct {
	mu      sync.Mutex
	gate    sync.Cond
	em      emulated
	shut    bool
	broken  error
	writes  int
	waiting int
	keys    chan []byte
	drained chan struct{}
	wire    *wire // where bytes wait to be taken, nil: they are taken at once
	cb      func()
	w, h    int
	log     []string // Start, Stop, Close
}

func newFakeTty(w, h int) *fakeTty {
	f := &fakeTty{em: newEmulated(w, h, true), keys: make(chan []byte, 16), w: w, h: h}
	f.gate.L = &f.mu
	return f
}

func (f *fakeTty) note(what string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, what)
}

func (f *fakeTty) Start() error {
	f.note("start")
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drained = make(chan struct{})
	return nil
}

func (f *fakeTty) Drain() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.drained)
	return nil
}

func (f *fakeTty) Stop() error  { f.note("stop"); return nil }
func (f *fakeTty) Close() error { f.note("close"); return nil }

func (f *fakeTty) NotifyResize(cb func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.cb = cb
}

func (f *fakeTty) WindowSize() (tcell.WindowSize, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return tcell.WindowSize{Width: f.w, Height: f.h}, nil
}

func (f *fakeTty) Read(p []byte) (int, error) {
	f.mu.Lock()
	drained := f.drained
	f.mu.Unlock()
	select {
	case k, ok := <-f.keys:
		if !ok {
			return 0, io.EOF
		}
		return copy(p, k), nil
	case <-drained:
		return 0, os.ErrDeadlineExceeded
	}
}

func (f *fakeTty) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.waiting++
	for f.shut {
		f.gate.Wait()
	}
	f.waiting--
	if f.broken != nil {
		return 0, f.broken
	}
	f.writes++
	if f.wire != nil {
		return f.wire.put(p), nil
	}
	return f.em.Write(p)
}

// set changes how the terminal behaves.
func (f *fakeTty) set(change func()) {
	f.mu.Lock()
	change()
	f.mu.Unlock()
	f.gate.Broadcast()
}

// eventually waits for a condition that is looked at under the lock.
func (f *fakeTty) eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for limit := time.Now().Add(10 * time.Second); time.Now().Before(limit); {
		f.mu.Lock()
		done := ok()
		f.mu.Unlock()
		if done {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%s never came; shown:\n%s", what, f.em.String())
}

func (f *fakeTty) shows(t *testing.T, want string) {
	t.Helper()
	f.eventually(t, want, func() bool { return strings.Contains(f.em.String(), want) })
}

func openFake(t *testing.T, f *fakeTty) *Terminal {
	t.Helper()
	term, err := Open(Options{
		Tty: f, Mouse: true, Paste: true, Caps: &everything, Guard: NewGuard("", io.Discard, time.Now),
		Env: func(k string) string { return map[string]string{"TERM": "xterm-256color"}[k] },
	})
	if err != nil {
		t.Fatal(err)
	}
	return term
}

// counting is a model that counts what is asked of it.
type counting struct {
	mu            *sync.Mutex
	updates, view *int
	w, h          int
	n             int
	still         bool
	key           string
}

func newCounting() counting { return counting{mu: new(sync.Mutex), updates: new(int), view: new(int)} }

type tick int

func (c counting) Init() tea.Cmd { return nil }

func (c counting) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	c.mu.Lock()
	defer c.mu.Unlock()
	*c.updates++
	c.still = false
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		c.w, c.h = msg.Width, msg.Height
	case tick:
		c.n = int(msg)
		c.still = msg < 0
	case tea.KeyMsg:
		c.key = msg.String()
		if c.key == "q" {
			return c, tea.Quit
		}
	}
	return c, nil
}

func (c counting) Dirty() bool { return !c.still }

func (c counting) View() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	*c.view++
	return strings.Join(text.Block([]string{fmt.Sprintf("tick %d", c.n), "key " + c.key}, c.w, c.h), "\n")
}

func (c counting) seen() (updates, views int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return *c.updates, *c.view
}

// TestRunnerDrawsWhatChanged drives the runner with a clock of its own.
func TestRunnerDrawsWhatChanged(t *testing.T) {
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	c := newCounting()
	sent := make(chan tea.Msg, 16)
	r := &runner{
		inner: c, guard: NewGuard("", io.Discard, time.Now), now: func() time.Time { return now },
		send: func(m tea.Msg) { sent <- m }, frames: make(chan frame, 1), pace: pace{every: 33 * time.Millisecond},
	}
	step := func(after time.Duration, msg tea.Msg, wantViews int, why string) {
		t.Helper()
		now = now.Add(after)
		r.Update(msg)
		if _, views := c.seen(); views != wantViews {
			t.Fatalf("%s: %d views so far, want %d", why, views, wantViews)
		}
	}
	key := tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune{'x'}}
	step(0, tick(1), 0, "no frame before the size is known")
	step(0, tea.WindowSizeMsg{Width: 9, Height: 2}, 1, "the first frame comes at once")
	step(time.Second, tick(-1), 1, "nothing visible changed")
	step(time.Second, tick(2), 2, "a change after a while shows at once")
	step(time.Millisecond, tick(3), 2, "the next one waits")
	step(time.Millisecond, tick(4), 2, "and the next")
	step(14*time.Millisecond, key, 3, "a key shows 16 ms after the last frame")
	step(time.Millisecond, key, 3, "but not sooner")
	step(15*time.Millisecond, frameMsg{}, 4, "what waited is drawn when it is due")
	step(time.Second, frameMsg{}, 4, "a late timer draws nothing anew")
	if f := <-r.frames; !strings.Contains(f.text, "tick 4") {
		t.Errorf("the painter has %q, want the newest frame", f.text)
	}
	select {
	case msg := <-sent:
		if _, ok := msg.(frameMsg); !ok {
			t.Errorf("sent %T", msg)
		}
	case <-time.After(10 * time.Second):
		t.Error("the frame put off was never called for")
	}
}

// TestSlowTerminal: while the terminal takes nothing, updates go on; when it
// does again, it gets the newest frame and none of those between.
func TestSlowTerminal(t *testing.T) {
	defer goleak.VerifyNone(t)
	f := newFakeTty(20, 3)
	term := openFake(t, f)
	c := newCounting()
	done := make(chan error, 1)
	go func() {
		_, err := Run(context.Background(), c, term, 1000)
		done <- err
	}()
	f.shows(t, "tick 0")
	f.set(func() { f.shut = true })
	term.inbox.put(tick(1))
	f.eventually(t, "a write that waits", func() bool { return f.waiting > 0 })
	for i := 2; i <= 500; i++ {
		term.inbox.put(tick(i))
	}
	f.eventually(t, "all updates", func() bool { u, _ := c.seen(); return u >= 501 })
	before := 0
	f.set(func() { before, f.shut = f.writes, false })
	f.shows(t, "tick 500")
	f.mu.Lock()
	if n := f.writes - before; n > 5 {
		t.Errorf("%d frames were written after the stall", n)
	}
	f.mu.Unlock()
	f.keys <- []byte("q")
	if err := <-done; err != nil {
		t.Errorf("Run: %v", err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if got := strings.Join(f.log, " "); got != "start stop close" {
		t.Errorf("the terminal saw %q", got)
	}
	if f.em.IsAltScreen() || f.em.CursorHidden() {
		t.Error("the terminal was left as it was")
	}
}

// TestBrokenTerminal: a write that fails, and input that ends, end the program
// with one error, and leave nothing behind.
func TestBrokenTerminal(t *testing.T) {
	for name, breaks := range map[string]func(f *fakeTty, term *Terminal){
		"write": func(f *fakeTty, term *Terminal) {
			f.set(func() { f.broken = syscall.EIO })
			term.inbox.put(tick(1))
		},
		"end of input": func(f *fakeTty, _ *Terminal) { close(f.keys) },
	} {
		t.Run(name, func(t *testing.T) {
			defer goleak.VerifyNone(t)
			f := newFakeTty(20, 3)
			term := openFake(t, f)
			done := make(chan error, 1)
			go func() {
				_, err := Run(context.Background(), newCounting(), term, 0)
				done <- err
			}()
			f.shows(t, "tick 0")
			breaks(f, term)
			select {
			case err := <-done:
				if !errors.Is(err, ErrLost) {
					t.Errorf("Run: %v, want %v", err, ErrLost)
				}
			case <-time.After(10 * time.Second):
				t.Fatal("the program goes on")
			}
			if err := term.Paint("x"); !errors.Is(err, ErrClosed) {
				t.Errorf("Paint afterwards: %v", err)
			}
			if err := term.Release(); !errors.Is(err, ErrClosed) {
				t.Errorf("Release afterwards: %v", err)
			}
			term.Close()
		})
	}
}

func TestContextEndsRun(t *testing.T) {
	defer goleak.VerifyNone(t)
	f := newFakeTty(20, 3)
	ctx, cancel := context.WithCancel(context.Background())
	term := openFake(t, f)
	done := make(chan error, 1)
	go func() {
		_, err := Run(ctx, newCounting(), term, 0)
		done <- err
	}()
	f.shows(t, "tick 0")
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Run: %v", err)
	}
}

// TestResizeThereAndBack: a terminal that changed its size and changed it back
// may have lost what it showed; tcell alone would not say so.
func TestResizeThereAndBack(t *testing.T) {
	f := newFakeTty(20, 3)
	term := openFake(t, f)
	defer term.Close()
	if err := term.Paint("one\ntwo"); err != nil {
		t.Fatal(err)
	}
	f.shows(t, "two")
	f.mu.Lock()
	f.em.WriteString("\x1b[2J")
	cb := f.cb
	f.mu.Unlock()
	cb()
	if err := term.Paint("one\ntwo"); err != nil {
		t.Fatal(err)
	}
	f.shows(t, "two")
}

// TestTcellDrawsNothing: after tcell was told of a new size it draws its own
// empty cells; none of that may reach the terminal.
func TestTcellDrawsNothing(t *testing.T) {
	f := newFakeTty(20, 3)
	term := openFake(t, f)
	defer term.Close()
	f.set(func() { f.w, f.h = 30, 4; f.em.Resize(30, 4) })
	f.mu.Lock()
	cb := f.cb
	f.mu.Unlock()
	cb()
	// tcell's size is set by the same goroutine that draws.
	f.eventually(t, "tcell's new size", func() bool { w, _ := term.screen.Size(); return w == 30 })
	if err := term.Paint("mine"); err != nil {
		t.Fatal(err)
	}
	before := 0
	f.set(func() { before = f.writes })
	term.screen.Sync() // draws all of its cells
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.writes != before || !strings.Contains(f.em.String(), "mine") {
		t.Errorf("tcell wrote %d times; shown:\n%s", f.writes-before, f.em.String())
	}
}

func TestReleaseAndResume(t *testing.T) {
	defer goleak.VerifyNone(t)
	f := newFakeTty(20, 3)
	term := openFake(t, f)
	if err := term.Paint("mine"); err != nil {
		t.Fatal(err)
	}
	if err := term.Release(); err != nil {
		t.Fatal(err)
	}
	f.set(func() {
		if f.em.IsAltScreen() {
			t.Error("still on our screen")
		}
		f.em.WriteString("theirs")
	})
	if err := term.Paint("not now"); err != nil {
		t.Fatal(err)
	}
	f.shows(t, "theirs")
	if err := term.Resume(); err != nil {
		t.Fatal(err)
	}
	if err := term.Paint("mine"); err != nil {
		t.Fatal(err)
	}
	f.shows(t, "mine")
	term.Close()
	term.Close()
	if got := strings.Join(f.log, " "); got != "start stop start stop close" {
		t.Errorf("the terminal saw %q", got)
	}
}

func TestOpenRefuses(t *testing.T) {
	for _, term := range []string{"", "dumb"} {
		_, err := Open(Options{Tty: newFakeTty(9, 9), Env: func(string) string { return term }})
		if !errors.Is(err, ErrNotTerminal) {
			t.Errorf("TERM=%q: %v", term, err)
		}
	}
	f := newFakeTty(9, 9)
	unknown, err := Open(Options{Tty: f, Env: func(k string) string {
		return map[string]string{"TERM": "a-terminal-of-tomorrow"}[k]
	}})
	if err != nil {
		t.Fatalf("an unknown terminal is refused: %v", err)
	}
	unknown.Close()
}
