package fleet

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sort"
	"strings"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
)

// WatchOptions say from where on to look.
type WatchOptions struct {
	Since   string // a cursor, "" to begin
	Offline bool   // read the cache only
	Change  string // whose view asks; this work tree's when ""
	Outside bool   // ask as if outside of any view
}

// Watch lists what happened after a cursor: trunk's landings, the executors'
// events, and the invalidations of the view's change that were not told yet.
// It writes nothing but the cache. Errors: CodeCursorLost for a cursor whose
// commit is no ancestor any more, CodeNotFetched without any fetch.
func (f *Fleet) Watch(ctx context.Context, o WatchOptions) (model.WatchPage, error) {
	var cursor model.WatchCursor
	if o.Since != "" {
		var err error
		if cursor, err = model.ParseWatchCursor(o.Since); err != nil {
			return model.WatchPage{}, err
		}
	}
	fresh := model.Freshness{Source: "cache", Why: "asked to read the cache only"}
	if !o.Offline && !f.opts.Offline {
		if _, err := f.Fetch(ctx); err == nil {
			fresh = model.Freshness{Source: "remote"}
		} else if model.CodeOf(err) == model.CodeOffline {
			fresh.Why = err.Error()
		} else {
			return model.WatchPage{}, err
		}
	}
	v, err := f.look(ctx)
	if err != nil {
		return model.WatchPage{}, err
	}
	if v.state.At == nil {
		return model.WatchPage{}, model.Errorf(model.CodeNotFetched, "no fetch of the remote is recorded, so there is nothing to watch").
			WithHint("binnacle fleet status fetches it")
	}
	fresh.FetchedAt, fresh.Age = v.state.At.Wall, model.Elapsed(*v.state.At, f.now())
	if o.Since != "" && cursor.Remote != v.remote.Hash {
		return model.WatchPage{}, lostCursor("it is another remote's")
	}
	w := watcher{f: f, v: v, cursor: cursor, fresh: o.Since == ""}
	w.page = model.WatchPage{Freshness: fresh, Landings: []model.Landing{}, Events: []model.BayEvent{}, Invalidations: []model.Invalidation{}}
	if err := w.settleView(o); err != nil {
		return model.WatchPage{}, err
	}
	for _, step := range []func(context.Context) error{w.landings, w.events, w.invalidations} {
		if err := step(ctx); err != nil {
			return model.WatchPage{}, err
		}
	}
	w.page.Cursor = w.next.Text()
	return w.page, nil
}

func lostCursor(why string) error {
	return model.Errorf(model.CodeCursorLost, "the cursor leads nowhere: %s", why).
		WithHint("begin again without --since; the executor logs and trunk are the record")
}

// watcher makes one page.
type watcher struct {
	f      *Fleet
	v      view
	cursor model.WatchCursor
	next   model.WatchCursor
	fresh  bool          // there was no cursor
	change *model.Change // whose view asks, nil outside of a view
	page   model.WatchPage
}

func (w *watcher) settleView(o WatchOptions) error {
	id := o.Change
	switch {
	case o.Outside:
		id = ""
	case !w.fresh:
		id = w.cursor.Change
	case id == "":
		id = w.f.View()
	}
	w.next = model.WatchCursor{Remote: w.v.remote.Hash, Trunk: w.v.state.Trunk, Logs: map[string]string{}, Change: id}
	w.page.Change = id
	if id == "" {
		return nil
	}
	for i := range w.v.changes {
		if w.v.changes[i].ID == id {
			w.change = &w.v.changes[i]
		}
	}
	if w.change == nil {
		if o.Change == "" {
			w.page.Notes = append(w.page.Notes, "the change "+id+" of this view is not in the fetch")
			return nil
		}
		return model.Errorf(model.CodeNotFound, "there is no change %s in the last fetch", id)
	}
	if w.fresh {
		w.page.State = w.change
	}
	return nil
}

func (w *watcher) landings(ctx context.Context) error {
	trunk := w.v.state.Trunk
	if trunk == "" {
		return nil
	}
	after := w.cursor.Trunk
	switch {
	case !w.fresh && after != "":
		ok, err := w.v.remote.Record().Ancestor(ctx, after, trunk)
		if err != nil {
			return err
		}
		if !ok {
			return lostCursor("trunk was rewritten since")
		}
	case w.fresh && w.change != nil:
		if ok, err := w.v.remote.Record().Ancestor(ctx, w.change.Base, trunk); err != nil {
			return err
		} else if ok {
			after = w.change.Base
		}
	}
	ids, err := w.v.remote.Record().Walk(ctx, after, trunk)
	if err != nil {
		return err
	}
	if n := len(ids) - model.MaxLandings; n > 0 {
		if w.fresh && w.change == nil {
			// Without a place to begin at: the newest, and how many came before.
			ids, w.page.Skipped = ids[n:], int64(n)
		} else {
			ids, w.page.More = ids[:model.MaxLandings], true
		}
	}
	if len(ids) > 0 {
		w.next.Trunk = ids[len(ids)-1]
	}
	list, err := w.v.remote.Record().Describe(ctx, ids)
	if err != nil {
		return err
	}
	for _, l := range list {
		if w.change == nil || w.change.TouchesLanding(l) {
			w.page.Landings = append(w.page.Landings, l)
		}
	}
	return nil
}

