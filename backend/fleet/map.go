package fleet

import (
	"context"
	"maps"
	"slices"
	"strings"

	"binnacle/model"
	"binnacle/model/fleetmap"
)

// Map says who works on what, from the last fetch and this machine's own
// records; it asks nobody. Without a whole fetch of the configured remote it is
// blocked (model.CodeNotFetched) and lists nothing. Where nothing changed since
// the last call it costs no process, no row and no file but looks at dates: of
// the last fetch, and of the folder that the machine's workspaces share.
// The map is shared: don't change what it points to.
func (f *Fleet) Map(ctx context.Context) (fleetmap.Map, error) {
	rows, err := f.readRows(ctx)
	if err != nil {
		return fleetmap.Map{Machine: f.Machine()}, err
	}
	return f.MapOf(ctx, rows, f.now())
}

// MapOf is the map with this workspace's sessions as a read had them, their ages
// as of now. It reads no row, and may run git, so it stands outside of the read.
func (f *Fleet) MapOf(ctx context.Context, rows Rows, now model.Reading) (fleetmap.Map, error) {
	v, err := f.look(ctx)
	if model.CodeOf(err) == model.CodeNoRemote && f.repo.Common != "" {
		return f.UnsharedOf(rows, now, err)
	}
	if err != nil {
		return fleetmap.Map{Machine: f.Machine()}, err
	}
	local, err := f.localSessions(rows, v.remote, now)
	if err != nil {
		return fleetmap.Map{Machine: f.Machine()}, err
	}
	in := fleetmap.Input{
		Repo: v.remote.Name, Self: f.Machine(), Now: now, Window: f.opts.Window, Fetched: v.state.At, Truncated: v.state.Truncated, LeftOut: v.state.LeftOut, Alarm: v.state.KeyAlarm,
		Machines: v.machines, Local: local, Changes: v.changes, Note: note(v),
		Unreported: f.unreported(rows, f.keptOthers(), now),
	}
	if in.Behind, err = f.behind(ctx, v, local); err != nil {
		return fleetmap.Map{Machine: f.Machine()}, err
	}
	m := fleetmap.Join(in)
	if m.Blocked != "" {
		return m, model.Errorf(model.CodeNotFetched, "no fetch of the remote's live refs is recorded, so this is not the fleet").
			WithHint("binnacle fleet status fetches them")
	}
	return m, nil
}

// Status fetches, unless Options.Offline, and makes the map. When the fetch fails, the map of the last
// one comes with the error.
func (f *Fleet) Status(ctx context.Context) (fleetmap.Map, FetchReport, error) {
	if f.opts.Offline {
		m, err := f.Map(ctx)
		return m, FetchReport{FetchedAt: m.FetchedAt, Machines: len(m.Machines), Truncated: m.Truncated}, err
	}
	report, err := f.Fetch(ctx)
	m, mapErr := f.Map(ctx)
	switch {
	case err == nil, model.CodeOf(err) == model.CodeNoRemote && m.Unshared != "":
		err = mapErr
	case mapErr != nil:
		// It was never fetched; what this machine itself does is known all the same.
		if own, e := f.Unshared(ctx, err); e == nil {
			m = own
		}
	}
	return m, report, err
}

// Unshared is the map of this machine's own sessions, which is all that is known
// where other machines' summaries can't be had; why says why, and stands in it.
func (f *Fleet) Unshared(ctx context.Context, why error) (fleetmap.Map, error) {
	rows, err := f.readRows(ctx)
	if err != nil {
		return fleetmap.Map{Machine: f.Machine()}, err
	}
	return f.UnsharedOf(rows, f.now(), why)
}

// UnsharedOf is Unshared with the sessions as a read had them.
func (f *Fleet) UnsharedOf(rows Rows, now model.Reading, why error) (fleetmap.Map, error) {
	local, err := f.localSessions(rows, nil, now)
	if err != nil {
		return fleetmap.Map{Machine: f.Machine()}, err
	}
	return fleetmap.JoinLocal(fleetmap.Input{Self: f.Machine(), Now: now, Window: f.opts.Window, Local: local, Unreported: f.unreported(rows, nil, now)}, why.Error()), nil
}

func note(v view) string {
	var notes []string
	if v.registry.Err != nil && v.state.KeyAlarm == "" {
		notes = append(notes, v.registry.Err.Error())
	}
	for _, id := range slices.Sorted(maps.Keys(v.state.ChangeFaults)) {
		notes = append(notes, "the change "+id+" can't be fetched as it is now: "+v.state.ChangeFaults[id])
	}
	for _, executor := range slices.Sorted(maps.Keys(v.state.LogFaults)) {
		notes = append(notes, "the log of "+executor+": "+v.state.LogFaults[executor])
	}
	if left := v.remote.Note(); left != "" {
		notes = append(notes, left)
	}
	if v.state.Failure != "" {
		notes = append(notes, "the last attempt to fetch failed: "+v.state.Failure)
	}
	return strings.Join(notes, "; ")
}

// behind answers for every session's base whether trunk moved past it. All
// that was not asked before is asked in one go.
func (f *mirror) behind(ctx context.Context, v view, local []fleetmap.LocalSession) (func(change, base string) *bool, error) {
	trunk := v.state.Trunk
	if trunk == "" || len(v.state.Changes) == 0 {
		return nil, nil
	}
	f.mu.Lock()
	known, fresh := f.memory.behind, f.memory.behindOf == v.state
	f.mu.Unlock()
	asked := map[string]bool{}
	var ask []string
	want := func(change, base string) {
		if change == "" || base == "" || v.state.Changes[change] == "" || asked[base] {
			return
		}
		if _, ok := known[behindKey{trunk, base}]; !ok {
			asked[base] = true
			ask = append(ask, base)
		}
	}
	for i := range local {
		want(local[i].Row.Change, local[i].Row.Base)
	}
	if !fresh {
		for i := range v.machines {
			for j := range v.machines[i].Live.Rows {
				want(v.machines[i].Live.Rows[j].Change, v.machines[i].Live.Rows[j].Base)
			}
		}
		for i := range v.changes {
			want(v.changes[i].ID, v.changes[i].Base)
		}
	}
	if len(ask) > 0 {
		answers, err := v.remote.Record().Passed(ctx, trunk, ask)
		if err != nil {
			return nil, err
		}
		// A new map each time, so that readers of the old one need no lock.
		next := make(map[behindKey]*bool, len(known)+len(answers))
		for k, b := range known {
			if k.trunk == trunk {
				next[k] = b
			}
		}
		for base, behind := range answers {
			next[behindKey{trunk, base}] = behind
		}
		known = next
	}
	f.mu.Lock()
	f.memory.behind, f.memory.behindOf = known, v.state
	f.mu.Unlock()
	return func(change, base string) *bool {
		if v.state.Changes[change] == "" {
			return nil
		}
		return known[behindKey{trunk, base}]
	}, nil
}
