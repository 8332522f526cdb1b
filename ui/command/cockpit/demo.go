package cockpit

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend"
	"binnacle/backend/demo"
	"binnacle/backend/guard"
	"binnacle/backend/scratch"
	ws "binnacle/backend/workspace"
	"binnacle/model"
	"binnacle/ui/command/cli"
	"binnacle/ui/plain"
)

// Simulation is what the simulated fleet needs to know.
type Simulation struct {
	Seed     uint64
	Duration cli.Span // 0: until it is ended
	Plain    *PlainFlags
	Cockpit  Launch
}

// Demo is the cockpit on a fleet that is not there.
func Demo(r *cli.Run, programs Programs) *cobra.Command {
	var d Simulation
	c := &cobra.Command{
		Use:   "demo",
		Short: "Watch a simulated fleet in a workspace of its own",
		Long: "Run a lively simulated fleet in a temporary workspace and open the cockpit on it. Nothing of yours is\n" +
			"touched. --seed makes it repeatable; --plain and --duration serve scripts.",
		Example: "  binnacle demo\n  binnacle demo --seed 1 --plain --duration 3s | jq -c .type",
		Args:    cli.Takes(),
	}
	d.Plain = plainFlags(r, c)
	c.Flags().Uint64Var(&d.Seed, "seed", 1, "the same seed gives the same fleet")
	c.Flags().Var(&d.Duration, "duration", "end after this long")
	c.RunE = r.Runs(func(ctx context.Context, _ []string) error {
		if programs.Demo == nil {
			return model.Errorf(model.CodeUsage, "there is no demo here")
		}
		filter, err := d.Plain.Text()
		if err == nil {
			_, err = d.Plain.options(r.Env.Now())
		}
		if err != nil {
			return err
		}
		d.Cockpit = launch(r, programs, c.Root(), filter)
		d.Plain.Plain = d.Plain.Plain || d.Plain.Once || !r.Env.Terminal(cli.Stdout) || r.Asked
		return left(r, programs.Demo(ctx, d))
	})
	return c
}

// runDemo makes a workspace of its own, lets the simulated fleet loose in it
// and shows the cockpit, or writes JSON lines. All of it is deleted after.
func runDemo(ctx context.Context, d Simulation) (err error) {
	work, err := scratch.NewFolder("", "demo")
	if err != nil {
		return model.Errorf(model.CodeInternal, "no temporary folder can be made: %w", err)
	}
	defer func() { err = errors.Join(err, work.Remove()) }()
	dir := work.Path()
	env := &d.Cockpit.Env
	d.Cockpit.Dir = dir
	if _, missing := exec.LookPath("git"); missing == nil {
		if d.Cockpit.Dir, err = demo.Layout(ctx, dir); err != nil {
			return err
		}
	}
	paths, _, err := backend.InitWorkspace(ctx, d.Cockpit.Dir, backend.StoreOptions{Clock: env.Clock})
	if err != nil {
		return err
	}
	if err := os.WriteFile(paths.Config(), []byte(demoConfig), 0o600); err != nil {
		return model.Errorf(model.CodeInternal, "the demonstration can't be set up: %w", err)
	}
	env.Environ = demoEnviron(env.Environ(), dir)
	if d.Duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(d.Duration))
		defer cancel()
	}
	fleet := func(ctx context.Context, b *backend.Backend) error {
		engines, err := demo.EnginesOf(b, d.Cockpit.Dir, env.Environ())
		if err != nil {
			return err
		}
		if b.Fleet() == nil {
			return demo.New(engines, d.Seed).Run(ctx)
		}
		machines, err := demo.NewMachines(ctx, dir, b.Fleet(), d.Seed)
		if err != nil {
			return err
		}
		defer machines.Close()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		told := make(chan error, 1)
		guard.Go("demo machines", func() {
			err := machines.Run(ctx)
			cancel()
			told <- err
		})
		err = demo.New(engines, d.Seed).Run(ctx)
		cancel()
		return errors.Join(err, <-told)
	}
	if d.Plain.Plain {
		return plainDemo(ctx, d, paths, fleet)
	}
	return show(ctx, d.Cockpit, paths, fleet)
}

// demoEnviron is the environment with the folders of the user replaced, so that
// nothing of theirs is touched.
func demoEnviron(environ []string, dir string) func() []string {
	out := []string{"HOME=" + dir, "XDG_STATE_HOME=" + filepath.Join(dir, "state"), "XDG_CONFIG_HOME=" + dir}
	for _, v := range environ {
		switch name, _, _ := strings.Cut(v, "="); name {
		case "HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME":
		default:
			out = append(out, v)
		}
	}
	return func() []string { return out }
}

// demoConfig makes the demonstration livelier than a real workspace.
const demoConfig = "[fleet]\nheartbeat = \"2s\"\nfetch = \"3s\"\n"

// plainDemo writes the demo as JSON lines. It ends with bye when the duration
// is over.
func plainDemo(ctx context.Context, d Simulation, paths ws.Workspace, fleet func(context.Context, *backend.Backend) error) error {
	o, err := d.Plain.options(d.Cockpit.Env.Now())
	if err != nil {
		return err
	}
	config, err := backend.LoadConfig(paths.Config())
	if err != nil {
		return err
	}
	b, err := backend.Open(ctx, backend.Options{Dir: paths.Dir(), Clock: d.Cockpit.Env.Clock, Config: config, Producer: "demo"})
	if err != nil {
		return err
	}
	b.OpenFleet(d.Cockpit.Dir, paths.Project(), d.Cockpit.Env.Environ(), d.Cockpit.Env.World())
	b.Run(ctx)
	running, cancel := context.WithCancel(ctx)
	told := make(chan error, 1)
	guard.Go("demo", func() { told <- fleet(running, b) })
	o.Workspace = paths.Project()
	err = plain.Run(ctx, d.Cockpit.Env.Stdout, b, o)
	cancel()
	return errors.Join(err, <-told, b.Close())
}
