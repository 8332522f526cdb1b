package fleet

import (
	"context"
	"path/filepath"
	"sort"

	"binnacle/model"
)

// FetchReport is what a fetch brought.
type FetchReport struct {
	FetchedAt    model.Time        `json:"fetched_at"`
	Machines     int               `json:"machines"`
	Changed      []string          `json:"changed"`  // machines with a new summary
	Vanished     []string          `json:"vanished"` // machines whose ref is gone since the last fetch
	Truncated    bool              `json:"machines_truncated"`
	LeftOut      int               `json:"left_out"`              // machines that the remote has beyond those that are read
	Quarantined  map[string]string `json:"quarantined,omitempty"` // machine -> why its summary can't be fetched
	Trunk        string            `json:"trunk"`
	TrunkMoved   bool              `json:"trunk_moved"`
	LogFaults    map[string]string `json:"log_faults,omitempty"`
	ChangeFaults map[string]string `json:"change_faults,omitempty"`
}

// Fetch asks the remote for trunk, the machines' summaries, the executor logs
// and the changes, and brings what changed into the cache. It fails as a whole
// when the remote can't be asked; then nothing that was known changes, and ages
// grow on.
func (f *Fleet) Fetch(ctx context.Context) (FetchReport, error) {
	if f.opts.Offline {
		return FetchReport{}, model.Errorf(model.CodeReadOnly, "--read-only asks the remote nothing, so nothing was fetched")
	}
	r, err := f.remoteFor(ctx)
	if err != nil {
		return FetchReport{}, err
	}
	l, err := lock(ctx, filepath.Join(r.dir, "lock"))
	if err != nil {
		return FetchReport{}, err
	}
	defer l.unlock()
	return f.fetchLocked(ctx, r)
}

// fetchLocked is Fetch under the cache's lock.
func (f *Fleet) fetchLocked(ctx context.Context, r *remote) (FetchReport, error) {
	state, err := loadFetched(r)
	if err != nil {
		return FetchReport{}, err
	}
	// Ages count from before the remote was asked: what it answers may be that
	// old, never older.
	asked := f.now()
	state.Asked = &asked
	report, err := f.refresh(ctx, r, state, asked)
	err = r.hinted(err)
	if err != nil {
		state.Failures++
		state.Failure = err.Error()
		if e := writeJSON(fetchedPath(r), state); e != nil {
			return report, e
		}
		return report, err
	}
	state.At, state.Failures, state.Failure = &asked, 0, ""
	state.forget(asked)
	report.FetchedAt = asked.Wall
	return report, writeJSON(fetchedPath(r), state)
}

// refresh brings the cache to what the remote has. state holds what is known
// so far also when it fails.
func (f *Fleet) refresh(ctx context.Context, r *remote, state *fetched, asked model.Reading) (FetchReport, error) {
	refs, err := f.askRefs(ctx, r)
	if err != nil {
		return FetchReport{}, err
	}
	report := FetchReport{Trunk: refs.trunk, TrunkMoved: refs.trunk != state.Trunk, Quarantined: map[string]string{}}
	names, left := choose(refs.live, state.Machines, f.Machine())
	report.Machines, report.Truncated, report.LeftOut = len(names), left > 0, left
	var changed []string
	for _, name := range names {
		m := state.Machines[name]
		if m != nil && m.Here && m.Commit == refs.live[name] {
			continue
		}
		if state.Bad[refs.live[name]] == "" {
			changed = append(changed, name)
		}
	}
	fetchedNames, err := f.fetchLive(ctx, r, state, refs.live, changed)
	if err != nil {
		return report, err
	}
	// The record before the verdicts: the registry at trunk's new tip decides
	// on the new summaries.
	if err := f.fetchRecord(ctx, r, state, refs); err != nil {
		return report, err
	}
	gone, unread := vanish(state, names, refs.live)
	report.Vanished = gone
	if err := f.dropRefs(ctx, r, append(unread, gone...)); err != nil {
		return report, err
	}
	if err := f.noteMachines(ctx, r, state, refs.live, names, fetchedNames, asked); err != nil {
		return report, err
	}
	for _, name := range names {
		if why := state.Bad[refs.live[name]]; why != "" {
			report.Quarantined[name] = why
		}
	}
	state.Truncated, state.LeftOut = left > 0, left
	report.Changed, report.LogFaults, report.ChangeFaults = fetchedNames, state.LogFaults, state.ChangeFaults
	return report, f.pruneWhenDue(ctx, r, state, len(fetchedNames) > 0)
}

// vanish marks the machines that are read no more, and names them: those whose
// ref is gone, and those that the remote has still and that are left out.
func vanish(state *fetched, names []string, live map[string]string) (gone, unread []string) {
	here := make(map[string]bool, len(names))
	for _, n := range names {
		here[n] = true
	}
	for name, m := range state.Machines {
		switch {
		case !m.Here || here[name]:
			continue
		case live[name] == "":
			gone = append(gone, name)
		default:
			unread = append(unread, name)
		}
		m.Here = false
	}
	sort.Strings(gone)
	sort.Strings(unread)
	return gone, unread
}

// noteMachines judges the summaries that came and writes down their first
// sight.
func (f *Fleet) noteMachines(ctx context.Context, r *remote, state *fetched, live map[string]string, names, came []string, asked model.Reading) error {
	for _, name := range names {
		m := state.Machines[name]
		if m == nil {
			m = &seenMachine{}
			state.Machines[name] = m
		}
		m.Here = true
		if m.Commit != live[name] {
			m.Commit, m.Changed = live[name], asked.Wall
		}
	}
	refs := make([]string, len(came))
	for i, name := range came {
		refs[i] = liveRef(name)
	}
	reg, err := f.registryAt(ctx, r, state.Trunk, true)
	if err != nil {
		return err
	}
	if err := f.vouch(ctx, r, state, reg, asked.Wall); err != nil {
		return err
	}
	verdicts, err := f.judge(ctx, r, came, refs, state.counted(reg))
	if err != nil {
		return err
	}
	for i, v := range verdicts {
		m := state.Machines[came[i]]
		if v.commit != "" {
			m.Commit = v.commit // the ref moved on between the question and the fetch
		}
		m.see(v, asked)
	}
	for _, name := range names {
		// A quarantined summary has no bytes here: its age counts from the
		// first sight of its commit's name.
		if m := state.Machines[name]; state.Bad[m.Commit] != "" {
			m.see(verdict{commit: m.Commit, code: model.CodeQuarantined}, asked)
		}
	}
	f.keepVerdicts(r, came, verdicts)
	return nil
}

// liveRef is a machine's ref in the cache.
func liveRef(name string) string { return "refs/live/" + name }

// judge reads and judges summaries with a reader of its own.
func (f *Fleet) judge(ctx context.Context, r *remote, names, refs []string, reg *registry) ([]verdict, error) {
	if len(names) == 0 {
		return nil, nil
	}
	rd, err := f.openReader(ctx, r.live())
	if err != nil {
		return nil, err
	}
	defer rd.close()
	return judgeAll(rd, names, refs, reg, r.repo, f.now().Wall)
}
