package fleet

import (
	"context"
	"sort"
	"strings"

	"binnacle/backend/fleet/change"
	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/keys"
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

// incomingRef is where a log waits until it turned out to go on from what was
// seen.
func incomingRef(executor string) string { return "refs/incoming/" + executor }

// fetchRecord brings what is the record: trunk's history without its files,
// the executor logs and the changes. Only what differs is fetched.
func (f *mirror) fetchRecord(ctx context.Context, r *git.Remote, state *fetched, refs git.Refs) error {
	if err := f.fetchTrunk(ctx, r, state, refs); err != nil {
		return err
	}
	var gone strings.Builder
	var wanted []wantedRef
	changes := map[string]string{}
	for id, commit := range refs.Changes {
		if had := state.Changes[id]; had == commit || state.Bad[commit] != "" {
			if had != "" {
				changes[id] = had // a faulty successor takes nothing away
			}
			continue
		}
		wanted = append(wanted, wantedRef{f.opts.Prefix + "/change/" + id, change.Ref(id), commit})
	}
	for id := range state.Changes {
		if refs.Changes[id] == "" {
			gone.WriteString("delete " + change.Ref(id) + "\n")
		}
	}
	for executor, commit := range refs.Logs {
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
		id, isChange := strings.CutPrefix(w.to, change.Ref(""))
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
	if err := r.Record().UpdateRefs(ctx, gone.String()); err != nil {
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
func (f *mirror) fetchEach(ctx context.Context, r *git.Remote, state *fetched, wanted []wantedRef) (map[string]bool, error) {
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
	_, why, err := r.Record().Fetch(ctx, git.FetchJob{Filter: "blob:limit=32769", Specs: lines.String(), Limit: limit})
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
		refs, err := r.Refs(ctx)
		if err != nil {
			return nil, err
		}
		if refs.At(strings.TrimPrefix(wanted[0].from, f.opts.Prefix+"/")) == wanted[0].commit {
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
func noteFaults(state *fetched, refs git.Refs) {
	state.ChangeFaults = map[string]string{}
	for id, commit := range refs.Changes {
		if why := state.Bad[commit]; why != "" {
			state.ChangeFaults[id] = why
		}
	}
	for executor, commit := range refs.Logs {
		if why := state.Bad[commit]; why != "" {
			state.LogFaults[executor] = "its newest commit can't be fetched: " + why
		}
	}
}

// checkLogs takes over the logs that go on from what was seen: a log only
// grows. One that was rewritten, or is gone, keeps what it had, with the fault.
func (f *mirror) checkLogs(ctx context.Context, r *git.Remote, state *fetched, refs git.Refs, moved []string) error {
	for executor := range state.Logs {
		if refs.Logs[executor] == "" {
			state.LogFaults[executor] = "the log is gone from the remote; what was seen of it is kept"
		} else if refs.Logs[executor] == state.Logs[executor] {
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
	rd, err := r.Record().Open(ctx)
	if err != nil {
		return err
	}
	heads, err := rd.Stat(names)
	rd.Close()
	if err != nil {
		return err
	}
	var lines strings.Builder
	next := map[string]string{}
	for i, executor := range moved {
		goesOn := state.Logs[executor] == ""
		if !goesOn {
			if goesOn, err = r.Record().Ancestor(ctx, state.Logs[executor], heads[i].ID); err != nil {
				return err
			}
		}
		if !goesOn || heads[i].Kind != "commit" {
			state.LogFaults[executor] = "the log was rewritten: it does not go on from what was seen before"
			continue
		}
		next[executor] = heads[i].ID
		lines.WriteString("update " + change.LogRef(executor) + " " + heads[i].ID + "\n")
	}
	if err := r.Record().UpdateRefs(ctx, lines.String()); err != nil {
		return err
	}
	for executor, id := range next {
		state.Logs[executor] = id
		delete(state.LogFaults, executor)
	}
	return nil
}

func (f *mirror) fetchTrunk(ctx context.Context, r *git.Remote, state *fetched, refs git.Refs) error {
	if refs.Trunk == "" {
		state.Trunk, state.Branch = "", refs.Head
		return nil
	}
	if refs.Trunk == state.Trunk {
		state.Branch = refs.Head
		return nil
	}
	source := "HEAD"
	if refs.Head != "" {
		source = "refs/heads/" + refs.Head
	}
	var depth []string
	switch {
	case state.Trunk != "":
	case state.Failures == 0:
		depth = []string{"--depth=" + trunkDepth}
	default:
		depth = []string{"--depth=" + trunkDepthAgain}
	}
	res, why, err := r.Record().Fetch(ctx, git.FetchJob{Filter: "blob:none", More: depth, Plain: true, Specs: "+" + source + ":" + trunkRef + "\n"})
	if err != nil {
		return err
	}
	if why != "" {
		return git.Unreachable("fetching trunk", res)
	}
	rd, err := r.Record().Open(ctx)
	if err != nil {
		return err
	}
	defer rd.Close()
	tip, err := rd.One(trunkRef, 0)
	if err != nil {
		return err
	}
	// The branch may have moved on since the question: the cache is right.
	state.Trunk, state.Branch = tip.ID, refs.Head
	if state.Records++; state.Records%pruneEvery == 0 {
		if err := r.Record().Pack(ctx); err != nil {
			f.alarm(err) // it is only larger than it could be
		}
	}
	return nil
}

// registryAt reads the key registry at trunk's fetched tip. A trunk that is
// not known, or a registry that can't be read, is said in the registry.
// Only a fetch may ask the remote for it; a reader takes what is there.
func (f *mirror) registryAt(ctx context.Context, r *git.Remote, trunk string, ask bool) (*keys.Signers, error) {
	f.mu.Lock()
	if m := &f.memory; m.remote == r.Hash && m.registry != nil && m.registryTrunk == trunk {
		defer f.mu.Unlock()
		return m.registry, nil
	}
	f.mu.Unlock()
	reg, err := keys.ReadRegistry(ctx, r, trunk, ask)
	if err != nil || reg.Passing {
		return reg, err
	}
	f.mu.Lock()
	f.memory.use(r)
	f.memory.registry, f.memory.registryTrunk = reg, trunk
	f.mu.Unlock()
	return reg, nil
}
