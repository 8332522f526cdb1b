package change

import (
	"context"
	"sort"

	"binnacle/backend/fleet/git"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/fleetmap"
)

// Record is what the last fetch brought of trunk, the changes and the logs.
type Record struct {
	Remote    *git.Remote
	Trunk     string            // its tip, "" for none
	Refs      map[string]string // change -> commit
	Changes   []fleetmap.Change // those that can be read, by id
	Logs      map[string]string // executor -> commit
	LogFaults map[string]string // executor -> why its log stands still
}

// Find is a change by its id (model.CodeNotFound).
func (r Record) Find(id string) (fleetmap.Change, error) {
	for _, c := range r.Changes {
		if c.ID == id {
			return c, nil
		}
	}
	return fleetmap.Change{}, model.Errorf(model.CodeNotFound, "there is no change %s in the last fetch", clean.Line(id))
}

// Current is a change as it may be changed, and the commit that it goes on from: one
// of no state where there is none yet.
func (r Record) Current(id string) (fleetmap.Change, string, error) {
	parent := r.Refs[id]
	for _, c := range r.Changes {
		if c.ID == id {
			c.Inputs = append([]fleetmap.ChangeInput(nil), c.Inputs...)
			return c, parent, nil
		}
	}
	if parent != "" {
		return fleetmap.Change{}, "", model.Errorf(model.CodeMalformed, "the change %s on the remote can't be read", id).
			WithHint("look at it: git ls-remote, then git show of its commit")
	}
	return fleetmap.Change{ID: id}, "", nil
}

// Read reads each change's newest change.json. One that can't be read
// is left out: its ref says nothing that may be shown.
func Read(ctx context.Context, r *git.Remote, refs map[string]string) ([]fleetmap.Change, error) {
	if len(refs) == 0 {
		return nil, nil
	}
	ids := make([]string, 0, len(refs))
	for id := range refs {
		ids = append(ids, id)
	}
	sort.Strings(ids)
	rd, err := r.Record().Open(ctx)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	names := make([]string, len(ids))
	for i, id := range ids {
		names[i] = Ref(id) + ":change.json"
	}
	found, err := rd.Read(names, fleetmap.MaxChangeBytes)
	if err != nil {
		return nil, err
	}
	var out []fleetmap.Change
	for i, o := range found {
		if o.Kind != "blob" || o.Body == nil {
			continue
		}
		if c, err := fleetmap.ParseChange(o.Body, ids[i]); err == nil {
			out = append(out, c)
		}
	}
	return out, nil
}

// Ref is a change's ref in the cache.
func Ref(id string) string { return "refs/change/" + id }

// LogRef is an executor's.
func LogRef(executor string) string { return "refs/log/" + executor }
