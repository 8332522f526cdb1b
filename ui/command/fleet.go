package command

import (
	"context"
	"path/filepath"
	"strings"

	"binnacle/backend"
	"binnacle/backend/fleet"
	"binnacle/backend/fleet/hooks"
	ws "binnacle/backend/workspace"
	"binnacle/model"
	"binnacle/model/desk"

	"github.com/spf13/cobra"
)

// fleetCommand is bay's place: who works on what, on every machine.
func (a *app) fleetCommand() *cobra.Command {
	return a.group("fleet", "Who works on what, on every machine, read from Git refs",
		"The fleet map: each machine publishes one summary of its sessions to a ref of the remote that all share,\n"+
			"and reads the others' from there. There is no server, and no connection between the machines.\n\n"+
			"Ages count by this machine's own clock. Without a fetch of the configured remote the map is blocked: it\n"+
			"lists nothing, and the exit status is 10.",
		a.fleetStatus(), a.fleetWatch(), a.fleetPush(), a.fleetChange(), a.fleetHooks(), a.fleetHook(), a.fleetKey(), a.fleetForget(),
		a.fleetWitness(), a.fleetDoctor(),
	)
}

// fleetPlace is an open fleet, and the workspace that it records in.
type fleetPlace struct {
	*fleet.Fleet
	workspace *workspace // nil: there is none here, so there are no local records
	ascii     bool
}

// openFleet opens the fleet of the repository that the program was started in,
// with the workspace's ledger where there is one. It starts no process.
func (a *app) openFleet(ctx context.Context, how access) (*fleetPlace, error) {
	if how == writing && a.flags.readOnly {
		return nil, readOnly()
	}
	w, err := a.open(ctx, how)
	switch {
	case err == nil:
		return a.fleetOf(w)
	case model.CodeOf(err) != model.CodeNoWork || a.namesWorkspace():
		return nil, err
	}
	o := backend.Config{}.FleetOptions("")
	o.RepoDir = a.env.Dir
	a.fleetWorld(&o)
	f, err := fleet.Open(o)
	return &fleetPlace{Fleet: f, ascii: a.flags.ascii}, err
}

// fleetOf opens the fleet of an open workspace.
func (a *app) fleetOf(w *workspace) (*fleetPlace, error) {
	o, err := a.fleetOptions(w.paths, w.config)
	if err != nil {
		return nil, err
	}
	o.Store = w.backend.Store
	a.fleetWorld(&o)
	f, err := fleet.Open(o)
	return &fleetPlace{Fleet: f, workspace: w, ascii: a.flags.ascii || w.config.ASCII}, err
}

// namesWorkspace says whether the workspace was named, so that its absence is
// an error and not a place without one.
func (a *app) namesWorkspace() bool {
	return a.flags.workspace != "" || a.env.Getenv("BINNACLE_WORKSPACE") != ""
}

// fleetOptions are the options that a workspace's config.toml asks for.
func (a *app) fleetOptions(paths ws.Workspace, config backend.Config) (fleet.Options, error) {
	if config.Fleet.Off {
		return fleet.Options{}, model.Errorf(model.CodeRefused, "the fleet is off in this workspace").
			WithHint("remove off = true from [fleet] in %s", paths.Config())
	}
	o := config.FleetOptions(paths.Config())
	o.Spool = filepath.Join(filepath.Dir(paths.Database()), hooks.SpoolName)
	o.RepoDir = backend.FleetFolder(a.env.Dir, paths.Project())
	if a.flags.workspace != "" {
		o.RepoDir = paths.Project()
	}
	if o.Actor == "" {
		o.Actor = config.Producer
	}
	// What this run starts, the detached publisher above all, finds the same
	// workspace, wherever in the repository it stands.
	o.Environ = append(a.environ("BINNACLE_WORKSPACE"), "BINNACLE_WORKSPACE="+paths.Project())
	return o, nil
}

// fleetWorld gives the options what comes from the run's own world. What the
// environment says of the actor wins over config.toml.
func (a *app) fleetWorld(o *fleet.Options) {
	for _, name := range []string{"BINNACLE_ACTOR", "BINNACLE_PRODUCER"} {
		if v := a.env.Getenv(name); v != "" {
			o.Actor = v
			break
		}
	}
	if o.Environ == nil {
		o.Environ = a.environ("")
	}
	o.Offline = a.flags.readOnly
	if o.Actor == "" && a.env.Getenv("USER") == "" && a.env.Getenv("LOGNAME") == "" && a.env.User != nil {
		o.Actor, _, _ = strings.Cut(a.env.User(), "@")
	}
	o.Clock = a.env.Clock
	o.Alarm = func(_ string, err error) {
		if err != nil {
			report(a.env.Stderr, err, a.asked)
		}
	}
}

// environ lists the environment but for one variable; it is never nil.
func (a *app) environ(without string) []string {
	out := []string{}
	if a.env.Environ == nil {
		return out
	}
	for _, kv := range a.env.Environ() {
		if name, _, _ := strings.Cut(kv, "="); name != without {
			out = append(out, kv)
		}
	}
	return out
}

// fleetRuns wraps a command that needs an open fleet. A refusal with exit
// status 10 is an answer, too: where stdout gets JSON, it gets one object.
func (a *app) fleetRuns(how access, fn func(ctx context.Context, f *fleetPlace, args []string) error) func(*cobra.Command, []string) error {
	return a.runs(func(ctx context.Context, args []string) error {
		f, err := a.openFleet(ctx, how)
		if err == nil {
			err = fn(ctx, f, args)
		}
		return a.sayBlocked(err)
	})
}

// blocked is a refusal as an answer: it has a code and lists nothing.
type blocked struct {
	Blocked model.Code `json:"blocked"`
	*model.Error
	Machines []string `json:"machines"`
	Actors   []string `json:"actors"`
	Sessions []string `json:"sessions"`
}

func (a *app) sayBlocked(err error) error {
	if err == nil || !a.json || model.Exit(err) != 10 {
		return err
	}
	none := []string{}
	answer := blocked{model.CodeOf(err), desk.ErrorOf(err), none, none, none}
	if e := a.writeJSON(answer); e != nil {
		return e
	}
	return err
}

// joined is an object with one more member at its end: for values that write
// their own JSON.
func joined(object any, name string, member any) (jsonText, error) {
	head, err := jsonLine(object)
	if err != nil {
		return nil, err
	}
	tail, err := jsonLine(map[string]any{name: member})
	if err != nil {
		return nil, err
	}
	text := strings.TrimSuffix(strings.TrimSpace(string(head)), "}") + "," + strings.TrimPrefix(strings.TrimSpace(string(tail)), "{")
	return jsonText(text), nil
}

// jsonText is JSON that was written already.
type jsonText []byte

// MarshalJSON returns the text as it is.
func (t jsonText) MarshalJSON() ([]byte, error) { return t, nil }
