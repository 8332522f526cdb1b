package cli

import (
	"context"
	"path/filepath"
	"strings"

	"binnacle/backend"
	"binnacle/backend/fleet"
	"binnacle/backend/fleet/hooks"
	ws "binnacle/backend/workspace"
	"binnacle/model"
)

// Fleet is an open fleet, and the workspace that it records in.
type Fleet struct {
	*fleet.Fleet
	Workspace *Workspace // nil: there is none here, so there are no local records
	ASCII     bool
}

// OpenFleet opens the fleet of the repository that the program was started in,
// with the workspace's ledger where there is one. It starts no process.
func (r *Run) OpenFleet(ctx context.Context, how Access) (*Fleet, error) {
	if how == Writing && r.Flags.ReadOnly {
		return nil, ReadOnly()
	}
	w, err := r.Open(ctx, how)
	switch {
	case err == nil:
		return r.FleetOf(w)
	case model.CodeOf(err) != model.CodeNoWork || r.namesWorkspace():
		return nil, err
	}
	o := backend.Config{}.FleetOptions("", r.Env.World())
	o.RepoDir = r.Env.Dir
	r.FleetWorld(&o)
	f, err := fleet.Open(o)
	return &Fleet{Fleet: f, ASCII: r.Flags.ASCII}, err
}

// FleetOf opens the fleet of an open workspace.
func (r *Run) FleetOf(w *Workspace) (*Fleet, error) {
	o, err := r.FleetOptions(w.Paths, w.config)
	if err != nil {
		return nil, err
	}
	o.Store = w.Backend.Store
	r.FleetWorld(&o)
	f, err := fleet.Open(o)
	return &Fleet{Fleet: f, Workspace: w, ASCII: r.Flags.ASCII || w.config.ASCII}, err
}

// namesWorkspace says whether the workspace was named, so that its absence is
// an error and not a place without one.
func (r *Run) namesWorkspace() bool {
	return r.Flags.Workspace != "" || r.Env.Getenv("BINNACLE_WORKSPACE") != ""
}

// FleetOptions are the options that a workspace's config.toml asks for.
func (r *Run) FleetOptions(paths ws.Workspace, config backend.Config) (fleet.Options, error) {
	if config.Fleet.Off {
		return fleet.Options{}, model.Errorf(model.CodeRefused, "the fleet is off in this workspace").
			WithHint("remove off = true from [fleet] in %s", paths.Config())
	}
	o := config.FleetOptions(paths.Config(), r.Env.World())
	o.Spool = filepath.Join(paths.Dir(), hooks.SpoolName)
	o.RepoDir = backend.FleetFolder(r.Env.Dir, paths.Project())
	if r.Flags.Workspace != "" {
		o.RepoDir = paths.Project()
	}
	// What this run starts, the detached publisher above all, finds the same
	// workspace, wherever in the repository it stands.
	o.Environ = append(r.environ("BINNACLE_WORKSPACE"), "BINNACLE_WORKSPACE="+paths.Project())
	return o, nil
}

// FleetWorld gives the options what comes from the run's own world.
func (r *Run) FleetWorld(o *fleet.Options) {
	if o.Environ == nil {
		o.Environ = r.environ("")
	}
	o.Offline = r.Flags.ReadOnly
	o.Clock = r.Env.Clock
	o.Alarm = func(_ string, err error) {
		if err != nil {
			report(r.Env.Stderr, err, r.Asked)
		}
	}
}

// environ lists the environment but for one variable; it is never nil.
func (r *Run) environ(without string) []string {
	out := []string{}
	if r.Env.Environ == nil {
		return out
	}
	for _, kv := range r.Env.Environ() {
		if name, _, _ := strings.Cut(kv, "="); name != without {
			out = append(out, kv)
		}
	}
	return out
}
