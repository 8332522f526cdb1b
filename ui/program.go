package ui

import (
	"context"
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"binnacle/model"
	"binnacle/ui/record"
)

// Command is a command of the program's that the palette offers.
type Command struct {
	Words   []string // what is typed after the program's name, e.g. "ledger", "verify"
	Help    string   // one short sentence
	Takes   string   // its arguments as its usage has them, e.g. "TOPIC [PAYLOAD]"; "" for none
	Needs   bool     // it can't do without an argument
	Flags   []string // its own flags, e.g. "--limit"
	Endless []string // flags with which it would not end by itself
}

// Program is the binary itself, as the cockpit runs commands of it.
type Program struct {
	Path     string // of the executable; "" is none
	Args     []string
	Dir      string // where it runs
	Environ  func() []string
	Commands func() []Command // asked when the palette is opened for the first time
}

// Bounds of a command that the cockpit runs.
const (
	runTimeout = time.Minute
	runGrace   = 2 * time.Second // from asking it to end to ending it
	maxOutput  = 256 << 10       // bytes of what it wrote that are shown
)

// runner runs commands of the program in the background. They end with it.
type runner struct {
	ctx     context.Context
	program Program
	timeout time.Duration // of one command
	mu      sync.Mutex
	closed  bool
	running sync.WaitGroup
	listed  []Command // once the palette was open
}

func newRunner(ctx context.Context, p Program) *runner {
	return &runner{ctx: ctx, program: p, timeout: runTimeout}
}

// commands lists the program's commands; a runner that is nil has none.
func (r *runner) commands() []Command {
	if r == nil || r.program.Path == "" || r.program.Commands == nil {
		return nil
	}
	if r.listed == nil {
		r.listed = r.program.Commands()
	}
	return r.listed
}

// wait refuses further commands and returns when those that run have ended,
// which the end of the context asks them to do.
func (r *runner) wait() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.running.Wait()
}

func (r *runner) enter() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return false
	}
	r.running.Add(1)
	return true
}

// run runs one command until it ends, ctx ends or the time is over, and returns
// what it wrote, on either stream, and how it ended: "" is well.
func (r *runner) run(ctx context.Context, args []string) (text, fault string) {
	if !r.enter() {
		return "", "the cockpit is ending"
	}
	defer r.running.Done()
	ctx, cancel := context.WithTimeout(ctx, r.timeout)
	defer cancel()
	defer context.AfterFunc(r.ctx, cancel)()
	cmd := exec.CommandContext(ctx, r.program.Path, append(r.program.before(args), args...)...)
	cmd.Dir = r.program.Dir
	if r.program.Environ != nil {
		cmd.Env = r.program.Environ()
	}
	// A session of its own has no terminal: nothing in it can ask there, or draw
	// over the cockpit.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = runGrace
	var out bounded
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if ctx.Err() != nil && cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // what it started and left behind
	}
	var exit *exec.ExitError
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		fault = "stopped: not done within " + r.timeout.String()
	case errors.As(err, &exit) && exit.Exited():
		fault = "exit status " + strconv.Itoa(exit.ExitCode())
	case err != nil:
		fault = err.Error()
	}
	return out.text(), fault
}

// before are the arguments that stand before those of the command: for people,
// unless JSON was asked for.
func (p Program) before(args []string) []string {
	out := append([]string{}, p.Args...)
	for _, a := range args {
		if a == "--json" || strings.HasPrefix(a, "--json=") {
			return out
		}
	}
	return append(out, "--no-json")
}

// bounded keeps the beginning of what is written and counts the rest.
type bounded struct {
	kept []byte
	over int64
}

func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), maxOutput-len(b.kept))
	b.kept = append(b.kept, p[:n]...)
	b.over += int64(len(p) - n)
	return len(p), nil
}

func (b *bounded) text() string {
	s := string(b.kept)
	if b.over > 0 {
		s += "\n\n" + record.Plural(b.over, "more byte is", "more bytes are") + " not shown; run it in a shell."
	}
	return s
}

// splitWords splits a line into arguments as a shell does, with quotes and
// backslashes but without expanding anything.
func splitWords(line string) ([]string, error) {
	var out []string
	var word strings.Builder
	in, quote, escaped := false, rune(0), false
	for _, c := range line {
		switch {
		case escaped:
			if quote == '"' && c != '"' && c != '\\' {
				word.WriteByte('\\')
			}
			word.WriteRune(c)
			escaped = false
		case c == '\\' && quote != '\'':
			in, escaped = true, true
		case quote != 0 && c == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(c)
		case c == '\'' || c == '"':
			in, quote = true, c
		case c == ' ' || c == '\t':
			if in {
				out = append(out, word.String())
				word.Reset()
				in = false
			}
		default:
			in = true
			word.WriteRune(c)
		}
	}
	if quote != 0 || escaped {
		return nil, model.Errorf(model.CodeInvalid, "a quote or a backslash at the end is not closed")
	}
	if in {
		out = append(out, word.String())
	}
	return out, nil
}
