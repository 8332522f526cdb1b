package fleet

import (
	"context"

	"binnacle/backend/store"
	"binnacle/model"
)

// Witnesses lists the heads of a machine's ledger that this machine saw in
// fetches, the oldest first; of this machine itself when the name is empty.
// The remote, and each machine that fetches, hold the like.
func (f *Fleet) Witnesses(ctx context.Context, machine string) ([]model.Witness, error) {
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
	return append([]model.Witness(nil), m.Heads...), nil
}

// VerifyWitness compares the workspace's ledger with the heads of it that were
// published: what a rewritten history no longer matches. See
// model.CompareWitness.
func (f *Fleet) VerifyWitness(ctx context.Context) ([]model.WitnessFinding, error) {
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
	return model.CompareWitness(f.opts.Store.Epoch(), hash, list)
}
