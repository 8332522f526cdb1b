// Package cockpit is the commands that take the whole terminal, or stream JSON
// lines in its place.
package cockpit

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"binnacle/model"
	"binnacle/ui"
	"binnacle/ui/command/cli"
	"binnacle/ui/screen"
)

// Programs are those that take a whole terminal.
type Programs struct {
	// Cockpit runs the full-screen program until the operator leaves. Nil: there
	// is none, and only --plain is to be had.
	Cockpit func(ctx context.Context, run Launch) error
	// Demo runs the simulated fleet. Nil: there is none.
	Demo func(ctx context.Context, run Simulation) error
	// Commands are those below root that the cockpit's palette offers.
	Commands func(root *cobra.Command) []ui.Command
}

// Launch is what the full-screen program needs to know.
type Launch struct {
	Workspace string // as --workspace said; "" is to be found from Dir
	Dir       string // where the program was started
	ReadOnly  bool
	ASCII     bool
	Theme     string // "" is what config.toml says, else auto
	Filter    string // what the filter bar starts with
	Env       cli.Env
	Commands  func() []ui.Command // what the palette offers
}

// Give gives the root its own flags and what it does without a verb.
func Give(r *cli.Run, programs Programs, root *cobra.Command) {
	p := plainFlags(r, root)
	root.RunE = r.Runs(func(ctx context.Context, _ []string) error { return open(ctx, r, programs, root, p) })
}

// Watch is the cockpit under Quay's name.
func Watch(r *cli.Run, programs Programs) *cobra.Command {
	c := &cobra.Command{
		Use:   "watch",
		Short: "Open the cockpit, or print JSON lines with --plain",
		Long: "Open the cockpit. With --plain, and where stdout is not a terminal, print what happens as JSON lines\n" +
			"instead: hello, snapshot, event, lagged, error and bye. SIGINT, SIGTERM and --timeout end it with bye.",
		Example: "  binnacle watch\n  binnacle watch --plain --kind signal\n" +
			"  binnacle watch --plain --replay 20 --filter 'topic:build/* -kind:metric' | jq -c .event",
		Args: cli.Takes(),
	}
	p := plainFlags(r, c)
	c.RunE = r.Runs(func(ctx context.Context, _ []string) error { return open(ctx, r, programs, c.Root(), p) })
	return c
}

// open opens the cockpit or writes JSON lines.
func open(ctx context.Context, r *cli.Run, programs Programs, root *cobra.Command, p *PlainFlags) error {
	if p.Plain || p.Once || !r.Env.Terminal(cli.Stdout) || r.Asked {
		return writeLines(ctx, r, p)
	}
	if programs.Cockpit == nil {
		return model.Errorf(model.CodeUsage, "there is no full-screen cockpit here").WithHint("--plain prints JSON lines")
	}
	filter, err := p.Text()
	if err == nil {
		_, err = p.options(r.Env.Now()) // refused here, whatever it is that opens
	}
	if err != nil {
		return err
	}
	return left(r, programs.Cockpit(ctx, launch(r, programs, root, filter)))
}

func launch(r *cli.Run, programs Programs, root *cobra.Command, filter string) Launch {
	return Launch{
		Workspace: r.Flags.Workspace, Dir: r.Env.Dir, ReadOnly: r.Flags.ReadOnly, ASCII: r.Flags.ASCII,
		Theme: r.Flags.Theme, Filter: filter, Env: r.Env,
		Commands: func() []ui.Command { return programs.Commands(root) },
	}
}

// left says how the cockpit was left. A signal that the terminal heard of first
// is made what it is for every other command: which of the two hears of it
// first is chance. A panic has been told by the guard that restored the
// terminal.
func left(r *cli.Run, err error) error {
	var s screen.SignalError
	if errors.As(err, &s) {
		return cli.Signalled{Signal: s.Signal}
	}
	var crash *screen.Crash
	r.Quiet = r.Quiet || errors.As(err, &crash)
	return err
}
