package fleet

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"binnacle/model"
)

// fetchFlags are what every fetch of ours goes by, whatever the user's own
// configuration says of fetching.
func fetchFlags() []string {
	return []string{
		"fetch", "--stdin", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-prune",
		"--no-recurse-submodules", "--quiet",
	}
}

func fetchConfig() []string {
	return []string{
		"transfer.fsckObjects=true", "fetch.unpackLimit=1", "fetch.writeCommitGraph=false", "transfer.bundleURI=false",
	}
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
	args := append(fetchFlags(), "--depth=1", "--filter=blob:limit=32769", "--", remoteName)
	res, err := f.run(ctx, child{
		gitDir: r.live(), config: append(fetchConfig(), "fetch.negotiationAlgorithm=noop"), args: args, stdin: []byte(lines.String()), env: r.env,
		fileLimit: liveBytes(len(names)),
	})
	if err == nil && res.code == 0 {
		return "", nil
	}
	dropTemporary(r.live())
	if err != nil && !errors.Is(err, errTooMuch) {
		return "", err
	}
	return res.why(), nil
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
	if lines.Len() == 0 {
		return nil
	}
	res, err := f.run(ctx, child{gitDir: r.live(), args: []string{"update-ref", "--stdin"}, stdin: []byte(lines.String()), env: closedEnv(f.opts.Environ, nil)})
	if err != nil {
		return err
	}
	if res.code != 0 {
		return model.Errorf(model.CodeInternal, "the cache's refs can't be deleted: %s", res.why())
	}
	return nil
}
