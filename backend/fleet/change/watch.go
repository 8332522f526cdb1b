package change

import (
	"context"
	"maps"
	"slices"
	"sort"
	"strings"

	"binnacle/backend/fleet/statefile"
	"binnacle/model"
	"binnacle/model/fleetmap"
)

// WatchOptions say from where on to look.
type WatchOptions struct {
	Since   string // a cursor, "" to begin
	Offline bool   // read the cache only
	Change  string // whose view asks; this work tree's when ""
	Outside bool   // ask as if outside of any view
}

func lostCursor(why string) error {
	return model.Errorf(model.CodeCursorLost, "the cursor leads nowhere: %s", why).
		WithHint("begin again without --since; the executor logs and trunk are the record")
}

// Watch lists what happened after a cursor: trunk's landings, the executors'
// events, and the invalidations of the view's change that were not told yet. fresh
// says how old the record is, bound the change that the work tree is bound to.
// Errors: CodeCursorLost for a cursor whose commit is no ancestor any more.
func (r Record) Watch(ctx context.Context, o WatchOptions, cursor fleetmap.WatchCursor, fresh fleetmap.Freshness, bound string) (fleetmap.WatchPage, error) {
	if o.Since != "" && cursor.Remote != r.Remote.Hash {
		return fleetmap.WatchPage{}, lostCursor("it is another remote's")
	}
	w := watcher{r: r, cursor: cursor, fresh: o.Since == ""}
	w.page = fleetmap.WatchPage{Freshness: fresh, Landings: []fleetmap.Landing{}, Events: []fleetmap.BayEvent{}, Invalidations: []fleetmap.Invalidation{}}
	if err := w.settleView(o, bound); err != nil {
		return fleetmap.WatchPage{}, err
	}
	for _, step := range []func(context.Context) error{w.landings, w.events, w.invalidations} {
		if err := step(ctx); err != nil {
			return fleetmap.WatchPage{}, err
		}
	}
	w.page.Cursor = w.next.Text()
	return w.page, nil
}

// watcher makes one page.
type watcher struct {
	r      Record
	cursor fleetmap.WatchCursor
	next   fleetmap.WatchCursor
	fresh  bool             // there was no cursor
	change *fleetmap.Change // whose view asks, nil outside of a view
	page   fleetmap.WatchPage
}

func (w *watcher) settleView(o WatchOptions, bound string) error {
	id := o.Change
	switch {
	case o.Outside:
		id = ""
	case !w.fresh:
		id = w.cursor.Change
	case id == "":
		id = bound
	}
	w.next = fleetmap.WatchCursor{Remote: w.r.Remote.Hash, Trunk: w.r.Trunk, Logs: map[string]string{}, Change: id}
	w.page.Change = id
	if id == "" {
		return nil
	}
	for i := range w.r.Changes {
		if w.r.Changes[i].ID == id {
			w.change = &w.r.Changes[i]
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
	trunk := w.r.Trunk
	if trunk == "" {
		return nil
	}
	after := w.cursor.Trunk
	switch {
	case !w.fresh && after != "":
		ok, err := w.r.Remote.Record().Ancestor(ctx, after, trunk)
		if err != nil {
			return err
		}
		if !ok {
			return lostCursor("trunk was rewritten since")
		}
	case w.fresh && w.change != nil:
		if ok, err := w.r.Remote.Record().Ancestor(ctx, w.change.Base, trunk); err != nil {
			return err
		} else if ok {
			after = w.change.Base
		}
	}
	ids, err := w.r.Remote.Record().Walk(ctx, after, trunk)
	if err != nil {
		return err
	}
	if n := len(ids) - fleetmap.MaxLandings; n > 0 {
		if w.fresh && w.change == nil {
			// Without a place to begin at: the newest, and how many came before.
			ids, w.page.Skipped = ids[n:], int64(n)
		} else {
			ids, w.page.More = ids[:fleetmap.MaxLandings], true
		}
	}
	if len(ids) > 0 {
		w.next.Trunk = ids[len(ids)-1]
	}
	list, err := w.r.Remote.Record().Describe(ctx, ids)
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
	left := fleetmap.MaxBayEvents
	seen := map[string]bool{}
	for _, executor := range slices.Sorted(maps.Keys(w.r.Logs)) {
		head, after := w.r.Logs[executor], w.cursor.Logs[executor]
		if after != "" {
			w.next.Logs[executor] = after
			ok, err := w.r.Remote.Record().Ancestor(ctx, after, head)
			if err != nil {
				return err
			}
			if !ok {
				return lostCursor("the log of " + executor + " does not hold its commit")
			}
		}
		commits, err := w.r.Remote.Record().Walk(ctx, after, head)
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
	for _, executor := range slices.Sorted(maps.Keys(w.r.LogFaults)) {
		w.page.Notes = append(w.page.Notes, string(model.CodeLogRewritten)+" "+executor+": "+w.r.LogFaults[executor])
	}
	return nil
}

func (w *watcher) readEvents(ctx context.Context, executor string, commits []string, seen map[string]bool) error {
	rd, err := w.r.Remote.Record().Open(ctx)
	if err != nil {
		return err
	}
	defer rd.Close()
	names := make([]string, len(commits))
	for i, c := range commits {
		names[i] = c + ":event.json"
	}
	found, err := rd.Read(names, fleetmap.MaxChangeBytes)
	if err != nil {
		return err
	}
	for i, o := range found {
		e, err := fleetmap.ParseBayEvent(o.Body, executor)
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
	list, err := w.r.Invalidations(ctx, *w.change)
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
