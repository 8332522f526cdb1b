package fleet

import (
	"context"

	"binnacle/backend/fleet/change"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/fleetmap"
)

// Watch lists what happened after a cursor: trunk's landings, the executors'
// events, and the invalidations of the view's change that were not told yet.
// It writes nothing but the cache. Errors: CodeCursorLost for a cursor whose
// commit is no ancestor any more, CodeNotFetched without any fetch.
func (f *Fleet) Watch(ctx context.Context, o change.WatchOptions) (fleetmap.WatchPage, error) {
	var cursor fleetmap.WatchCursor
	if o.Since != "" {
		var err error
		if cursor, err = fleetmap.ParseWatchCursor(o.Since); err != nil {
			return fleetmap.WatchPage{}, err
		}
	}
	fresh := fleetmap.Freshness{Source: "cache", Why: "asked to read the cache only"}
	if !o.Offline && !f.opts.Offline {
		if _, err := f.Fetch(ctx); err == nil {
			fresh = fleetmap.Freshness{Source: "remote"}
		} else if model.CodeOf(err) == model.CodeOffline {
			fresh.Why = err.Error()
		} else {
			return fleetmap.WatchPage{}, err
		}
	}
	v, err := f.look(ctx)
	if err != nil {
		return fleetmap.WatchPage{}, err
	}
	if v.state.At == nil {
		return fleetmap.WatchPage{}, model.Errorf(model.CodeNotFetched, "no fetch of the remote is recorded, so there is nothing to watch").
			WithHint("binnacle fleet status fetches it")
	}
	fresh.FetchedAt, fresh.Age = v.state.At.Wall, fleetmap.Elapsed(*v.state.At, f.now())
	return v.record().Watch(ctx, o, cursor, fresh, f.View())
}

// Invalidations lists the inputs of a change that moved past their pins, as of
// the last fetch.
func (f *Fleet) Invalidations(ctx context.Context, id string) ([]fleetmap.Invalidation, error) {
	v, err := f.look(ctx)
	if err != nil {
		return nil, err
	}
	c, err := v.record().Find(id)
	if err != nil {
		return nil, err
	}
	return v.record().Invalidations(ctx, c)
}

// Witnesses lists the heads of a machine's ledger that this machine saw in
// fetches, the oldest first; of this machine itself when the name is empty.
// The remote, and each machine that fetches, hold the like.
func (f *Fleet) Witnesses(ctx context.Context, machine string) ([]fleetmap.Witness, error) {
	if machine == "" {
		machine = f.Machine()
	}
	v, err := f.look(ctx)
	if err != nil {
		return nil, err
	}
	if v.state.At == nil {
		return nil, model.Errorf(model.CodeNotFetched, "no fetch of the remote is recorded, so nobody is a witness yet").
			WithHint("binnacle fleet status fetches")
	}
	m := v.state.Machines[machine]
	if m == nil {
		return nil, nil
	}
	return append([]fleetmap.Witness(nil), m.Heads...), nil
}

// VerifyWitness compares the workspace's ledger with the heads of it that were
// published: what a rewritten history no longer matches. See
// model.CompareWitness.
func (f *Fleet) VerifyWitness(ctx context.Context) ([]fleetmap.WitnessFinding, error) {
	if f.opts.Store == nil {
		return nil, model.Errorf(model.CodeNoWork, "no workspace here; run binnacle init")
	}
	list, err := f.Witnesses(ctx, "")
	if err != nil {
		return nil, err
	}
	hash := func(seq int64) (string, error) {
		var e model.Event
		err := f.opts.Store.Read(ctx, func(r store.Reader) error {
			var err error
			e, err = r.Event(seq)
			return err
		})
		if model.CodeOf(err) == model.CodeNotFound {
			return "", nil
		}
		return e.Hash, err
	}
	return fleetmap.CompareWitness(f.opts.Store.Epoch(), hash, list)
}
