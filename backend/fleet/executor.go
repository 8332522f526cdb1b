package fleet

import (
	"context"
	"path/filepath"
	"strings"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/keys"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
)

// EventDraft is an executor event before it has a number.
type EventDraft struct {
	Kind    string
	Change  string
	Subject model.BaySubject
	Data    []byte // a JSON object, {} when empty
}

// LogEvent appends an event to this executor's log on the remote: one commit
// that goes on from the last one, under a lease. Then it runs the notify
// command, once.
func (f *Fleet) LogEvent(ctx context.Context, d EventDraft) (model.BayEvent, error) {
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
func (f *Fleet) logEvent(ctx context.Context, r *git.Remote, d EventDraft) (model.BayEvent, error) {
	for range 3 {
		if _, err := f.fetchLocked(ctx, r); err != nil {
			return model.BayEvent{}, err
		}
		state, err := loadFetched(r)
		if err != nil {
			return model.BayEvent{}, err
		}
		if why := state.LogFaults[f.executor()]; why != "" {
			return model.BayEvent{}, model.Errorf(model.CodeLogRewritten, "the log of %s can't be gone on with: %s", f.executor(), why)
		}
		parent := state.Logs[f.executor()]
		e, id, err := f.makeEvent(ctx, r, d, parent)
		if err != nil {
			return e, err
		}
		why, err := r.Record().Push(ctx, f.opts.Prefix+"/log/"+f.executor(), parent, id)
		if err != nil {
			return e, err
		}
		if why == "" {
			state.Logs[f.executor()] = id
			return e, f.keepRef(ctx, r, state, logRef(f.executor()), id)
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

// makeEvent writes the event's objects into the record, going on from parent.
func (f *Fleet) makeEvent(ctx context.Context, r *git.Remote, d EventDraft, parent string) (model.BayEvent, string, error) {
	e := model.BayEvent{
		Schema: model.BayEventSchema, Seq: 1, Executor: f.executor(), At: f.now().Wall, Kind: d.Kind, Change: d.Change,
		Subject: d.Subject, Data: d.Data,
	}
	if parent != "" {
		rd, err := r.Record().Open(ctx)
		if err != nil {
			return e, "", err
		}
		defer rd.Close()
		o, err := rd.One(parent+":event.json", model.MaxChangeBytes)
		if err != nil {
			return e, "", err
		}
		last, err := model.ParseBayEvent(o.Body, f.executor())
		if err != nil {
			return e, "", model.Errorf(model.CodeLogRewritten, "the last event of %s can't be read: %w", f.executor(), err)
		}
		e.Seq = last.Seq + 1
	}
	e.ID = model.BayEventID(e.Executor, e.Seq)
	raw, err := e.Encode()
	if err != nil {
		return e, "", err
	}
	id, err := f.commitFile(r, "event.json", raw, parent, e.Kind+" "+e.Change)
	return e, id, err
}

// commitFile writes a commit of one file into the record.
func (f *Fleet) commitFile(r *git.Remote, name string, content []byte, parent, message string) (string, error) {
	ids, _, err := f.own().Commit(r.Record(), keys.FileCommit{
		Name: name, Content: content, Parent: parent, Message: strings.TrimSpace(message), At: f.now().Wall, Durable: true,
	})
	return ids[2], err
}

// keepRef moves a ref of the record to what the remote was just given.
func (f *Fleet) keepRef(ctx context.Context, r *git.Remote, state *fetched, ref, id string) error {
	if err := r.Record().UpdateRefs(ctx, "update "+ref+" "+id+"\n"); err != nil {
		return err
	}
	return statefile.WriteJSON(fetchedPath(r), state)
}
