package fleet

import (
	"context"
	"path/filepath"

	"binnacle/backend/fleet/statefile"
	"binnacle/model"
	"binnacle/model/fleetmap"
)

// Forgetting is a machine whose ref is to be removed from the remote.
type Forgetting struct {
	Machine string `json:"machine"`
	Ref     string `json:"ref"`
	Commit  string `json:"commit"`
	Why     string `json:"why"`   // what is known of it, in words
	Fresh   int    `json:"fresh"` // sessions that it lists: it is alive
}

// Forgettable says what Forget would remove. This machine itself, and one that
// lists sessions unless force, are refused.
func (f *Fleet) Forgettable(ctx context.Context, machine string, force bool) (Forgetting, error) {
	if err := fleetmap.CheckMachine(machine); err != nil {
		return Forgetting{}, err
	}
	if machine == f.Machine() {
		return Forgetting{}, model.Errorf(model.CodeRefused, "%s is this machine", machine).
			WithHint("name one that is gone; binnacle fleet status lists them")
	}
	r, err := f.remoteFor(ctx)
	if err != nil {
		return Forgetting{}, err
	}
	refs, err := r.PushedRefs(ctx)
	if err != nil {
		return Forgetting{}, err
	}
	out := Forgetting{Machine: machine, Ref: f.opts.Prefix + "/live/" + machine, Commit: refs.Live[machine], Why: "nothing is known of it here"}
	if out.Commit == "" {
		return out, model.Errorf(model.CodeNotFound, "the remote has no summary of %s", machine).
			WithHint("binnacle fleet status lists the machines")
	}
	m, err := f.Map(ctx)
	if err != nil && model.CodeOf(err) != model.CodeNotFetched {
		return out, err
	}
	for _, x := range m.Machines {
		if x.Machine == machine {
			out.Fresh, out.Why = x.Fresh, "its summary came "+model.Ago(x.Age)
		}
	}
	if out.Fresh > 0 && !force {
		return out, model.Errorf(model.CodeRefused, "%s lists live sessions (%d), so it is not gone", machine, out.Fresh).
			WithHint("--force removes it all the same; it publishes again with its next event")
	}
	return out, nil
}

// Forget removes a machine's ref under a lease: it must still be what was
// shown (else model.CodeStale). The cache follows with the next fetch.
func (f *Fleet) Forget(ctx context.Context, shown Forgetting) error {
	r, err := f.remoteFor(ctx)
	if err != nil {
		return err
	}
	l, err := statefile.Lock(ctx, filepath.Join(r.Dir, "lock"))
	if err != nil {
		return err
	}
	defer l.Unlock()
	why, err := r.Publish().Push(ctx, shown.Ref, shown.Commit, "")
	if err != nil {
		return err
	}
	if why == "" {
		_, err = f.fetchLocked(ctx, r)
		return err
	}
	refs, err := r.PushedRefs(ctx)
	switch {
	case err != nil:
		return err
	case refs.Live[shown.Machine] == "":
		return nil // another was faster
	case refs.Live[shown.Machine] != shown.Commit:
		return model.Errorf(model.CodeStale, "%s published in the meantime, so it is not gone", shown.Machine)
	}
	return model.Errorf(model.CodeRefRefused, "the host does not let %s be removed: %s", shown.Ref, why)
}
