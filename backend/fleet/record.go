package fleet

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"path"
	"sort"
	"strings"

	"binnacle/model"
)

const (
	trunkRef = "refs/trunk"
	// trunkDepth bounds the first fetch of trunk. What lies deeper is unknown
	// to the map, and said to be.
	trunkDepth      = "2000"
	trunkDepthAgain = "100" // when the first attempt did not end in time
	maxRecordBytes  = 256 << 20
	maxRefBytes     = 32 << 20 // what one change or log may send at once
	usualRefBytes   = 256 << 10
)

func changeRef(id string) string    { return "refs/change/" + id }
func logRef(executor string) string { return "refs/log/" + executor }

// incomingRef is where a log waits until it turned out to go on from what was
// seen.
func incomingRef(executor string) string { return "refs/incoming/" + executor }

// fetchRecord brings what is the record: trunk's history without its files,
// the executor logs and the changes. Only what differs is fetched.
func (f *Fleet) fetchRecord(ctx context.Context, r *remote, state *fetched, refs advertised) error {
	if err := f.fetchTrunk(ctx, r, state, refs); err != nil {
		return err
	}
	var gone strings.Builder
	var wanted []wantedRef
	changes := map[string]string{}
	for id, commit := range refs.changes {
		if had := state.Changes[id]; had == commit || state.Bad[commit] != "" {
			if had != "" {
				changes[id] = had // a faulty successor takes nothing away
			}
			continue
		}
		wanted = append(wanted, wantedRef{f.opts.Prefix + "/change/" + id, changeRef(id), commit})
	}
	for id := range state.Changes {
		if refs.changes[id] == "" {
			gone.WriteString("delete " + changeRef(id) + "\n")
		}
	}
	for executor, commit := range refs.logs {
		if state.Logs[executor] != commit && state.Bad[commit] == "" {
			wanted = append(wanted, wantedRef{f.opts.Prefix + "/log/" + executor, incomingRef(executor), commit})
		}
	}
	sort.Slice(wanted, func(i, j int) bool { return wanted[i].from < wanted[j].from })
	came, err := f.fetchEach(ctx, r, state, wanted)
	if err != nil {
		return err
	}
	var moved []string
	for _, w := range wanted {
		id, isChange := strings.CutPrefix(w.to, changeRef(""))
		executor, isLog := strings.CutPrefix(w.to, incomingRef(""))
		switch {
		case isLog && came[w.from]:
			moved = append(moved, executor)
		case isChange && came[w.from]:
			changes[id] = w.commit
		case isChange && state.Changes[id] != "":
			changes[id] = state.Changes[id]
		}
	}
	if err := f.updateRefs(ctx, r.record(), gone.String()); err != nil {
		return err
	}
	state.Changes = changes
	if err := f.checkLogs(ctx, r, state, refs, moved); err != nil {
		return err
	}
	noteFaults(state, refs)
	return nil
}

// wantedRef is one ref of the remote that is to be brought into the record.
type wantedRef struct{ from, to, commit string }

// fetchEach brings refs under strict checks and a bound on their size. One that
// fails them would fail the fetch for all: then the list is halved until it
// stands alone, and that commit is not asked for again. It says which came.
func (f *Fleet) fetchEach(ctx context.Context, r *remote, state *fetched, wanted []wantedRef) (map[string]bool, error) {
	came := map[string]bool{}
	if len(wanted) == 0 {
		return came, nil
	}
	var lines strings.Builder
	for _, w := range wanted {
		lines.WriteString("+" + w.from + ":" + w.to + "\n")
	}
	// Together they are bound tightly; one that is large alone gets its own try.
	limit := min(int64(len(wanted))*usualRefBytes+8<<20, maxRecordBytes)
	if len(wanted) == 1 {
		limit = maxRefBytes
	}
	_, why, err := f.fetchRefs(ctx, r, fetchJob{gitDir: r.record(), filter: "blob:limit=32769", specs: lines.String(), limit: limit})
	if err != nil {
		return nil, err
	}
	if why == "" {
		for _, w := range wanted {
			came[w.from] = true
		}
		return came, nil
	}
	if len(wanted) == 1 {
		// It can also fail because the remote, or the ref, just went away: asked
		// again it says so.
		refs, err := f.askRefs(ctx, r)
		if err != nil {
			return nil, err
		}
		if refs.at(strings.TrimPrefix(wanted[0].from, f.opts.Prefix+"/")) == wanted[0].commit {
			state.Bad[wanted[0].commit] = why
		}
		return came, nil
	}
	for _, part := range [][]wantedRef{wanted[:len(wanted)/2], wanted[len(wanted)/2:]} {
		some, err := f.fetchEach(ctx, r, state, part)
		if err != nil {
			return nil, err
		}
		for name := range some {
			came[name] = true
		}
	}
	return came, nil
}

