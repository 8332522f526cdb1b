package screen

import (
	"bytes"
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"go.uber.org/goleak"
)

// wire is a line of which the test takes the bytes, 2,000 of them a second by
// the terminal's own clock. All of it is the fakeTty's and looked at under its
// lock.
type wire struct {
	under    []byte // on their way
	all      []byte // put so far
	taken    int    // of all
	requests int    // put so far
	answers  int    // given so far
	twice    bool   // something was put while a request was unanswered
	asked    int    // requests that the emulator has just taken
	now      time.Time
}

func (w *wire) put(p []byte) int {
	w.twice = w.twice || w.requests > w.answers
	w.under, w.all = append(w.under, p...), append(w.all, p...)
	w.requests += bytes.Count(p, []byte(statusRequest))
	return len(p)
}

// onWire puts a slow line before a terminal.
func onWire(f *fakeTty, term *Terminal) *wire {
	w := &wire{now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)}
	f.em.RegisterCsiHandler('n', func(ansi.Params) bool { w.asked++; return true })
	f.set(func() { f.wire = w })
	term.now = func() time.Time {
		f.mu.Lock()
		defer f.mu.Unlock()
		return w.now
	}
	return w
}

// step lets the terminal take up to n bytes and answer; where none are on their
// way, time passes.
func (f *fakeTty) step(n int) {
	f.mu.Lock()
	w := f.wire
	n = min(n, len(w.under))
	f.em.Write(w.under[:n])
	w.under, w.taken = w.under[n:], w.taken+n
	w.now = w.now.Add(time.Duration(max(n, 20)) * time.Second / 2000)
	asked := w.asked
	w.asked, w.answers = 0, w.answers+asked
	f.mu.Unlock()
	for range asked {
		f.keys <- []byte("\x1b[0n")
	}
	if n == 0 {
		time.Sleep(time.Millisecond) // the program's turn
	}
}

// storming is a model of which each tick changes all rows; a key shows a help
// over all of it, in letters that nothing else has.
type storming struct {
	w, h, n int
	help    bool
}

func (s storming) Init() tea.Cmd { return nil }

func (s storming) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		s.w, s.h = msg.Width, msg.Height
	case tick:
		s.n = int(msg)
	case tea.KeyMsg:
		if msg.String() == "q" {
			return s, tea.Quit
		}
		s.help = !s.help
	}
	return s, nil
}

func (s storming) View() string {
	rows := make([]string, s.h)
	for y := range rows {
		if s.help {
			rows[y] = strings.Repeat(string(rune('A'+y%26)), s.w)
			continue
		}
		rows[y] = strings.Repeat(string(rune('a'+(y+s.n)%26)), s.w)
	}
	return strings.Join(rows, "\n")
}

var sequences = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

// TestSlowLine: on a line that takes a little at a time no write is put behind
// one that the terminal has not answered; what a key did is there after few
// bytes, the top first; and of what it replaced nothing is sent any more.
func TestSlowLine(t *testing.T) {
	defer goleak.VerifyNone(t)
	f := newFakeTty(100, 40)
	term := openFake(t, f)
	w := onWire(f, term)
	done := make(chan error, 1)
	go func() {
		_, err := Run(context.Background(), storming{}, term, 1000)
		done <- err
	}()
	ticks := 0
	until := func(what string, ok func() bool) {
		t.Helper()
		for limit := time.Now().Add(20 * time.Second); ; {
			f.mu.Lock()
			is := ok()
			f.mu.Unlock()
			if is {
				return
			}
			if time.Now().After(limit) {
				t.Fatalf("%s never came; shown:\n%s", what, f.em.String())
			}
			ticks++
			term.inbox.put(tick(ticks))
			f.step(50)
		}
	}
	shown := func(y int, letter string) bool {
		return strings.Contains(strings.Split(f.em.String(), "\n")[y], strings.Repeat(letter, 100))
	}
	until("a long storm", func() bool { return w.taken > 20000 })
	until("a frame on its way", func() bool { return len(w.under) > 200 })
	before, flight := 0, 0
	f.set(func() { before, flight = w.taken, len(w.all) })
	f.keys <- []byte("?")
	// Until the program has seen the key the line stands still.
	f.eventually(t, "the key", func() bool { return len(f.keys) == 0 })
	until("the help's first row", func() bool { return shown(0, "A") })
	f.mu.Lock()
	if n := w.taken - before; n > 3000 {
		t.Errorf("the help's first row came after %d bytes", n)
	}
	f.mu.Unlock()
	until("the whole help", func() bool { return shown(39, "N") })
	f.mu.Lock()
	defer f.mu.Unlock()
	if stale := strings.Trim(sequences.ReplaceAllString(string(w.all[flight:]), ""), "ABCDEFGHIJKLMNOPQRSTUVWXYZ\r\n\b"); stale != "" {
		t.Errorf("after the key this was sent: %q", stale)
	}
	if w.twice {
		t.Error("a frame was put behind one that was not answered")
	}
	if n := w.requests; n < 10 {
		t.Errorf("%d frames in all", n)
	}
	f.mu.Unlock()
	f.keys <- []byte("q")
	var err error
	for over := false; !over; {
		select {
		case err = <-done:
			over = true
		default:
			f.step(50)
		}
	}
	f.mu.Lock()
	if err != nil {
		t.Errorf("Run: %v", err)
	}
}

