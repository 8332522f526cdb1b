package cockpit

import (
	"context"
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"binnacle/backend"
	ws "binnacle/backend/workspace"
	"binnacle/keymap"
	"binnacle/model"
	"binnacle/themes"
	"binnacle/ui"
	"binnacle/ui/command/cli"
	"binnacle/ui/screen"
)

// Real are the programs of a real process.
func Real() Programs { return Programs{Cockpit: runCockpit, Demo: runDemo} }

// runCockpit opens the workspace and shows the cockpit on it. Where there is no
// workspace it offers to make one.
func runCockpit(ctx context.Context, run Launch) error {
	for {
		err := openCockpit(ctx, run)
		if !errors.Is(err, ui.ErrReopen) {
			return err
		}
	}
}

func openCockpit(ctx context.Context, run Launch) error {
	paths, err := ws.Find(ws.FindOptions{
		Flag: run.Workspace, Env: run.Env.Getenv("BINNACLE_WORKSPACE"), Dir: run.Dir,
	})
	if err != nil {
		if model.CodeOf(err) != model.CodeNoWork || run.Workspace != "" || run.ReadOnly {
			return err
		}
		if paths, err = offer(ctx, run); err != nil || paths == (ws.Workspace{}) {
			return err
		}
	}
	return show(ctx, run, paths, nil)
}

// offer asks whether a workspace is to be made; the zero Workspace is: no.
func offer(ctx context.Context, run Launch) (ws.Workspace, error) {
	o, err := run.options(backend.Config{}, "")
	if err != nil {
		return ws.Workspace{}, err
	}
	var paths ws.Workspace
	made, err := ui.Offer(ctx, o, run.Dir, func() error {
		var err error
		paths, _, err = backend.InitWorkspace(ctx, run.Dir, backend.StoreOptions{Clock: run.Env.Clock})
		return err
	})
	if err != nil || !made {
		return ws.Workspace{}, err
	}
	return paths, nil
}

// options are what the cockpit is run with, from flags, environment and
// config.toml, in this order.
func (run Launch) options(config backend.Config, crashDir string) (ui.RunOptions, error) {
	keys, err := keymap.Default().WithOverrides(config.Keys)
	if err != nil {
		return ui.RunOptions{}, err
	}
	name := run.Theme
	if name == "" {
		name = config.Theme
	}
	if name == "" {
		name = "auto"
	}
	if run.Env.Getenv("NO_COLOR") != "" && run.Theme == "" {
		name = "mono"
	}
	own := run.Env.ThemeDir()
	theme, err := themes.Load(name, own, run.Env.Getenv)
	if err != nil {
		return ui.RunOptions{}, err
	}
	mouse := config.Mouse == nil || *config.Mouse
	o := ui.RunOptions{
		Guard: screen.NewGuard(crashDir, run.Env.Stderr, time.Now),
		Place: ui.Place{CrashDir: crashDir},
		Keys:  keys, Theme: theme, Glyphs: themes.GlyphsFor(run.ASCII || config.ASCII, run.Env.Getenv),
		Clock: run.Env.Clock, Zone: run.Env.Zone, Filter: run.Filter, Mouse: mouse, EscDelay: config.UI.Escape(),
		Getenv: run.Env.Getenv, Environ: run.Env.Environ,
	}
	for _, n := range append(themes.Builtin(), themes.Names(own)...) {
		if n == "auto" {
			continue
		}
		t, err := themes.Load(n, own, run.Env.Getenv)
		if err != nil {
			continue // a theme of the user's that is not chosen may be broken
		}
		o.Themes = append(o.Themes, t)
	}
	return o, nil
}

// show runs the cockpit on a workspace, and beside it what else is to run.
func show(ctx context.Context, run Launch, paths ws.Workspace, beside func(context.Context, *backend.Backend) error) error {
	config, err := backend.LoadConfig(paths.Config())
	if err != nil {
		return err
	}
	o, err := run.options(config, filepath.Join(paths.Dir(), "crash"))
	if err != nil {
		return err
	}
	readOnly, why := run.ReadOnly, "--read-only was given"
	if !readOnly {
		if err := ws.Writable(paths.Database()); err != nil {
			readOnly, why = true, err.Error()
		}
	}
	roomForKeys(run.Env)
	defer o.Guard.Watch()()
	b, err := backend.Open(ctx, backend.Options{
		Dir: paths.Dir(), Existing: true, ReadOnly: readOnly, Clock: run.Env.Clock, Config: config,
		Producer: run.Env.World().Producer(config.Producer),
	})
	if err != nil {
		return err
	}
	o.Desk = b
	o.Place.Redactor = b.Redactor()
	o.Place.Workspace = homely(paths.Project(), run.Env.Getenv("HOME"))
	if readOnly {
		o.Place.ReadOnly = why
	}
	b.OpenFleet(run.Dir, paths.Project(), run.Env.Environ(), run.Env.World())
	o.Program = run.program(paths.Dir(), readOnly)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	b.Run(ctx)
	told := make(chan error, 1)
	if beside == nil {
		told <- nil
	} else {
		o.Guard.Go("demo", func() {
			var err error
			defer func() { told <- err }() // also where it panics
			if err = beside(ctx, b); err != nil {
				cancel()
			}
		})
	}
	err = ui.Run(ctx, o)
	cancel()
	// Who runs beside writes into the workspace, and into folders that are deleted
	// after this.
	failed := <-told
	closed := b.Close()
	switch {
	case failed != nil:
		return failed
	case err == nil:
		return closed
	}
	return err
}

// roomForKeys lets Go run more threads than a small machine has processors. A
// key passes through several goroutines until it is a frame; where the engines
// keep both processors busy each of them would wait for a whole time slice of
// Go's scheduler, while the kernel runs a thread that was asleep at once. A
// GOMAXPROCS of the user's is left alone.
func roomForKeys(env cli.Env) {
	const least = 4
	if runtime.GOMAXPROCS(0) < least && env.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(least)
	}
}

// homely writes a path under the user's home with a tilde.
func homely(path, home string) string {
	if home != "" && (path == home || strings.HasPrefix(path, home+"/")) {
		return "~" + path[len(home):]
	}
	return path
}
