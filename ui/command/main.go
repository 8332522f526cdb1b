package command

import (
	"context"
	"errors"
	"io"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/guard"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/themes"
)

// Main runs the program with the arguments (without its name) and returns the
// exit status.
func Main(args []string, env Env) int {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	env.Stdin = clean.WithoutBOM(env.Stdin) // once, for whatever reads it
	a := &app{env: env, cancel: cancel}
	a.out = &output{w: env.Stdout, closed: func() { cancel(errClosedPipe) }}
	stop := a.heedSignals(cancel)
	defer stop()

	if len(args) == 1 && args[0] == "--version" {
		// Scripts ask this again and again, and building the whole tree of commands
		// costs more than the answer.
		_, err := io.WriteString(a.out, versionLine()+"\n")
		return a.finish(ctx, err, args)
	}
	root := a.tree(args)
	root.SetArgs(args)
	root.SetIn(env.Stdin)
	root.SetOut(a.out)
	root.SetErr(env.Stderr)
	err := root.ExecuteContext(ctx)
	if closeErr := a.close(); err == nil {
		err = closeErr
	}
	return a.finish(ctx, err, args)
}

// app is one run of the program.
type app struct {
	env    Env
	out    *output
	cancel context.CancelCauseFunc
	flags  flags
	began  bool   // a command's own code ran: its errors are not cobra's
	asked  bool   // JSON was asked for, not only chosen for a pipe
	json   bool   // stdout gets JSON
	quiet  bool   // the failure was already written
	bare   bool   // the answer is text also where stdout gets JSON, unless JSON was asked for
	done   string // what was changed for good, see wrote
	// changing: a workspace is open for writing, and what is answered then is
	// what was changed.
	changing bool
	opened   []io.Closer
}

// flags are the ones that every command takes.
type flags struct {
	workspace string
	json      bool
	noJSON    bool
	timeout   span
	readOnly  bool
	ascii     bool
	theme     string
}

// heedSignals ends the run at the first signal; the next one finds the
// system's default, so that a run that hangs can still be ended.
func (a *app) heedSignals(cancel context.CancelCauseFunc) (stop func()) {
	if a.env.Signals == nil {
		return func() {}
	}
	signals, stopSignals := a.env.Signals()
	done := make(chan struct{})
	guard.Go("signals", func() {
		select {
		case s := <-signals:
			stopSignals()
			cancel(signalled{s})
		case <-done:
		}
	})
	return func() {
		close(done)
		stopSignals()
	}
}

// runs wraps a command's own code: it decides about JSON, bounds the time, and
// hands over a context that ends with the run.
func (a *app) runs(fn func(ctx context.Context, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) error {
		a.began = true
		if err := a.chooseJSON(); err != nil {
			return err
		}
		if err := checkGiven(cmd); err != nil {
			return err
		}
		if err := a.checkTheme(); err != nil {
			return err
		}
		if a.flags.workspace != "" && cmd.Name() != "init" {
			if _, err := a.find(); err != nil {
				return err
			}
		}
		laneq := underQueue(cmd)
		a.bare = laneq && (cmd.Name() == "next" || cmd.Name() == "peek")
		if laneq && !bringsOver(cmd) {
			if err := a.elsewhere(); err != nil {
				return err
			}
		}
		ctx := cmd.Context()
		if d := time.Duration(a.flags.timeout); d > 0 {
			late := model.Errorf(model.CodeTimeout, "not done within %s, so it was given up", d).
				WithHint("--timeout says how long a command may take")
			var stop context.CancelFunc
			ctx, stop = context.WithTimeoutCause(ctx, d, late)
			defer stop()
		}
		err := cause(ctx, fn(ctx, args))
		if laneq {
			err = laneqRefusal(err)
		}
		return err
	}
}

// checkTheme refuses a theme that can't be had, also where nothing is drawn.
func (a *app) checkTheme() error {
	if a.flags.theme == "" {
		return nil
	}
	_, err := themes.Load(a.flags.theme, themeDir(a.env), a.env.Getenv)
	return err
}

// chooseJSON settles how stdout is written: a flag wins over BINNACLE_JSON,
// which wins over whether stdout is a terminal.
func (a *app) chooseJSON() error {
	terminal := a.env.IsTerminal != nil && a.env.IsTerminal(Stdout)
	switch {
	case a.flags.json && a.flags.noJSON:
		return usage("--json and --no-json exclude each other")
	case a.flags.json:
		a.json, a.asked = true, true
		return nil
	case a.flags.noJSON:
		a.json = false
		return nil
	}
	switch v := a.env.Getenv("BINNACLE_JSON"); v {
	case "", "auto":
		a.json = !terminal
	case "always":
		a.json, a.asked = true, true
	case "never":
		a.json = false
	default:
		return usage("BINNACLE_JSON is %q", clean.Line(v)).WithHint("it may be auto, always or never")
	}
	return nil
}

// close releases what the run opened, the newest first.
func (a *app) close() error {
	var first error
	for i := len(a.opened) - 1; i >= 0; i-- {
		if err := a.opened[i].Close(); err != nil && first == nil {
			first = err
		}
	}
	a.opened = nil
	return first
}

// finish writes the failure, if there is one to write, and returns the exit
// status.
func (a *app) finish(ctx context.Context, err error, args []string) int {
	if err == nil {
		err = a.out.err
	}
	if err == nil {
		return 0
	}
	var ended signalled
	switch {
	case errors.Is(err, errClosedPipe), errors.Is(err, syscall.EPIPE):
		return 0
	case a.out.pipeClosed() && context.Cause(ctx) == errClosedPipe && errors.Is(err, context.Canceled):
		return 0
	case errors.As(err, &ended):
		return ended.status()
	}
	if a.done != "" && a.out.err != nil && errors.Is(err, a.out.err) {
		err = model.Errorf(model.CodeInternal, "%s, but the answer was lost: %w", a.done, a.out.err)
	}
	if !a.began {
		err = cobraError(err)
		a.json = a.wouldBeJSON(args)
	}
	if !a.quiet {
		report(a.env.Stderr, err, a.json && (!a.bare || a.asked))
	}
	return model.Exit(err)
}

// cobraError gives an error of the argument parser its code.
func cobraError(err error) error {
	var coded *model.Error
	if errors.As(err, &coded) {
		return err
	}
	if m := exclusive().FindStringSubmatch(err.Error()); m != nil {
		return exclude(strings.Fields(m[1]))
	}
	return usage("%s", clean.Line(err.Error())).WithHint("binnacle --help lists the commands")
}

// wouldBeJSON says whether the answer would have been JSON, where the flags
// could not be parsed: errors are JSON exactly when answers are.
func (a *app) wouldBeJSON(args []string) bool {
	bare := len(args) > 1 && args[0] == "queue" && (args[1] == "next" || args[1] == "peek")
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
	switch a.env.Getenv("BINNACLE_JSON") {
	case "always":
		return true
	case "never":
		return false
	}
	return !bare && (a.env.IsTerminal == nil || !a.env.IsTerminal(Stdout))
}
