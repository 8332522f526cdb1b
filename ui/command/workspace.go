package command

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"binnacle/backend"
	"binnacle/backend/fleet"
	"binnacle/backend/fleet/hooks"
	"binnacle/backend/ledger"
	"binnacle/backend/queue"
	ws "binnacle/backend/workspace"
	"binnacle/model"
)

// access says what a command does with the workspace.
type access int

const (
	reading access = iota // the file is never written, so it may be read-only
	writing
	restoring // writing, and the database may have to be made first
	checking  // reading, also a ledger that lost its epoch
	mending   // writing, also a ledger that lost its epoch
)

// workspace is an open workspace as the commands need it.
type workspace struct {
	backend  *backend.Backend
	ledger   *ledger.Ledger
	queue    *queue.Queue
	paths    ws.Workspace
	project  string // the project's folder
	producer string // who writes where no flag says it
	config   backend.Config
}

// path makes an argument that names a file absolute: it is relative to where
// the program was started.
func (a *app) path(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(a.env.Dir, name)
}

// find locates the workspace: --workspace, else BINNACLE_WORKSPACE, else
// upward from where the program was started.
func (a *app) find() (ws.Workspace, error) {
	return ws.Find(ws.FindOptions{Flag: a.flags.workspace, Env: a.env.Getenv("BINNACLE_WORKSPACE"), Dir: a.env.Dir})
}

// open opens the workspace; the run closes it at its end.
func (a *app) open(ctx context.Context, how access) (*workspace, error) {
	paths, err := a.find()
	if err != nil {
		return nil, err
	}
	reads := how == reading || how == checking
	if !reads && a.flags.readOnly {
		return nil, readOnly()
	}
	config, err := backend.LoadConfig(paths.Config())
	if err != nil {
		return nil, err
	}
	w := &workspace{paths: paths, project: paths.Project(), producer: a.producer(config.Producer), config: config}
	if how == reading && !a.flags.readOnly {
		a.takeSpoolFirst(ctx, w)
	}
	w.backend, err = backend.Open(ctx, backend.Options{
		Path: paths.Database(), Existing: how != restoring, ReadOnly: reads, Mend: how != reading && how != writing,
		Clock: a.env.Clock, Config: config, Producer: w.producer, Log: a.env.Stderr,
	})
	if err != nil {
		return nil, err
	}
	w.ledger, w.queue = w.backend.Ledger, w.backend.Queue
	a.opened = append(a.opened, w.backend)
	if a.changing = !reads; a.changing {
		a.takeSpool(ctx, w)
	}
	return w, nil
}

// spoolWithin bounds how long a command takes in what hooks left behind.
const spoolWithin = 2 * time.Second

// takeSpool takes in what hooks could not write themselves. It keeps no command
// from its own work: what stays is taken in by the next one.
func (a *app) takeSpool(ctx context.Context, w *workspace) {
	spool := filepath.Join(filepath.Dir(w.paths.Database()), hooks.SpoolName)
	if _, err := os.Stat(spool); err != nil || w.config.Fleet.Off {
		return
	}
	ctx, stop := context.WithTimeout(ctx, spoolWithin)
	defer stop()
	if f, err := a.fleetOf(w); err == nil && !f.Watched() {
		_, _ = f.TakeSpool(ctx)
	}
}

// takeSpoolFirst takes the spool in before a command that only reads: what hooks
// reported is to be in what it shows. It opens the database for that alone, and
// only where something waits that nobody else takes in.
func (a *app) takeSpoolFirst(ctx context.Context, w *workspace) {
	dir := filepath.Dir(w.paths.Database())
	if _, err := os.Stat(filepath.Join(dir, hooks.SpoolName)); err != nil || w.config.Fleet.Off {
		return
	}
	o, err := a.fleetOptions(w.paths, w.config)
	if err != nil {
		return
	}
	a.fleetWorld(&o)
	if f, err := fleet.Open(o); err != nil || f.Watched() {
		return
	}
	ctx, stop := context.WithTimeout(ctx, spoolWithin)
	defer stop()
	s, err := backend.OpenStore(ctx, backend.StoreOptions{Path: w.paths.Database(), Existing: true, Clock: a.env.Clock})
	if err != nil {
		return // the command itself will say what is wrong with it
	}
	defer func() { _ = s.Close() }() // what was taken in is durable already
	o.Store = s
	if f, err := fleet.Open(o); err == nil {
		_, _ = f.TakeSpool(ctx)
	}
}

// config reads config.toml of the workspace, if there is one.
func (a *app) config() (backend.Config, error) {
	paths, err := a.find()
	if model.CodeOf(err) == model.CodeNoWork && err != nil {
		return backend.Config{}, nil
	}
	if err != nil {
		return backend.Config{}, err
	}
	return backend.LoadConfig(paths.Config())
}
