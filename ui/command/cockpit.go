package command

import (
	"context"

	"github.com/spf13/cobra"

	"binnacle/model"
)

// Cockpit is what the full-screen program needs to know.
type Cockpit struct {
	Workspace string // as --workspace said; "" is to be found from Dir
	Dir       string // where the program was started
	ReadOnly  bool
	ASCII     bool
	Theme     string // "" is what config.toml says, else auto
	Filter    string // what the filter bar starts with
	Env       Env
}

// Demo is what the simulated fleet needs to know.
type Demo struct {
	Seed     uint64
	Duration span // 0: until it is ended
	Plain    *PlainFlags
	Cockpit  Cockpit
}

// cockpitCommand gives the root its own flags and what it does without a verb.
func (a *app) cockpitCommand(root *cobra.Command) {
	p := a.plainFlags(root)
	root.RunE = a.runs(func(ctx context.Context, _ []string) error { return a.watch(ctx, p) })
}

// watchCommand is the cockpit under Quay's name.
func (a *app) watchCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "watch",
		Short: "Open the cockpit, or print JSON lines with --plain",
		Long: "Open the cockpit. With --plain, and where stdout is not a terminal, print what happens as JSON lines\n" +
			"instead: hello, snapshot, event, lagged, error and bye. SIGINT, SIGTERM and --timeout end it with bye.",
		Example: "  binnacle watch\n  binnacle watch --plain --kind signal\n" +
			"  binnacle watch --plain --replay 20 --filter 'topic:build/* -kind:metric' | jq -c .event",
		Args: takes(),
	}
	p := a.plainFlags(c)
	c.RunE = a.runs(func(ctx context.Context, _ []string) error { return a.watch(ctx, p) })
	return c
}

// watch opens the cockpit or writes JSON lines.
func (a *app) watch(ctx context.Context, p *PlainFlags) error {
	terminal := a.env.IsTerminal != nil && a.env.IsTerminal(Stdout)
	if p.Plain || p.Once || !terminal || a.asked {
		return a.plain(ctx, p)
	}
	if a.env.Cockpit == nil {
		return model.Errorf(model.CodeUsage, "there is no full-screen cockpit here").WithHint("--plain prints JSON lines")
	}
	filter, err := p.filterText()
	if err == nil {
		_, err = p.options(a.env.Now()) // refused here, whatever it is that opens
	}
	if err != nil {
		return err
	}
	return a.left(a.env.Cockpit(ctx, a.cockpit(filter)))
}

func (a *app) cockpit(filter string) Cockpit {
	return Cockpit{
		Workspace: a.flags.workspace, Dir: a.env.Dir, ReadOnly: a.flags.readOnly, ASCII: a.flags.ascii,
		Theme: a.flags.theme, Filter: filter, Env: a.env,
	}
}

func (a *app) demoCommand() *cobra.Command {
	var d Demo
	c := &cobra.Command{
		Use:   "demo",
		Short: "Watch a simulated fleet in a workspace of its own",
		Long: "Run a lively simulated fleet in a temporary workspace and open the cockpit on it. Nothing of yours is\n" +
			"touched. --seed makes it repeatable; --plain and --duration serve scripts.",
		Example: "  binnacle demo\n  binnacle demo --seed 1 --plain --duration 3s | jq -c .type",
		Args:    takes(),
	}
	d.Plain = a.plainFlags(c)
	c.Flags().Uint64Var(&d.Seed, "seed", 1, "the same seed gives the same fleet")
	c.Flags().Var(&d.Duration, "duration", "end after this long")
	c.RunE = a.runs(func(ctx context.Context, _ []string) error {
		if a.env.Demo == nil {
			return model.Errorf(model.CodeUsage, "there is no demo here")
		}
		filter, err := d.Plain.filterText()
		if err == nil {
			_, err = d.Plain.options(a.env.Now())
		}
		if err != nil {
			return err
		}
		d.Cockpit = a.cockpit(filter)
		terminal := a.env.IsTerminal != nil && a.env.IsTerminal(Stdout)
		d.Plain.Plain = d.Plain.Plain || d.Plain.Once || !terminal || a.asked
		return a.left(a.env.Demo(ctx, d))
	})
	return c
}
