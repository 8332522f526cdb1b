package fleet

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"binnacle/model"
)

// fetchJob is one fetch into a cache.
type fetchJob struct {
	gitDir string
	filter string   // what to leave out
	more   []string // more flags
	config []string
	specs  string // the refspecs, a line each
	limit  int64  // bytes of any file, 0 for no limit
	plain  bool   // with the checks that git makes of itself, for what people made
}

// fetchRefs fetches by our own flags, whatever the user's configuration says
// of fetching. why is what the remote, or git's checks, have against it. A
// filtered fetch writes a section into the cache's configuration that would
// make reading a missing object fetch it: that is taken out at once.
func (f *Fleet) fetchRefs(ctx context.Context, r *remote, j fetchJob) (res result, why string, err error) {
	args := []string{
		"fetch", "--stdin", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-prune",
		"--no-recurse-submodules", "--quiet", "--filter=" + j.filter,
	}
	config := []string{"fetch.unpackLimit=1", "fetch.writeCommitGraph=false", "transfer.bundleURI=false"}
	if !j.plain {
		config = append(config, "transfer.fsckObjects=true")
	}
	res, err = f.run(ctx, child{
		gitDir: j.gitDir, config: append(config, j.config...), args: append(append(args, j.more...), "--", remoteName),
		stdin: []byte(j.specs), env: r.env, fileLimit: j.limit,
	})
	if e := writeBareConfig(j.gitDir, r.format); e != nil {
		return res, "", e
	}
	if err == nil && res.code == 0 {
		return res, "", nil
	}
	dropTemporary(j.gitDir)
	if errors.Is(err, errTooMuch) {
		err = nil
	}
	return res, res.why(), err
}

// liveBytes bounds the pack of n summaries: what each may have, and the pack's
// own overhead.
func liveBytes(n int) int64 { return int64(n)*(model.MaxLiveBytes+2*maxCommitBytes) + 256<<10 }

// fetchLive brings the named machines' summaries. A host that knows no filters
// sends everything, and one hostile ref would fail the fetch for all: then the
// names are halved until it stands alone, and that commit is not asked for
// again. The names that came are returned, in order.
func (f *Fleet) fetchLive(ctx context.Context, r *remote, state *fetched, live map[string]string, names []string) ([]string, error) {
	if len(names) == 0 {
		return nil, nil
	}
	why, err := f.fetchSummaries(ctx, r, names)
	if err != nil {
		return nil, err
	}
	if why == "" {
		return names, nil
	}
	if len(names) == 1 {
		// One ref can also fail because the remote just went away, or because
		// the ref did: asked again it says so.
		refs, err := f.askRefs(ctx, r)
		if err != nil {
			return nil, err
		}
		if refs.live[names[0]] == live[names[0]] {
			state.Bad[live[names[0]]] = why
		}
		return nil, nil
	}
	half := len(names) / 2
	first, err := f.fetchLive(ctx, r, state, live, names[:half])
	if err != nil {
		return nil, err
	}
	second, err := f.fetchLive(ctx, r, state, live, names[half:])
	return append(first, second...), err
}

// fetchSummaries is one fetch. why is what the remote, or git's checks, have
// against it.
func (f *Fleet) fetchSummaries(ctx context.Context, r *remote, names []string) (why string, err error) {
	var lines strings.Builder
	for _, n := range names {
		lines.WriteString("+" + f.opts.Prefix + "/live/" + n + ":" + liveRef(n) + "\n")
	}
	_, why, err = f.fetchRefs(ctx, r, fetchJob{
		gitDir: r.live(), filter: "blob:limit=32769", more: []string{"--depth=1"},
		config: []string{"fetch.negotiationAlgorithm=noop"}, specs: lines.String(), limit: liveBytes(len(names)),
	})
	return why, err
}

// dropTemporary removes what an ended child left of its pack.
func dropTemporary(gitDir string) {
	for _, pattern := range []string{"objects/pack/tmp_*", "objects/tmp_*", "objects/incoming-*", "objects/tmp_objdir-*", "*.lock", "refs/*/*.lock"} {
		left, _ := filepath.Glob(filepath.Join(gitDir, pattern)) // the pattern is well formed
		for _, path := range left {
			_ = os.RemoveAll(path) // what stays is tried again by the next one
		}
	}
}

// dropRefs deletes the cache's refs of machines that are gone.
func (f *Fleet) dropRefs(ctx context.Context, r *remote, names []string) error {
	var lines strings.Builder
	for _, n := range names {
		lines.WriteString("delete " + liveRef(n) + "\n")
	}
	return f.updateRefs(ctx, r.live(), lines.String())
}

// updateRefs changes a cache's refs, all or none; no lines, no process.
func (f *Fleet) updateRefs(ctx context.Context, gitDir, lines string) error {
	if lines == "" {
		return nil
	}
	res, err := f.run(ctx, child{gitDir: gitDir, args: []string{"update-ref", "--stdin"}, stdin: []byte(lines), env: closedEnv(f.opts.Environ, nil)})
	if err != nil {
		return err
	}
	if res.code != 0 {
		return model.Errorf(model.CodeInternal, "the cache's refs can't be changed: %s", res.why())
	}
	return nil
}
