package fleet

import (
	"context"
	"path/filepath"
	"sort"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/keys"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
	"binnacle/model/fleetmap"
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
func (f *mirror) Fetch(ctx context.Context) (FetchReport, error) {
	if f.opts.Offline {
		return FetchReport{}, model.Errorf(model.CodeReadOnly, "--read-only asks the remote nothing, so nothing was fetched")
	}
	r, err := f.remoteFor(ctx)
	if err != nil {
		return FetchReport{}, err
	}
	l, err := statefile.Lock(ctx, filepath.Join(r.Dir, "lock"))
	if err != nil {
		return FetchReport{}, err
	}
	defer l.Unlock()
	return f.fetchLocked(ctx, r)
}

// fetchLocked is Fetch under the cache's lock.
func (f *mirror) fetchLocked(ctx context.Context, r *git.Remote) (FetchReport, error) {
	state, err := loadFetched(r)
	if err != nil {
		return FetchReport{}, err
	}
	// Ages count from before the remote was asked: what it answers may be that
	// old, never older.
	asked := f.now()
	state.Asked = &asked
	report, err := f.refresh(ctx, r, state, asked)
	err = r.Hinted(err)
	if err != nil {
		state.Failures++
		state.Failure = err.Error()
		if e := statefile.WriteJSON(fetchedPath(r), state); e != nil {
			return report, e
		}
		return report, err
	}
	state.At, state.Failures, state.Failure = &asked, 0, ""
	state.forget(asked)
	report.FetchedAt = asked.Wall
	return report, statefile.WriteJSON(fetchedPath(r), state)
}

// refresh brings the cache to what the remote has. state holds what is known
// so far also when it fails.
func (f *mirror) refresh(ctx context.Context, r *git.Remote, state *fetched, asked model.Reading) (FetchReport, error) {
	refs, err := r.Refs(ctx)
	if err != nil {
		return FetchReport{}, err
	}
	report := FetchReport{Trunk: refs.Trunk, TrunkMoved: refs.Trunk != state.Trunk, Quarantined: map[string]string{}}
	names, left := choose(refs.Live, state.Machines, f.Machine())
	report.Machines, report.Truncated, report.LeftOut = len(names), left > 0, left
	var changed []string
	for _, name := range names {
		m := state.Machines[name]
		if m != nil && m.Here && m.Commit == refs.Live[name] {
			continue
		}
		if state.Bad[refs.Live[name]] == "" {
			changed = append(changed, name)
		}
	}
	fetchedNames, err := f.fetchLive(ctx, r, state, refs.Live, changed)
	if err != nil {
		return report, err
	}
	// The record before the verdicts: the registry at trunk's new tip decides
	// on the new summaries.
	if err := f.fetchRecord(ctx, r, state, refs); err != nil {
		return report, err
	}
	gone, unread := vanish(state, names, refs.Live)
	report.Vanished = gone
	if err := f.dropRefs(ctx, r, append(unread, gone...)); err != nil {
		return report, err
	}
	if err := f.noteMachines(ctx, r, state, refs.Live, names, fetchedNames, asked); err != nil {
		return report, err
	}
	for _, name := range names {
		if why := state.Bad[refs.Live[name]]; why != "" {
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
func (f *mirror) noteMachines(ctx context.Context, r *git.Remote, state *fetched, live map[string]string, names, came []string, asked model.Reading) error {
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
	if state.KeyAlarm, err = keys.Vouch(ctx, r, state.KeyAlarm, state.Trunk, reg, asked.Wall); err != nil {
		return err
	}
	verdicts, err := f.judge(ctx, r, came, refs, reg.Counted(state.KeyAlarm))
	if err != nil {
		return err
	}
	for i, v := range verdicts {
		m := state.Machines[came[i]]
		if v.Commit != "" {
			m.Commit = v.Commit // the ref moved on between the question and the fetch
		}
		m.see(v, asked)
	}
	for _, name := range names {
		// A quarantined summary has no bytes here: its age counts from the
		// first sight of its commit's name.
		if m := state.Machines[name]; state.Bad[m.Commit] != "" {
			m.see(keys.Verdict{Commit: m.Commit, Code: model.CodeQuarantined}, asked)
		}
	}
	f.keepVerdicts(r, came, verdicts)
	return nil
}

// liveRef is a machine's ref in the cache.
func liveRef(name string) string { return "refs/live/" + name }

// judge reads and judges summaries with a reader of its own.
func (f *mirror) judge(ctx context.Context, r *git.Remote, names, refs []string, reg *keys.Signers) ([]keys.Verdict, error) {
	if len(names) == 0 {
		return nil, nil
	}
	rd, err := r.Live().Open(ctx)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	return keys.JudgeAll(rd, names, refs, reg, r.Name, f.now().Wall)
}

// choose picks the machines to read: this one, then those that were listed
// before, then those that changed most recently, then by name. So the choice
// stays as it is for as long as those machines do. It says how many were left
// out.
func choose(live map[string]string, seen map[string]*seenMachine, self string) (names []string, left int) {
	for name := range live {
		names = append(names, name)
	}
	rank := func(name string) (int, int64) {
		s := seen[name]
		switch {
		case name == self:
			return 0, 0
		case s != nil && s.Here:
			return 1, 0
		case s == nil || s.Commit != live[name]:
			return 2, 0 // changed just now, or new
		default:
			return 3, -int64(s.Changed)
		}
	}
	sort.Slice(names, func(i, j int) bool {
		a, at := rank(names[i])
		b, bt := rank(names[j])
		if a != b {
			return a < b
		}
		if at != bt {
			return at < bt
		}
		return names[i] < names[j]
	})
	if len(names) > fleetmap.MaxMachines {
		names, left = names[:fleetmap.MaxMachines], len(names)-fleetmap.MaxMachines
	}
	sort.Strings(names)
	return names, left
}

// fetchDue looks at what is written down of the last attempt, which may have
// been another process's. It costs a stat, and no process.
func (f *mirror) fetchDue() bool {
	f.mu.Lock()
	r := f.remote
	f.mu.Unlock()
	if r == nil {
		return f.firstFetchDue()
	}
	state, err := f.cachedState(r)
	if err != nil {
		f.alarm(err)
		return false
	}
	if state.Asked == nil {
		return true
	}
	return fleetmap.Elapsed(*state.Asked, f.now()) >= max(f.opts.FetchEvery, pause(state.Failures))
}

// firstFetchDue keeps a repository without a remote from costing a process a
// second.
func (f *mirror) firstFetchDue() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	now := f.now()
	if f.tried != nil && fleetmap.Elapsed(*f.tried, now) < f.opts.FetchEvery {
		return false
	}
	f.tried = &now
	return true
}

// cachedState is loadFetched, unless the file is the one that was read last.
func (f *mirror) cachedState(r *git.Remote) (*fetched, error) {
	now := statefile.StampOf(fetchedPath(r))
	f.mu.Lock()
	if m := &f.memory; m.remote == r.Hash && m.state != nil && m.stamp == now {
		defer f.mu.Unlock()
		return m.state, nil
	}
	if f.asked.stamp == now && f.asked.state != nil {
		defer f.mu.Unlock()
		return f.asked.state, nil
	}
	f.mu.Unlock()
	state, err := loadFetched(r)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.asked.stamp, f.asked.state = now, state
	f.mu.Unlock()
	return state, nil
}
