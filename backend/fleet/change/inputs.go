package change

import (
	"context"
	"errors"

	"binnacle/backend/fleet/git"
	"binnacle/model/fleetmap"
)

// Invalidations lists the inputs of a change that moved past their pins.
func (r Record) Invalidations(ctx context.Context, c fleetmap.Change) ([]fleetmap.Invalidation, error) {
	where, err := r.locate(ctx, c.Inputs)
	if err != nil {
		return nil, err
	}
	list := c.Invalidations(
		func(in fleetmap.ChangeInput) (string, bool) {
			l := where[in]
			return l.at, l.known
		},
		func(fleetmap.ChangeInput) string { return "" },
	)
	for i := range list {
		if list[i].Cause, err = r.cause(ctx, list[i].Input); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// located is where an input is now; known is false when the cache can't say.
type located struct {
	at    string
	known bool
}

func (r Record) locate(ctx context.Context, inputs []fleetmap.ChangeInput) (map[fleetmap.ChangeInput]located, error) {
	out := map[fleetmap.ChangeInput]located{}
	var rd *git.Reader
	for _, in := range inputs {
		if in.Kind == fleetmap.InputChange {
			for _, c := range r.Changes {
				if c.ID == in.Ref {
					out[in] = located{c.Tip, true}
				}
			}
			continue
		}
		if r.Trunk == "" {
			continue
		}
		if rd == nil {
			var err error
			if rd, err = r.Remote.Record().Open(ctx); err != nil {
				return nil, err
			}
			defer rd.Close()
		}
		e, err := rd.Entry(r.Trunk, in.Ref)
		if errors.Is(err, git.ErrNoCommit) {
			continue
		}
		if err != nil {
			return nil, err
		}
		out[in] = located{e.ID, true}
	}
	return out, nil
}

// cause names the landing that last changed a path, or the commit of a
// change's ref.
func (r Record) cause(ctx context.Context, in fleetmap.ChangeInput) (string, error) {
	if in.Kind == fleetmap.InputChange {
		return r.Refs[in.Ref], nil
	}
	return r.Remote.Record().LastChange(ctx, r.Trunk, in.Ref)
}
