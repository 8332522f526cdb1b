//go:build linux

package command_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"binnacle/backend"
	ws "binnacle/backend/workspace"
	"binnacle/keymap"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/themes"
	"binnacle/ui"
	"binnacle/ui/command"
	"binnacle/ui/command/cockpit"
	"binnacle/ui/screen"
)

// childVar says, in the environment, that the test binary is to be a program
// with a cockpit whose engine is not the real one alone; statusVar names the
// file to which it writes its exit status.
const (
	childVar  = "TEST_CHILD"
	statusVar = "TEST_CHILD_STATUS"
)

// TestChild is that program. Run by itself it does nothing.
func TestChild(t *testing.T) {
	what, name, _ := strings.Cut(os.Getenv(childVar), ":")
	if what == "" {
		return
	}
	env := command.OS()
	switch what {
	case "panic":
		env.Cockpit = childCockpit(&panicking{at: name}, nil, nil)
	case "storm":
		rate, err := strconv.Atoi(name)
		if err != nil {
			t.Fatal(err)
		}
		env.Cockpit = childCockpit(nil, func(ctx context.Context, b *backend.Backend) error { return storm(ctx, b, rate) }, nil)
	case "soak":
		h := &holding{file: name}
		env.Cockpit = childCockpit(nil, h.run, h.drawn)
	default:
		t.Fatalf("there is no %s", what)
	}
	status := command.Main(nil, env)
	if err := os.WriteFile(os.Getenv(statusVar), []byte(strconv.Itoa(status)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// child is the test binary as that program; status waits for its end and
// returns its exit status.
func child(tb testing.TB, what string, o sessionOptions) (s *session, status func() int) {
	tb.Helper()
	self, err := os.Executable()
	if err != nil {
		tb.Fatal(err)
	}
	file := filepath.Join(tb.TempDir(), "status")
	o.name, o.args = self, []string{"-test.run=^TestChild$"}
	// As many threads as the program gives itself at the least: see roomForKeys.
	o.env = append(o.env, "GOMAXPROCS="+strconv.Itoa(max(4, runtime.NumCPU())), childVar+"="+what, statusVar+"="+file)
	s = begin(tb, o)
	return s, func() int {
		tb.Helper()
		s.leaves()
		text, err := os.ReadFile(file)
		if err != nil {
			tb.Fatalf("%v; written %q", err, s.written())
		}
		n, err := strconv.Atoi(string(text))
		if err != nil {
			tb.Fatal(err)
		}
		return n
	}
}

// childCockpit runs the cockpit as the program does, on the real backend behind
// an engine of the test's, with something running beside it, and somebody who is
// told how long frames take.
func childCockpit(engine *panicking, beside func(context.Context, *backend.Backend) error, drawn func(time.Duration)) func(context.Context, cockpit.Launch) error {
	return func(ctx context.Context, run cockpit.Launch) (err error) {
		paths, err := ws.Find(ws.FindOptions{Dir: run.Dir})
		if err != nil {
			return err
		}
		theme, err := themes.Load("dark", nil, run.Env.Getenv)
		if err != nil {
			return err
		}
		crash := filepath.Join(paths.Dir(), "crash")
		guard := screen.NewGuard(crash, run.Env.Stderr, time.Now)
		defer guard.Watch()()
		b, err := backend.Open(ctx, backend.Options{Dir: paths.Dir(), Clock: engine.engines, Producer: "child"})
		if err != nil {
			return err
		}
		ctx, cancel := context.WithCancel(ctx)
		done := make(chan error, 1)
		defer func() {
			cancel()
			err = errors.Join(err, <-done, b.Close())
		}()
		b.Run(ctx)
		if beside == nil {
			beside = func(context.Context, *backend.Backend) error { return nil }
		}
		go func() { done <- beside(ctx, b) }()
		o := ui.RunOptions{
			Desk: b, Guard: guard, Place: ui.Place{Workspace: "~", CrashDir: crash}, Keys: keymap.Default(),
			Theme: theme, Themes: []themes.Theme{theme}, Glyphs: themes.Unicode(), Clock: run.Env.Clock, Zone: time.UTC, Mouse: true,
			Getenv: run.Env.Getenv, Environ: run.Env.Environ, Drawn: drawn,
		}
		if engine != nil {
			engine.Desk = b
			o.Desk, o.Clock = engine, engine.clock
		}
		return ui.Run(ctx, o)
	}
}

// panicking is an engine that panics where it is told to, once a detail is
// asked for.
type panicking struct {
	desk.Desk
	at    string
	armed atomic.Bool
	gone  atomic.Bool
}

// clock is read in every update.
func (p *panicking) clock() model.Reading {
	if p.at == "update" && p.armed.Load() && !p.gone.Swap(true) {
		panic("boom in an update")
	}
	return model.Reading{Wall: model.WallClock()}
}

// engines is the clock of the engines. It panics in a duty's goroutine, which
// the backend started.
func (p *panicking) engines() model.Reading {
	if p != nil && p.at == "duty" && p.armed.Load() && bytes.Contains(debug.Stack(), []byte("reapLoop")) {
		panic("boom in a duty")
	}
	return model.Reading{Wall: model.WallClock()}
}

func (p *panicking) Detail(ctx context.Context, of desk.Ref) (desk.Detail, error) {
	switch p.at {
	case "command":
		panic("boom in a command")
	case "update", "duty":
		p.armed.Store(true)
	}
	return p.Desk.Detail(ctx, of)
}

func (p *panicking) Follow(ctx context.Context, r desk.FollowRequest) (desk.Feed, error) {
	feed, err := p.Desk.Follow(ctx, r)
	return panickingFeed{feed, p}, err
}

type panickingFeed struct {
	desk.Feed
	of *panicking
}

func (f panickingFeed) Next(ctx context.Context) ([]desk.Item, error) {
	items, err := f.Feed.Next(ctx)
	if f.of.at == "goroutine" && len(items) > 0 {
		panic("boom in a goroutine \x1b[2J")
	}
	return items, err
}

// A panic anywhere restores the terminal first; then the trace's path is
// printed, and the file has the trace.
func TestPTYPanics(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ at, says string }{
		{"command", "boom in a command"},
		{"update", "boom in an update"},
		{"goroutine", "boom in a goroutine"},
		{"duty", "boom in a duty"},
	} {
		t.Run(c.at, func(t *testing.T) {
			dir := t.TempDir()
			w := workspaceIn(t, dir)
			b := openIn(t, w, nil)
			fill(t, b)
			s, status := child(t, "panic:"+c.at, sessionOptions{dir: dir, w: 200, h: 60})
			s.shows("compiled 119")
			if c.at == "goroutine" {
				fill(t, b)
			} else {
				s.send("\r")
			}
			for end := time.Now().Add(time.Minute); c.at == "duty" && time.Now().Before(end); {
				fill(t, b) // the duties look after a commit, and at last after the detail was asked for
				if traces, _ := filepath.Glob(filepath.Join(w.Dir(), "crash", "*.txt")); len(traces) > 0 {
					break
				}
			}
			if got := status(); got != 1 {
				t.Errorf("it ends with %d", got)
			}
			s.restored()
			traces, err := filepath.Glob(filepath.Join(w.Dir(), "crash", "*.txt"))
			if err != nil || len(traces) != 1 {
				t.Fatalf("the traces are %v (%v)", traces, err)
			}
			raw := s.written()
			said := strings.LastIndex(raw, "The trace is in "+traces[0])
			if said < strings.LastIndex(raw, "\x1b[?1049l") {
				t.Errorf("the path of the trace is not said on the screen that stays: %q", raw[max(0, len(raw)-900):])
			}
			if strings.Contains(raw[strings.LastIndex(raw, "\x1b[?1049l")+8:], "\x1b[2J") {
				t.Error("what the panic said is printed raw")
			}
			trace, err := os.ReadFile(traces[0])
			if err != nil || !strings.Contains(string(trace), c.says) || !strings.Contains(string(trace), "panicking") {
				t.Errorf("the trace (%v) is %s", err, trace)
			}
			if n := strings.Count(raw, c.says); n != 1 {
				t.Errorf("the panic is told %d times: %q", n, raw[max(0, len(raw)-900):])
			}
		})
	}
}

// Bounds of one transaction of a storm.
const (
	stormBatch = 200
	stormMost  = 4000
)

// storm writes events at a rate until ctx ends: whenever there are enough for a
// transaction, all that are due by then.
func storm(ctx context.Context, b *backend.Backend, perSecond int) error {
	tick := time.NewTicker(time.Duration(stormBatch) * time.Second / time.Duration(perSecond))
	defer tick.Stop()
	from := time.Now()
	for n := 0; ; {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		due := min(int(time.Since(from).Seconds()*float64(perSecond))-n, stormMost)
		if due < 1 {
			continue
		}
		if _, err := b.Ledger.EmitBatch(ctx, stormOf(n, due)); err != nil && ctx.Err() == nil {
			return fmt.Errorf("the storm: %w", err)
		}
		n += due
	}
}