func (w *watcher) events(ctx context.Context) error {
	left := model.MaxBayEvents
	seen := map[string]bool{}
	for _, executor := range slices.Sorted(maps.Keys(w.v.state.Logs)) {
		head, after := w.v.state.Logs[executor], w.cursor.Logs[executor]
		if after != "" {
			w.next.Logs[executor] = after
			ok, err := w.v.remote.Record().Ancestor(ctx, after, head)
			if err != nil {
				return err
			}
			if !ok {
				return lostCursor("the log of " + executor + " does not hold its commit")
			}
		}
		commits, err := w.v.remote.Record().Walk(ctx, after, head)
		if err != nil {
			return err
		}
		if len(commits) > left {
			commits, w.page.More = commits[:left], true
		}
		if len(commits) == 0 {
			continue
		}
		left -= len(commits)
		w.next.Logs[executor] = commits[len(commits)-1]
		if err := w.readEvents(ctx, executor, commits, seen); err != nil {
			return err
		}
	}
	sort.SliceStable(w.page.Events, func(i, j int) bool { return w.page.Events[i].At < w.page.Events[j].At })
	for _, executor := range slices.Sorted(maps.Keys(w.v.state.LogFaults)) {
		w.page.Notes = append(w.page.Notes, string(model.CodeLogRewritten)+" "+executor+": "+w.v.state.LogFaults[executor])
	}
	return nil
}

func (w *watcher) readEvents(ctx context.Context, executor string, commits []string, seen map[string]bool) error {
	rd, err := w.v.remote.Record().Open(ctx)
	if err != nil {
		return err
	}
	defer rd.Close()
	names := make([]string, len(commits))
	for i, c := range commits {
		names[i] = c + ":event.json"
	}
	found, err := rd.Read(names, model.MaxChangeBytes)
	if err != nil {
		return err
	}
	for i, o := range found {
		e, err := model.ParseBayEvent(o.Body, executor)
		if err != nil {
			w.page.Notes = append(w.page.Notes, "an event of "+executor+" at "+commits[i]+" can't be read: "+err.Error())
			continue
		}
		if !seen[e.ID] && (w.change == nil || w.change.Touches(e)) {
			seen[e.ID] = true
			w.page.Events = append(w.page.Events, e)
		}
	}
	return nil
}

func (w *watcher) invalidations(ctx context.Context) error {
	if w.change == nil {
		return nil
	}
	list, err := w.f.invalidations(ctx, w.v, *w.change)
	if err != nil {
		return err
	}
	told := map[string]bool{}
	for _, key := range w.cursor.Moved {
		told[key] = true
	}
	for _, in := range list {
		key := statefile.Hash(strings.Join([]string{in.Input.Kind, in.Input.Ref, in.Now}, "\x00"))[:12]
		w.next.Moved = append(w.next.Moved, key)
		if !told[key] {
			w.page.Invalidations = append(w.page.Invalidations, in)
		}
	}
	return nil
}

// Invalidations lists the inputs of a change that moved past their pins, as of
// the last fetch.
func (f *Fleet) Invalidations(ctx context.Context, id string) ([]model.Invalidation, error) {
	v, err := f.look(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range v.changes {
		if c.ID == id {
			return f.invalidations(ctx, v, c)
		}
	}
	return nil, model.Errorf(model.CodeNotFound, "there is no change %s in the last fetch", model.Clean(id))
}

func (f *Fleet) invalidations(ctx context.Context, v view, c model.Change) ([]model.Invalidation, error) {
	where, err := f.locate(ctx, v, c.Inputs)
	if err != nil {
		return nil, err
	}
	list := c.Invalidations(
		func(in model.ChangeInput) (string, bool) {
			l := where[in]
			return l.at, l.known
		},
		func(model.ChangeInput) string { return "" },
	)
	for i := range list {
		if list[i].Cause, err = v.cause(ctx, list[i].Input); err != nil {
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

func (f *Fleet) locate(ctx context.Context, v view, inputs []model.ChangeInput) (map[model.ChangeInput]located, error) {
	out := map[model.ChangeInput]located{}
	var rd *git.Reader
	for _, in := range inputs {
		if in.Kind == model.InputChange {
			for _, c := range v.changes {
				if c.ID == in.Ref {
					out[in] = located{c.Tip, true}
				}
			}
			continue
		}
		if v.state.Trunk == "" {
			continue
		}
		if rd == nil {
			var err error
			if rd, err = v.remote.Record().Open(ctx); err != nil {
				return nil, err
			}
			defer rd.Close()
		}
		e, err := rd.Entry(v.state.Trunk, in.Ref)
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
func (v view) cause(ctx context.Context, in model.ChangeInput) (string, error) {
	if in.Kind == model.InputChange {
		return v.state.Changes[in.Ref], nil
	}
	return v.remote.Record().LastChange(ctx, v.state.Trunk, in.Ref)
}