// TestLeaveWaitsForTheReceipt: the terminal is given back after it has
// answered, or else the answer would be typed into the shell.
func TestLeaveWaitsForTheReceipt(t *testing.T) {
	defer goleak.VerifyNone(t)
	for name, leave := range map[string]func(term *Terminal){
		"close": (*Terminal).Close, "release": func(term *Terminal) { _ = term.Release() },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFakeTty(20, 3)
			term := openFake(t, f)
			defer term.Close()
			w := onWire(f, term)
			term.line.answers = true
			if _, err := term.paintSlice("mine", nil); err != nil {
				t.Fatal(err)
			}
			done := make(chan struct{})
			go func() {
				leave(term)
				close(done)
			}()
			f.mu.Lock()
			if strings.Join(f.log, " ") != "start" || w.requests != 1 {
				t.Errorf("the terminal saw %q, with %d requests", f.log, w.requests)
			}
			f.mu.Unlock()
			f.step(1000)
			<-done
			term.line.mu.Lock()
			defer term.line.mu.Unlock()
			if term.line.latency == 0 {
				t.Error("the answer was not waited for")
			}
		})
	}
}

// TestSliceWritesKeyRowsFirst: the rows that a key changed come before those
// whose turn it is, from the top.
func TestSliceWritesKeyRowsFirst(t *testing.T) {
	const w, h = 100, 10
	rows := func(letter string) string {
		return strings.TrimSuffix(strings.Repeat(strings.Repeat(letter, w)+"\n", h), "\n")
	}
	p := NewPainter(everything)
	p.Frame(rows("a"), w, h)
	first := make([]bool, h)
	first[6], first[8] = true, true
	for _, want := range []int{6, 8, 0, 1} {
		if _, whole := p.Slice(rows("b"), w, h, 150, first); whole {
			t.Fatal("the frame is whole after one slice")
		}
		if p.shown.At(0, want).Content != "b" {
			t.Fatalf("row %d is not the next:\n%s", want, Golden(p.shown, "shown"))
		}
	}
	if first[6] || first[8] {
		t.Errorf("rows that are shown still count as waited for: %v", first)
	}
}

// TestFramesKeepToTheBudget: what is written at once is what the line takes in a
// moment, from the first write on.
func TestFramesKeepToTheBudget(t *testing.T) {
	f := newFakeTty(100, 40)
	term := openFake(t, f)
	defer term.Close()
	w := onWire(f, term)
	for n, limit := range []int{minSlice, 1000, 1000} {
		before := len(w.all)
		if whole, err := term.paintSlice(storming{w: 100, h: 40, n: n}.View(), nil); err != nil || whole {
			t.Fatalf("slice %d: whole %t, %v", n, whole, err)
		}
		if size := len(w.all) - before; size == 0 || size > limit {
			t.Fatalf("slice %d is of %d bytes, want at most %d", n, size, limit)
		}
		f.step(len(w.under))
		f.eventually(t, "the receipt", func() bool {
			term.line.mu.Lock()
			defer term.line.mu.Unlock()
			return term.line.asked.IsZero()
		})
	}
}
