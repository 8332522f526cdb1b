package cli

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

// Access says what a command does with the workspace.
type Access int

const (
	Reading Access = iota // the file is never written, so it may be read-only
	Writing
	Restoring // writing, and the database may have to be made first
	Checking  // reading, also a ledger that lost its epoch
	Mending   // writing, also a ledger that lost its epoch
)

// Workspace is an open workspace as the commands need it.
type Workspace struct {
	Backend  *backend.Backend
	Ledger   *ledger.Ledger
	Queue    *queue.Queue
	Paths    ws.Workspace
	Project  string // the project's folder
	Producer string // who writes where no flag says it
	config   backend.Config
}

// Path makes an argument that names a file absolute: it is relative to where
// the program was started.
func (r *Run) Path(name string) string {
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(r.Env.Dir, name)
}

// Find locates the workspace: --workspace, else BINNACLE_WORKSPACE, else
// upward from where the program was started.
func (r *Run) Find() (ws.Workspace, error) {
	return ws.Find(ws.FindOptions{Flag: r.Flags.Workspace, Env: r.Env.Getenv("BINNACLE_WORKSPACE"), Dir: r.Env.Dir})
}

// Keep is how long config.toml wants events to stay in the database; 0 is for ever.
func (w *Workspace) Keep() time.Duration { return w.config.Ledger.Keep() }

// Open opens the workspace; the run closes it at its end.
func (r *Run) Open(ctx context.Context, how Access) (*Workspace, error) {
	return r.OpenAs(ctx, how, nil)
}

// OpenAs is Open, where flags change what config.toml says; change may be nil.
func (r *Run) OpenAs(ctx context.Context, how Access, change func(*backend.Config)) (*Workspace, error) {
	paths, err := r.Find()
	if err != nil {
		return nil, err
	}
	reads := how == Reading || how == Checking
	if !reads && r.Flags.ReadOnly {
		return nil, ReadOnly()
	}
	config, err := backend.LoadConfig(paths.Config())
	if err != nil {
		return nil, err
	}
	if change != nil {
		change(&config)
	}
	w := &Workspace{Paths: paths, Project: paths.Project(), Producer: r.Env.World().Producer(config.Producer), config: config}
	if how == Reading && !r.Flags.ReadOnly {
		r.takeSpoolFirst(ctx, w)
	}
	w.Backend, err = backend.Open(ctx, backend.Options{
		Dir: paths.Dir(), Existing: how != Restoring, ReadOnly: reads, Mend: how != Reading && how != Writing,
		Clock: r.Env.Clock, Config: config, Producer: w.Producer, Log: r.Env.Stderr,
	})
	if err != nil {
		return nil, err
	}
	w.Ledger, w.Queue = w.Backend.Ledger, w.Backend.Queue
	r.opened = append(r.opened, w.Backend)
	if r.changing = !reads; r.changing {
		r.takeSpool(ctx, w)
	}
	return w, nil
}

// spoolWithin bounds how long a command takes in what hooks left behind.
const spoolWithin = 2 * time.Second

// takeSpool takes in what hooks could not write themselves. It keeps no command
// from its own work: what stays is taken in by the next one.
func (r *Run) takeSpool(ctx context.Context, w *Workspace) {
	spool := filepath.Join(w.Paths.Dir(), hooks.SpoolName)
	if _, err := os.Stat(spool); err != nil || w.config.Fleet.Off {
		return
	}
	ctx, stop := context.WithTimeout(ctx, spoolWithin)
	defer stop()
	if f, err := r.FleetOf(w); err == nil && !f.Watched() {
		_, _ = f.TakeSpool(ctx)
	}
}

// takeSpoolFirst takes the spool in before a command that only reads: what hooks
// reported is to be in what it shows. It opens the database for that alone, and
// only where something waits that nobody else takes in.
func (r *Run) takeSpoolFirst(ctx context.Context, w *Workspace) {
	dir := w.Paths.Dir()
	if _, err := os.Stat(filepath.Join(dir, hooks.SpoolName)); err != nil || w.config.Fleet.Off {
		return
	}
	o, err := r.FleetOptions(w.Paths, w.config)
	if err != nil {
		return
	}
	r.FleetWorld(&o)
	if f, err := fleet.Open(o); err != nil || f.Watched() {
		return
	}
	ctx, stop := context.WithTimeout(ctx, spoolWithin)
	defer stop()
	s, err := backend.OpenStore(ctx, backend.StoreOptions{Dir: w.Paths.Dir(), Existing: true, Clock: r.Env.Clock})
	if err != nil {
		return // the command itself will say what is wrong with it
	}
	defer func() { _ = s.Close() }() // what was taken in is durable already
	o.Store = s
	if f, err := fleet.Open(o); err == nil {
		_, _ = f.TakeSpool(ctx)
	}
}

// Config reads config.toml of the workspace, if there is one.
func (r *Run) Config() (backend.Config, error) {
	paths, err := r.Find()
	if model.CodeOf(err) == model.CodeNoWork && err != nil {
		return backend.Config{}, nil
	}
	if err != nil {
		return backend.Config{}, err
	}
	return backend.LoadConfig(paths.Config())
}

// ReadOnly is the refusal of a change under --read-only.
func ReadOnly() error {
	return model.Errorf(model.CodeReadOnly, "--read-only refuses every change").WithHint("leave out --read-only")
}
