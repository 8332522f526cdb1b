package fleet

import (
	"context"
	"path/filepath"

	"binnacle/backend/fleet/change"
	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/fleetmap"
)

// ChangeOpen opens a change at trunk's tip, pins its inputs, and binds this
// work tree to it.
func (f *Fleet) ChangeOpen(ctx context.Context, d change.Draft) (fleetmap.Change, error) {
	if err := d.Check(f.opts.Redactor); err != nil {
		return fleetmap.Change{}, err
	}
	return f.changeStep(ctx, d.ID, "open", fleetmap.BayChangeOpened, func(v view, c *fleetmap.Change) error {
		if err := v.record().Pin(ctx, c, d); err != nil {
			return err
		}
		c.View = f.here()
		return nil
	})
}

// ChangeHold takes the change for this machine, work tree and actor.
func (f *Fleet) ChangeHold(ctx context.Context, id, session string) (fleetmap.Change, error) {
	return f.changeStep(ctx, id, "hold", fleetmap.BayChangeHeld, func(_ view, c *fleetmap.Change) error {
		actor, _ := f.opts.Redactor.RedactText(f.opts.Actor)
		c.Holder = fleetmap.Holder{Machine: f.Machine(), Actor: actor, Session: session}
		c.View = f.here()
		return nil
	})
}

// here is this work tree as a change's record names it.
func (f *Fleet) here() fleetmap.View {
	path, _ := f.opts.Redactor.RedactText(f.repo.Root)
	return fleetmap.View{Machine: f.Machine(), Path: path}
}

// ChangeRelease gives a held change back. Only its holder's machine may, or
// anyone with force.
func (f *Fleet) ChangeRelease(ctx context.Context, id string, force bool) (fleetmap.Change, error) {
	return f.changeStep(ctx, id, "release", fleetmap.BayChangeReleased, func(_ view, c *fleetmap.Change) error {
		if err := f.mine(c, force); err != nil {
			return err
		}
		c.Holder = fleetmap.Holder{}
		return nil
	})
}

// ChangeClose ends a change.
func (f *Fleet) ChangeClose(ctx context.Context, id string, force bool) (fleetmap.Change, error) {
	return f.changeStep(ctx, id, "close", fleetmap.BayChangeClosed, func(_ view, c *fleetmap.Change) error {
		return f.mine(c, force)
	})
}

// ChangeSupersede ends a change in favour of another.
func (f *Fleet) ChangeSupersede(ctx context.Context, id string, force bool) (fleetmap.Change, error) {
	return f.changeStep(ctx, id, "supersede", fleetmap.BayChangeSuperseded, func(_ view, c *fleetmap.Change) error {
		return f.mine(c, force)
	})
}

// ChangeTip records the change's newest commit.
func (f *Fleet) ChangeTip(ctx context.Context, id, commit string) (fleetmap.Change, error) {
	if !fleetmap.HexID(commit) {
		return fleetmap.Change{}, model.Errorf(model.CodeUsage, "%q is not a commit's name", clean.Line(commit))
	}
	return f.changeStep(ctx, id, "", "", func(_ view, c *fleetmap.Change) error {
		c.Tip = commit
		return nil
	})
}

func (f *Fleet) mine(c *fleetmap.Change, force bool) error {
	if c.State == fleetmap.ChangeHeld && c.Holder.Machine != f.Machine() && !force {
		return model.Errorf(model.CodeRefused, "change %s is held by %s on %s", c.ID, clean.Line(c.Holder.Actor), clean.Line(c.Holder.Machine)).
			WithHint("ask them, or insist with --force")
	}
	return nil
}

// ChangeShow returns a change as of the last fetch.
func (f *Fleet) ChangeShow(ctx context.Context, id string) (fleetmap.Change, []fleetmap.Invalidation, error) {
	v, err := f.look(ctx)
	if err != nil {
		return fleetmap.Change{}, nil, err
	}
	r := v.record()
	c, err := r.Find(id)
	if err != nil {
		return c, nil, model.Errorf(model.CodeNotFound, "%w", err).WithHint("binnacle fleet status fetches")
	}
	list, err := r.Invalidations(ctx, c)
	return c, list, err
}

// Changes lists the changes as of the last fetch, by id.
func (f *Fleet) Changes(ctx context.Context) ([]fleetmap.Change, error) {
	v, err := f.look(ctx)
	return v.changes, err
}