// noteFaults says of each change and log why its newest commit is left out.
func noteFaults(state *fetched, refs advertised) {
	state.ChangeFaults = map[string]string{}
	for id, commit := range refs.changes {
		if why := state.Bad[commit]; why != "" {
			state.ChangeFaults[id] = why
		}
	}
	for executor, commit := range refs.logs {
		if why := state.Bad[commit]; why != "" {
			state.LogFaults[executor] = "its newest commit can't be fetched: " + why
		}
	}
}

// checkLogs takes over the logs that go on from what was seen: a log only
// grows. One that was rewritten, or is gone, keeps what it had, with the fault.
func (f *Fleet) checkLogs(ctx context.Context, r *remote, state *fetched, refs advertised, moved []string) error {
	for executor := range state.Logs {
		if refs.logs[executor] == "" {
			state.LogFaults[executor] = "the log is gone from the remote; what was seen of it is kept"
		} else if refs.logs[executor] == state.Logs[executor] {
			delete(state.LogFaults, executor)
		}
	}
	if len(moved) == 0 {
		return nil
	}
	sort.Strings(moved)
	names := make([]string, len(moved))
	for i, executor := range moved {
		names[i] = incomingRef(executor)
	}
	rd, err := f.openReader(ctx, r.record())
	if err != nil {
		return err
	}
	heads, err := rd.stat(names)
	rd.close()
	if err != nil {
		return err
	}
	var lines strings.Builder
	next := map[string]string{}
	for i, executor := range moved {
		goesOn := state.Logs[executor] == ""
		if !goesOn {
			if goesOn, err = f.ancestor(ctx, r, state.Logs[executor], heads[i].id); err != nil {
				return err
			}
		}
		if !goesOn || heads[i].kind != "commit" {
			state.LogFaults[executor] = "the log was rewritten: it does not go on from what was seen before"
			continue
		}
		next[executor] = heads[i].id
		lines.WriteString("update " + logRef(executor) + " " + heads[i].id + "\n")
	}
	if err := f.updateRefs(ctx, r.record(), lines.String()); err != nil {
		return err
	}
	for executor, id := range next {
		state.Logs[executor] = id
		delete(state.LogFaults, executor)
	}
	return nil
}

func (f *Fleet) fetchTrunk(ctx context.Context, r *remote, state *fetched, refs advertised) error {
	if refs.trunk == "" {
		state.Trunk, state.Branch = "", refs.head
		return nil
	}
	if refs.trunk == state.Trunk {
		state.Branch = refs.head
		return nil
	}
	source := "HEAD"
	if refs.head != "" {
		source = "refs/heads/" + refs.head
	}
	var depth []string
	switch {
	case state.Trunk != "":
	case state.Failures == 0:
		depth = []string{"--depth=" + trunkDepth}
	default:
		depth = []string{"--depth=" + trunkDepthAgain}
	}
	res, why, err := f.fetchRefs(ctx, r, fetchJob{gitDir: r.record(), filter: "blob:none", more: depth, plain: true, specs: "+" + source + ":" + trunkRef + "\n"})
	if err != nil {
		return err
	}
	if why != "" {
		return unreachable("fetching trunk", res)
	}
	rd, err := f.openReader(ctx, r.record())
	if err != nil {
		return err
	}
	defer rd.close()
	tip, err := rd.one(trunkRef, 0)
	if err != nil {
		return err
	}
	// The branch may have moved on since the question: the cache is right.
	state.Trunk, state.Branch = tip.id, refs.head
	if state.Records++; state.Records%pruneEvery == 0 {
		return f.packRecord(ctx, r)
	}
	return nil
}

// packRecord makes one pack of many. The filter's gaps are allowed for as long
// as it runs.
func (f *Fleet) packRecord(ctx context.Context, r *remote) error {
	res, err := f.run(ctx, child{
		gitDir: r.record(), config: []string{"remote.gaps.url=.", "remote.gaps.promisor=true"}, args: []string{"repack", "-a", "-d", "-q"}, env: closedEnv(f.opts.Environ, nil),
	})
	if err == nil && res.code != 0 {
		err = model.Errorf(model.CodeInternal, "the fleet's cache can't be packed: %s", res.why())
	}
	if err != nil {
		f.alarm(err) // it is only larger than it could be
	}
	return nil
}

