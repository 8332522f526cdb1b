package screen

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/backend/guard"
)

// Guard is what stands between a panic and a broken terminal. Every goroutine
// is started through Go, or by package guard while Watch is in force; every
// command is wrapped by Cmd. At the first panic the
// terminal is restored, the trace is written to a file, its path is printed,
// and Crashed is closed so that the program ends. Panics after the first are
// recovered and dropped: the program is ending already.
type Guard struct {
	dir    string
	stderr io.Writer
	now    func() time.Time

	mu      sync.Mutex
	restore []func()
	once    sync.Once
	crashed chan struct{}
	crash   *Crash
}

// Crash is the error of a program that ended by a panic.
type Crash struct {
	// Where is the name of the goroutine, as given to Go.
	Where string
	// Value is what was passed to panic.
	Value any
	// Path is the file that holds the trace; "" when none could be written.
	Path string
}

// Error says what happened in one line. The value is quoted: it may hold text
// from anywhere.
func (c *Crash) Error() string { return fmt.Sprintf("panic in %s: %q", c.Where, fmt.Sprint(c.Value)) }

// NewGuard returns a guard that writes traces to dir, which is made when it is
// needed, and prints to stderr. Without a dir the trace is printed.
func NewGuard(dir string, stderr io.Writer, now func() time.Time) *Guard {
	return &Guard{dir: dir, stderr: stderr, now: now, crashed: make(chan struct{})}
}

// OnCrash adds a function to run at a panic, before anything is printed. The
// newest is run first.
func (g *Guard) OnCrash(fn func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.restore = append(g.restore, fn)
}

// Crashed is closed once a panic has been dealt with.
func (g *Guard) Crashed() <-chan struct{} { return g.crashed }

// Err returns the *Crash, or nil while there was none.
func (g *Guard) Err() error {
	select {
	case <-g.crashed:
		return g.crash
	default:
		return nil
	}
}

// Watch makes this the guard of every goroutine of the process, the engines'
// among them, until undo is called.
func (g *Guard) Watch() (undo func()) { return guard.Handle(g.caught) }

// Go runs fn in a goroutine of its own. The name is what a trace calls it.
func (g *Guard) Go(name string, fn func()) {
	guard.Go(name, func() {
		defer g.Recover(name)
		fn()
	})
}

// Recover deals with a panic of the function that defers it. It has to be
// deferred as such: defer guard.Recover("name").
func (g *Guard) Recover(name string) {
	v := recover()
	if v != nil {
		g.caught(name, v, debug.Stack())
	}
}

// caught deals with a panic.
func (g *Guard) caught(name string, v any, stack []byte) {
	g.once.Do(func() {
		defer close(g.crashed)
		g.crash = &Crash{Where: name, Value: v}
		g.mu.Lock()
		fns := g.restore
		g.mu.Unlock()
		for i := len(fns) - 1; i >= 0; i-- {
			fns[i]()
		}
		g.report(stack)
	})
}

// report writes the trace and says where it is.
func (g *Guard) report(stack []byte) {
	all := make([]byte, 1<<20)
	all = all[:runtime.Stack(all, true)]
	at := g.now().UTC()
	trace := fmt.Sprintf("%s\n%s\n\n%s\n--- all goroutines\n%s", at.Format(time.RFC3339), g.crash.Error(), stack, all)
	path, err := g.write(at, trace)
	if err != nil {
		fmt.Fprintf(g.stderr, "binnacle: %s\n%s\n", g.crash.Error(), stack)
		return
	}
	g.crash.Path = path
	fmt.Fprintf(g.stderr, "binnacle: %s\nThe trace is in %s\n", g.crash.Error(), path)
}

func (g *Guard) write(at time.Time, trace string) (string, error) {
	if g.dir == "" {
		return "", os.ErrNotExist
	}
	if err := os.MkdirAll(g.dir, 0o700); err != nil {
		return "", fmt.Errorf("make the crash directory: %w", err)
	}
	path := filepath.Join(g.dir, fmt.Sprintf("crash-%s-%d.txt", at.Format("20060102-150405"), os.Getpid()))
	if err := os.WriteFile(path, []byte(trace), 0o600); err != nil {
		return "", fmt.Errorf("write the trace: %w", err)
	}
	return path, nil
}

// Cmd wraps a command, and the commands in the batch or sequence that it may
// return, so that a panic in any of them is dealt with.
func (g *Guard) Cmd(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer g.Recover("command")
		return g.msg(cmd())
	}
}

// msg wraps the commands in a message. A sequence is a type that Bubble Tea
// does not export, so it is known by its shape: a slice of commands.
func (g *Guard) msg(msg tea.Msg) tea.Msg {
	v := reflect.ValueOf(msg)
	if !v.IsValid() || v.Kind() != reflect.Slice || v.Type().Elem() != reflect.TypeFor[tea.Cmd]() {
		return msg
	}
	out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	for i := range v.Len() {
		cmd, _ := v.Index(i).Interface().(tea.Cmd)
		out.Index(i).Set(reflect.ValueOf(g.Cmd(cmd)))
	}
	return out.Interface()
}
