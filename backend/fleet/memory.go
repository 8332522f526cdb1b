package fleet

import (
	"context"
	"path/filepath"
	"sort"
	"sync"
	"time"

	"binnacle/backend/fleet/change"
	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/keys"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
	"binnacle/model/fleetmap"
)

// mirror is the cache of what the remote has: it is filled by fetches, and looked
// at by everybody else.
type mirror struct {
	*core

	mu     sync.Mutex // guards what follows
	remote *git.Remote
	memory memory
	tried  *model.Reading // when the configuration was last read in vain
	none   noRemote
	asked  struct { // the state as the fetching duty read it last
		stamp statefile.Stamp
		state *fetched
	}
}

// memory is what this process keeps of the cache, so that the map is made
// without git while nothing changed. Guarded by mirror.mu.
type memory struct {
	remote        string          // the hash of the remote that all of it is about
	stamp         statefile.Stamp // of fetched.json when state was read
	state         *fetched
	registry      *keys.Signers
	registryTrunk string
	counted       *keys.Signers           // as it counts: the registry, or an alarm in its place
	version       string                  // the registry's, when the verdicts were made
	verdicts      map[string]keys.Verdict // by machine
	machines      []fleetmap.SeenMachine
	changes       []fleetmap.Change
	changesOf     map[string]string   // the refs that changes was read from
	behind        map[behindKey]*bool // what was asked for already; never changed in place
	behindOf      *fetched            // whose rows were asked for
}

type behindKey struct{ trunk, base string }

// use empties the memory when it is about another remote.
func (m *memory) use(r *git.Remote) {
	if m.remote != r.Hash {
		*m = memory{remote: r.Hash}
	}
}

// keepVerdicts remembers what a fetch judged.
func (f *mirror) keepVerdicts(r *git.Remote, names []string, verdicts []keys.Verdict) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.memory.use(r)
	if f.memory.verdicts == nil {
		f.memory.verdicts = map[string]keys.Verdict{}
	}
	for i, name := range names {
		f.memory.verdicts[name] = verdicts[i]
	}
}

// view is one consistent look at the cache.
type view struct {
	remote   *git.Remote
	state    *fetched
	registry *keys.Signers
	machines []fleetmap.SeenMachine
	changes  []fleetmap.Change
}

func (v view) record() change.Record {
	return change.Record{
		Remote: v.remote, Trunk: v.state.Trunk, Refs: v.state.Changes, Changes: v.changes, Logs: v.state.Logs, LogFaults: v.state.LogFaults,
	}
}

// look brings the memory up to date with the cache, reading only what changed,
// and asks nobody. A cache that was never filled by a whole fetch has a state
// without one.
//
// Another process may be fetching: for the moment in which its cache still
// counts as a partial clone, git ends rather than say that an object is
// missing. So a failed look is repeated.
func (f *mirror) look(ctx context.Context) (view, error) {
	for try := 1; ; try++ {
		v, err := f.lookOnce(ctx)
		if err == nil || try == 4 || ctx.Err() != nil || model.CodeOf(err) != model.CodeInternal {
			return v, err
		}
		if err := sleep(ctx, time.Duration(try)*40*time.Millisecond); err != nil {
			return view{}, err
		}
	}
}

func (f *mirror) lookOnce(ctx context.Context) (view, error) {
	r, err := f.knownRemote(ctx)
	if err != nil {
		return view{}, err
	}
	now := statefile.StampOf(fetchedPath(r))
	f.mu.Lock()
	f.memory.use(r)
	if m := &f.memory; m.state != nil && m.stamp == now && m.counted != nil && m.version == m.counted.Version(f.now().Wall) {
		v := view{r, m.state, m.counted, m.machines, m.changes}
		f.mu.Unlock()
		return v, nil
	}
	known := f.memory.verdicts
	f.mu.Unlock()
	state, err := loadFetched(r)
	if err != nil {
		return view{}, err
	}
	reg, err := f.registryAt(ctx, r, state.Trunk, false)
	if err != nil {
		return view{}, err
	}
	reg = reg.Counted(state.KeyAlarm)
	verdicts, err := f.bringVerdicts(ctx, r, state, reg, known)
	if err != nil {
		return view{}, err
	}
	changes, err := f.bringChanges(ctx, r, state)
	if err != nil {
		return view{}, err
	}
	v := view{r, state, reg, seenMachines(state, verdicts), changes}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.memory.use(r)
	m := &f.memory
	m.counted, m.version = reg, reg.Version(f.now().Wall)
	m.stamp, m.state, m.verdicts, m.machines = now, state, verdicts, v.machines
	m.changes, m.changesOf = changes, state.Changes
	return v, nil
}