// registryAt reads the key registry at trunk's fetched tip. A trunk that is
// not known, or a registry that can't be read, is said in the registry.
// Only a fetch may ask the remote for it; a reader takes what is there.
func (f *Fleet) registryAt(ctx context.Context, r *remote, trunk string, ask bool) (*registry, error) {
	f.mu.Lock()
	if m := &f.memory; m.remote == r.hash && m.registry != nil && m.registryTrunk == trunk {
		defer f.mu.Unlock()
		return m.registry, nil
	}
	f.mu.Unlock()
	reg, err := f.readRegistry(ctx, r, trunk, ask)
	if err != nil || reg.passing {
		return reg, err
	}
	f.mu.Lock()
	f.memory.use(r)
	f.memory.registry, f.memory.registryTrunk = reg, trunk
	f.mu.Unlock()
	return reg, nil
}

func (f *Fleet) readRegistry(ctx context.Context, r *remote, trunk string, ask bool) (*registry, error) {
	if trunk == "" {
		return noRegistry(), nil // an empty remote has no trunk that could hold one
	}
	unreadable := func(id, why string) *registry {
		return &registry{id: "unreadable " + id, err: model.Errorf(model.CodeRegistry, "the key registry %s", why), passing: true}
	}
	rd, err := f.openReader(ctx, r.record())
	if err != nil {
		return nil, err
	}
	defer rd.close()
	e, err := rd.entry(trunk, registryPath)
	switch {
	case errors.Is(err, errNoCommit):
		return unreadable(trunk, "can't be read: trunk's tip is not in the cache"), nil
	case err != nil:
		return nil, err
	case e.id == "":
		return noRegistry(), nil
	case e.mode != "100644" && e.mode != "100755":
		return unreadable(e.id, "is no plain file"), nil
	}
	o, err := rd.one(e.id, maxRegistryBytes)
	if err != nil {
		return nil, err
	}
	if o.missing && ask {
		if err := f.fetchBlob(ctx, r, e.id); err != nil {
			return unreadable(e.id, "can't be fetched: "+err.Error()), nil
		}
		if o, err = rd.one(e.id, maxRegistryBytes); err != nil {
			return nil, err
		}
	}
	if o.body == nil || formatOf(e.id).objectID("blob", o.body) != e.id {
		return unreadable(e.id, "is too large, or not there"), nil
	}
	return parseRegistry(e.id, o.body), nil
}

// fetchBlob brings one file of trunk that the filter left out.
func (f *Fleet) fetchBlob(ctx context.Context, r *remote, id string) error {
	res, why, err := f.fetchRefs(ctx, r, fetchJob{
		gitDir: r.record(), filter: "blob:none", config: []string{"fetch.negotiationAlgorithm=noop"}, specs: id + "\n", limit: 2 * maxRegistryBytes,
	})
	if err == nil && why != "" {
		err = unreachable("fetching a file of trunk", res)
	}
	return err
}

// entry is one name in a tree.
type entry struct{ mode, id string }

// errNoCommit says that the cache does not hold the commit that was named.
var errNoCommit = errors.New("the commit is not in the cache")

// entry finds a path in a commit's tree without needing the file itself: the
// zero entry when nothing is there.
func (r *reader) entry(commit, name string) (entry, error) {
	root, err := r.stat([]string{commit + "^{tree}"})
	if err != nil {
		return entry{}, err
	}
	if root[0].missing {
		return entry{}, errNoCommit
	}
	name = strings.Trim(path.Clean("/"+name), "/")
	if name == "" {
		return entry{mode: "40000", id: root[0].id}, nil
	}
	tree := root[0].id
	for {
		head, rest, deeper := strings.Cut(name, "/")
		o, err := r.one(tree, 64<<20)
		if err != nil {
			return entry{}, err
		}
		e := findEntry(o.body, head, formatOf(tree))
		if !deeper || e.mode != "40000" {
			if deeper {
				return entry{}, nil
			}
			return e, nil
		}
		tree, name = e.id, rest
	}
}

// findEntry looks a name up in a tree's body.
func findEntry(body []byte, name string, o format) entry {
	for len(body) > 0 {
		sp := bytes.IndexByte(body, ' ')
		nul := bytes.IndexByte(body, 0)
		if sp < 0 || nul < sp || len(body) < nul+1+o.size() {
			return entry{}
		}
		if string(body[sp+1:nul]) == name {
			return entry{mode: string(body[:sp]), id: hex.EncodeToString(body[nul+1 : nul+1+o.size()])}
		}
		body = body[nul+1+o.size():]
	}
	return entry{}
}
