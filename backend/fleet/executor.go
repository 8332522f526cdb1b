package fleet

import (
	"context"
	"path/filepath"

	"binnacle/backend/fleet/change"
	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
)

// LogEvent appends an event to this executor's log on the remote: one commit
// that goes on from the last one, under a lease. Then it runs the notify
// command, once.
func (f *Fleet) LogEvent(ctx context.Context, d change.EventDraft) (model.BayEvent, error) {
	r, err := f.remoteFor(ctx)
	if err != nil {
		return model.BayEvent{}, err
	}
	l, err := statefile.Lock(ctx, filepath.Join(r.Dir, "lock"))
	if err != nil {
		return model.BayEvent{}, err
	}
	e, err := f.logEvent(ctx, r, d)
	l.Unlock()
	if err != nil {
		return e, err
	}
	f.notify(ctx, e)
	return e, nil
}

// logEvent is LogEvent under the cache's lock, without the notice.
func (f *Fleet) logEvent(ctx context.Context, r *git.Remote, d change.EventDraft) (model.BayEvent, error) {
	for range 3 {
		if _, err := f.fetchLocked(ctx, r); err != nil {
			return model.BayEvent{}, err
		}
		state, err := loadFetched(r)
		if err != nil {
			return model.BayEvent{}, err
		}
		if why := state.LogFaults[f.executor()]; why != "" {
			return model.BayEvent{}, model.Errorf(model.CodeLogRewritten, "the log of %s can't be continued: %s", f.executor(), why)
		}
		parent := state.Logs[f.executor()]
		e, id, err := d.Make(ctx, r.Record(), f.own(), f.executor(), parent, f.now().Wall)
		if err != nil {
			return e, err
		}
		why, err := r.Record().Push(ctx, f.opts.Prefix+"/log/"+f.executor(), parent, id)
		if err != nil {
			return e, err
		}
		if why == "" {
			state.Logs[f.executor()] = id
			return e, f.keepRef(ctx, r, state, change.LogRef(f.executor()), id)
		}
		if refs, err := r.PushedRefs(ctx); err != nil {
			return e, err
		} else if refs.Logs[f.executor()] == parent {
			return e, model.Errorf(model.CodeRefRefused, "the host refuses the log of %s: %s", f.executor(), why)
		}
	}
	return model.BayEvent{}, model.Errorf(model.CodeBusy, "the log of %s moved under each of three attempts", f.executor()).
		WithHint("two machines write as one executor; configure another name for one of them")
}

// keepRef moves a ref of the record to what the remote was just given.
func (f *Fleet) keepRef(ctx context.Context, r *git.Remote, state *fetched, ref, id string) error {
	if err := r.Record().UpdateRefs(ctx, "update "+ref+" "+id+"\n"); err != nil {
		return err
	}
	return statefile.WriteJSON(fetchedPath(r), state)
}
