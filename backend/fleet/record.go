package fleet

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"path"
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
)

func changeRef(id string) string    { return "refs/change/" + id }
func logRef(executor string) string { return "refs/log/" + executor }

// fetchRecord brings what is the record: trunk's history without its files,
// the executor logs and the changes. Only what differs is fetched.
func (f *Fleet) fetchRecord(ctx context.Context, r *remote, state *fetched, refs advertised) error {
	if err := f.fetchTrunk(ctx, r, state, refs); err != nil {
		return err
	}
	var lines, gone strings.Builder
	for id, commit := range refs.changes {
		if state.Changes[id] != commit {
			lines.WriteString("+" + f.opts.Prefix + "/change/" + id + ":" + changeRef(id) + "\n")
		}
	}
	for id := range state.Changes {
		if refs.changes[id] == "" {
			gone.WriteString("delete " + changeRef(id) + "\n")
		}
	}
	var moved []string
	for executor, commit := range refs.logs {
		if state.Logs[executor] != commit {
			moved = append(moved, executor)
			// No plus: a log only grows.
			lines.WriteString(f.opts.Prefix + "/log/" + executor + ":" + logRef(executor) + "\n")
		}
	}
	if lines.Len() > 0 {
		args := append(fetchFlags(), "--filter=blob:limit=32769", "--", remoteName)
		res, err := f.run(ctx, child{
			gitDir: r.record(), config: fetchConfig(), args: args, stdin: []byte(lines.String()), env: r.env, fileLimit: maxRecordBytes,
		})
		if err != nil {
			dropTemporary(r.record())
			return err
		}
		// A log that was rewritten is refused by itself, and shows in checkLogs;
		// anything else fails the whole.
		if res.code != 0 && !strings.Contains(res.stderr, "[rejected]") {
			dropTemporary(r.record())
			return unreachable("fetching the executor logs and changes", res)
		}
	}
	if gone.Len() > 0 {
		if res, err := f.run(ctx, child{gitDir: r.record(), args: []string{"update-ref", "--stdin"}, stdin: []byte(gone.String()), env: r.env}); err != nil {
			return err
		} else if res.code != 0 {
			return model.Errorf(model.CodeInternal, "the cache's refs can't be deleted: %s", res.why())
		}
	}
	state.Changes = refs.changes
	return f.checkLogs(ctx, r, state, refs, moved)
}

// checkLogs finds logs that are no continuation of what was seen: those keep
// what they had, with the fault.
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
	names := make([]string, len(moved))
	for i, executor := range moved {
		names[i] = logRef(executor)
	}
	rd, err := f.openReader(ctx, r.record())
	if err != nil {
		return err
	}
	defer rd.close()
	heads, err := rd.stat(names)
	if err != nil {
		return err
	}
	for i, executor := range moved {
		if heads[i].id != state.Logs[executor] && heads[i].id != "" {
			state.Logs[executor] = heads[i].id
			delete(state.LogFaults, executor)
			continue
		}
		state.LogFaults[executor] = "the log was rewritten: it does not go on from what was seen before"
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
	args := append(fetchFlags(), "--filter=blob:none")
	switch {
	case state.Trunk != "":
	case state.Failures == 0:
		args = append(args, "--depth="+trunkDepth)
	default:
		args = append(args, "--depth="+trunkDepthAgain)
	}
	args = append(args, "--", remoteName)
	res, err := f.run(ctx, child{
		gitDir: r.record(), config: fetchConfig(), args: args, stdin: []byte("+" + source + ":" + trunkRef + "\n"), env: r.env,
	})
	if err != nil || res.code != 0 {
		dropTemporary(r.record())
		if err != nil {
			return err
		}
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
	defer f.restoreConfigs(r)
	args := append(fetchFlags(), "--filter=blob:none", "--", remoteName)
	res, err := f.run(ctx, child{
		gitDir: r.record(), config: append(fetchConfig(), "fetch.negotiationAlgorithm=noop"), args: args,
		stdin: []byte(id + "\n"), env: r.env, fileLimit: 2 * maxRegistryBytes,
	})
	if err != nil {
		return err
	}
	if res.code != 0 {
		return unreachable("fetching a file of trunk", res)
	}
	return nil
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