// changeStep takes a change through one step of its state machine: what the
// remote has is fetched, changed, and pushed back under a lease, so of two that
// hold a change one is refused. The event follows in the executor's log.
func (f *Fleet) changeStep(ctx context.Context, id, action, kind string, do func(view, *fleetmap.Change) error) (fleetmap.Change, error) {
	r, err := f.remoteFor(ctx)
	if err != nil {
		return fleetmap.Change{}, err
	}
	l, err := statefile.Lock(ctx, filepath.Join(r.Dir, "lock"))
	if err != nil {
		return fleetmap.Change{}, err
	}
	c, e, err := f.stepLocked(ctx, r, id, action, kind, do)
	l.Unlock()
	if err != nil {
		return c, err
	}
	if e.ID != "" {
		f.notify(ctx, e)
	}
	switch {
	case action == "open" || action == "hold":
		err = f.bindings().Bind(f.repo.Root, c)
	case f.View() == id && (action == "close" || action == "supersede"):
		err = f.bindings().Unbind(f.repo.Root)
	}
	return c, err
}

func (f *Fleet) stepLocked(ctx context.Context, r *git.Remote, id, action, kind string, do func(view, *fleetmap.Change) error) (fleetmap.Change, fleetmap.BayEvent, error) {
	if _, err := f.fetchLocked(ctx, r); err != nil {
		return fleetmap.Change{}, fleetmap.BayEvent{}, err
	}
	v, err := f.look(ctx)
	if err != nil {
		return fleetmap.Change{}, fleetmap.BayEvent{}, err
	}
	c, parent, err := v.record().Current(id)
	if err != nil {
		return c, fleetmap.BayEvent{}, err
	}
	was := c.State
	if action != "" {
		to, ok := fleetmap.ChangeMachine().To(was, action)
		if !ok {
			return c, fleetmap.BayEvent{}, fleetmap.ChangeMachine().Refuse(id, was, action)
		}
		if err := do(v, &c); err != nil {
			return c, fleetmap.BayEvent{}, err
		}
		c.State = to
	} else if was == "" {
		return c, fleetmap.BayEvent{}, model.Errorf(model.CodeNotFound, "there is no change %s", id)
	} else if err := do(v, &c); err != nil {
		return c, fleetmap.BayEvent{}, err
	}
	if err := f.pushChange(ctx, r, c, parent); err != nil || kind == "" {
		return c, fleetmap.BayEvent{}, err
	}
	e, err := f.logEvent(ctx, r, change.EventDraft{Kind: kind, Change: id, Subject: fleetmap.BaySubject{Kind: fleetmap.InputChange, Ref: id}})
	return c, e, err
}

func (f *Fleet) pushChange(ctx context.Context, r *git.Remote, c fleetmap.Change, parent string) error {
	id, err := change.Write(r.Record(), f.own(), c, parent, f.now().Wall)
	if err != nil {
		return err
	}
	why, err := r.Record().Push(ctx, f.opts.Prefix+"/change/"+c.ID, parent, id)
	if err != nil {
		return err
	}
	if why != "" {
		return model.Errorf(model.CodeStale, "change %s moved in the meantime, or the host refuses it: %s", c.ID, why).
			WithHint("look at it again and repeat")
	}
	state, err := loadFetched(r)
	if err != nil {
		return err
	}
	state.Changes[c.ID] = id
	return f.keepRef(ctx, r, state, change.Ref(c.ID), id)
}

// LogEvent appends an event to this executor's log on the remote: one commit
// that goes on from the last one, under a lease. Then it runs the notify
// command, once.
func (f *Fleet) LogEvent(ctx context.Context, d change.EventDraft) (fleetmap.BayEvent, error) {
	r, err := f.remoteFor(ctx)
	if err != nil {
		return fleetmap.BayEvent{}, err
	}
	l, err := statefile.Lock(ctx, filepath.Join(r.Dir, "lock"))
	if err != nil {
		return fleetmap.BayEvent{}, err
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
func (f *Fleet) logEvent(ctx context.Context, r *git.Remote, d change.EventDraft) (fleetmap.BayEvent, error) {
	for range 3 {
		if _, err := f.fetchLocked(ctx, r); err != nil {
			return fleetmap.BayEvent{}, err
		}
		state, err := loadFetched(r)
		if err != nil {
			return fleetmap.BayEvent{}, err
		}
		if why := state.LogFaults[f.executor()]; why != "" {
			return fleetmap.BayEvent{}, model.Errorf(model.CodeLogRewritten, "the log of %s can't be continued: %s", f.executor(), why)
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
	return fleetmap.BayEvent{}, model.Errorf(model.CodeBusy, "the log of %s moved under each of three attempts", f.executor()).
		WithHint("two machines write as one executor; configure another name for one of them")
}

// keepRef moves a ref of the record to what the remote was just given.
func (f *Fleet) keepRef(ctx context.Context, r *git.Remote, state *fetched, ref, id string) error {
	if err := r.Record().UpdateRefs(ctx, "update "+ref+" "+id+"\n"); err != nil {
		return err
	}
	return statefile.WriteJSON(fetchedPath(r), state)
}