// noRemote is that the repository had none when it was last read.
type noRemote struct {
	at     model.Reading
	config statefile.Stamp // of the repository's own configuration
	err    error
}

// noRemoteFor bounds how long that is believed while the repository's own
// configuration stays: another file that git reads may name a remote, too.
const noRemoteFor = 30 * time.Second

// knownRemote is remoteFor, but it starts no process while it is known what that
// would find.
func (f *mirror) knownRemote(ctx context.Context) (*git.Remote, error) {
	now, config := f.now(), statefile.StampOf(filepath.Join(f.repo.Common, "config"))
	f.mu.Lock()
	r, none := f.remote, f.none
	f.mu.Unlock()
	if r != nil {
		return r, nil
	}
	if none.err != nil && none.config == config && fleetmap.Elapsed(none.at, now) < noRemoteFor {
		return nil, none.err
	}
	r, err := f.remoteFor(ctx)
	if model.CodeOf(err) == model.CodeNoRemote {
		f.mu.Lock()
		f.none = noRemote{now, config, err}
		f.mu.Unlock()
	}
	return r, err
}

// bringVerdicts judges the summaries that are new, or that were judged by
// another registry.
func (f *mirror) bringVerdicts(ctx context.Context, r *git.Remote, state *fetched, reg *keys.Signers, known map[string]keys.Verdict) (map[string]keys.Verdict, error) {
	out := make(map[string]keys.Verdict, len(state.Machines))
	var names, refs []string
	version := reg.Version(f.now().Wall)
	for name, m := range state.Machines {
		if !m.Here {
			continue
		}
		if why := state.Bad[m.Commit]; why != "" {
			out[name] = keys.Verdict{Commit: m.Commit, Code: model.CodeQuarantined, Why: "its summary can't be fetched: " + why}
			continue
		}
		if v, ok := known[name]; ok && v.Commit == m.Commit && v.Registry == version {
			out[name] = v
			continue
		}
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		refs = append(refs, state.Machines[name].Commit)
	}
	verdicts, err := f.judge(ctx, r, names, refs, reg)
	if err != nil {
		return nil, err
	}
	for i, v := range verdicts {
		out[names[i]] = v
	}
	return out, nil
}

// seenMachines joins the verdicts with what is remembered of each machine.
func seenMachines(state *fetched, verdicts map[string]keys.Verdict) []fleetmap.SeenMachine {
	out := make([]fleetmap.SeenMachine, 0, len(verdicts))
	for name, v := range verdicts {
		m := state.Machines[name]
		s := fleetmap.SeenMachine{
			Name: name, Live: v.Live, First: m.First[firstKey(v)], Readable: v.Readable, Code: v.Code, Why: v.Why, Signed: v.Signed,
		}
		if v.Code == "" && m.replayed(v) {
			s.Code, s.Why = model.CodeReplayed, "an older summary than one that was seen before came back"
			s.Live.Rows = nil
		}
		if v.Live.WrittenAt != 0 && s.First.Wall != 0 {
			s.Skew = v.Live.WrittenAt.Sub(s.First.Wall)
		}
		out = append(out, s)
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}

// bringChanges reads the changes again when their refs moved.
func (f *mirror) bringChanges(ctx context.Context, r *git.Remote, state *fetched) ([]fleetmap.Change, error) {
	f.mu.Lock()
	same := f.memory.state != nil && sameRefs(f.memory.changesOf, state.Changes)
	changes := f.memory.changes
	f.mu.Unlock()
	if same {
		return changes, nil
	}
	return change.Read(ctx, r, state.Changes)
}

func sameRefs(a, b map[string]string) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		if b[k] != v {
			return false
		}
	}
	return true
}

// remoteFor is the remote, with the folder of the rows that this machine's
// workspaces share on it. It costs one git process.
func (f *mirror) remoteFor(ctx context.Context) (*git.Remote, error) {
	r, err := f.repo.Remote(ctx)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.remote = r
	f.mu.Unlock()
	return r, statefile.MakeDir(filepath.Join(r.Dir, "rows"))
}
