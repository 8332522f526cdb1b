// Package cli is what every command stands on: one run of the program, its flags
// and its world, the workspace and the fleet that it opens, how it answers, and
// how it fails.
package cli

import (
	"context"
	"errors"
	"io"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/guard"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/themes"
)

// Do makes a run of the program with these arguments in the world env, lets do
// have it, and returns the exit status. Where the arguments can't be parsed, bare
// says that their answer would have been text also where stdout gets JSON.
func Do(args []string, env Env, bare bool, do func(ctx context.Context, r *Run) error) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	env.Stdin = clean.WithoutBOM(env.Stdin) // once, for whatever reads it
	r := NewRun(env)
	r.Out.closed = func() { cancel(errClosedPipe) }
	stop := heedSignals(env, cancel)
	defer stop()
	err := do(ctx, r)
	if closeErr := r.close(); err == nil {
		err = closeErr
	}
	return r.finish(ctx, err, args, bare)
}

// Run is one run of the program.
type Run struct {
	Env   Env
	Out   *Output
	Flags Flags
	Asked bool // JSON was asked for, not only chosen for a pipe
	JSON  bool // stdout gets JSON
	Bare  bool // the answer is text also where stdout gets JSON, unless JSON was asked for
	Quiet bool // the failure was already written

	began bool   // a command's own code ran: its errors are not cobra's
	done  string // what was changed for good, see Wrote
	// changing: a workspace is open for writing, and what is answered then is
	// what was changed.
	changing bool
	opened   []io.Closer
}

// NewRun is a run of which nothing happened yet.
func NewRun(env Env) *Run {
	return &Run{Env: env, Out: &Output{w: env.Stdout, closed: func() {}}}
}

// Begin says that a command's own code runs from here on. Runs does so for every
// command that it wraps.
func (r *Run) Begin() { r.began = true }

// heedSignals ends the run at the first signal; the next one finds the
// system's default, so that a run that hangs can still be ended.
func heedSignals(env Env, cancel context.CancelCauseFunc) (stop func()) {
	if env.Signals == nil {
		return func() {}
	}
	signals, stopSignals := env.Signals()
	done := make(chan struct{})
	guard.Go("signals", func() {
		select {
		case s := <-signals:
			stopSignals()
			cancel(Signalled{s})
		case <-done:
		}
	})
	return func() {
		close(done)
		stopSignals()
	}
}

// Action is a command's own code.
type Action func(ctx context.Context, args []string) error

// Wrap makes an action what cobra runs.
type Wrap func(Action) func(*cobra.Command, []string) error

// Runs wraps a command's own code: it decides about JSON, bounds the time, and
// hands over a context that ends with the run.
func (r *Run) Runs(fn Action) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		r.Begin()
		if err := r.chooseJSON(); err != nil {
			return err
		}
		if err := checkGiven(cmd); err != nil {
			return err
		}
		if err := r.checkTheme(); err != nil {
			return err
		}
		if r.Flags.Workspace != "" && cmd.Name() != "init" {
			if _, err := r.Find(); err != nil {
				return err
			}
		}
		ctx := cmd.Context()
		if d := time.Duration(r.Flags.timeout); d > 0 {
			late := model.Errorf(model.CodeTimeout, "not done within %s, so it was given up", d).
				WithHint("--timeout says how long a command may take")
			var stop context.CancelFunc
			ctx, stop = context.WithTimeoutCause(ctx, d, late)
			defer stop()
		}
		return cause(ctx, fn(ctx, args))
	}
}

// checkTheme refuses a theme that can't be had, also where nothing is drawn.
func (r *Run) checkTheme() error {
	if r.Flags.Theme == "" {
		return nil
	}
	_, err := themes.Load(r.Flags.Theme, r.Env.ThemeDir(), r.Env.Getenv)
	return err
}

// chooseJSON settles how stdout is written: a flag wins over BINNACLE_JSON,
// which wins over whether stdout is a terminal.
func (r *Run) chooseJSON() error {
	terminal := r.Env.Terminal(Stdout)
	switch {
	case r.Flags.json && r.Flags.noJSON:
		return Usage("--json and --no-json exclude each other")
	case r.Flags.json:
		r.JSON, r.Asked = true, true
		return nil
	case r.Flags.noJSON:
		r.JSON = false
		return nil
	}
	switch v := r.Env.Getenv("BINNACLE_JSON"); v {
	case "", "auto":
		r.JSON = !terminal
	case "always":
		r.JSON, r.Asked = true, true
	case "never":
		r.JSON = false
	default:
		return Usage("BINNACLE_JSON is %q", clean.Line(v)).WithHint("it may be auto, always or never")
	}
	return nil
}

// close releases what the run opened, the newest first.
func (r *Run) close() error {
	var first error
	for i := len(r.opened) - 1; i >= 0; i-- {
		if err := r.opened[i].Close(); err != nil && first == nil {
			first = err
		}
	}
	r.opened = nil
	return first
}

// finish writes the failure, if there is one to write, and returns the exit
// status.
func (r *Run) finish(ctx context.Context, err error, args []string, bare bool) int {
	if err == nil {
		err = r.Out.err
	}
	if err == nil {
		return 0
	}
	var ended Signalled
	switch {
	case errors.Is(err, errClosedPipe), errors.Is(err, syscall.EPIPE):
		return 0
	case r.Out.pipeClosed() && context.Cause(ctx) == errClosedPipe && errors.Is(err, context.Canceled):
		return 0
	case errors.As(err, &ended):
		return ended.status()
	}
	if r.done != "" && r.Out.err != nil && errors.Is(err, r.Out.err) {
		err = model.Errorf(model.CodeInternal, "%s, but the answer was lost: %w", r.done, r.Out.err)
	}
	if !r.began {
		err = cobraError(err)
		r.JSON = r.wouldBeJSON(args, bare)
	}
	if !r.Quiet {
		report(r.Env.Stderr, err, r.JSON && (!r.Bare || r.Asked))
	}
	return model.Exit(err)
}

// wouldBeJSON says whether the answer would have been JSON, where the flags
// could not be parsed: errors are JSON exactly when answers are.
func (r *Run) wouldBeJSON(args []string, bare bool) bool {
	for _, arg := range args {
		switch arg {
		case "--json", "--json=true":
			return true
		case "--no-json", "--no-json=true":
			return false
		}
		if arg == "--" {
			break
		}
	}
	switch r.Env.Getenv("BINNACLE_JSON") {
	case "always":
		return true
	case "never":
		return false
	}
	return !bare && (!r.Env.Terminal(Stdout))
}
