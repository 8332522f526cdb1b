package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"binnacle/model"
)

// FetchJob is one fetch into a cache.
type FetchJob struct {
	Filter string   // what to leave out
	More   []string // more flags
	Config []string
	Specs  string // the refspecs, a line each
	Limit  int64  // bytes of any file, 0 for no limit
	Plain  bool   // with the checks that git makes of itself, for what people made
}

// Fetch fetches by our own flags, whatever the user's configuration says
// of fetching. why is what the remote, or git's checks, have against it. A
// filtered fetch writes a section into the cache's configuration that would
// make reading a missing object fetch it: that is taken out at once.
func (b Bare) Fetch(ctx context.Context, j FetchJob) (res Result, why string, err error) {
	args := []string{
		"fetch", "--stdin", "--no-tags", "--no-write-fetch-head", "--no-auto-maintenance", "--no-prune",
		"--no-recurse-submodules", "--quiet", "--filter=" + j.Filter,
	}
	config := []string{"fetch.unpackLimit=1", "fetch.writeCommitGraph=false", "transfer.bundleURI=false"}
	if !j.Plain {
		config = append(config, "transfer.fsckObjects=true")
	}
	res, err = b.run(ctx, child{
		config: append(config, j.Config...), args: append(append(args, j.More...), "--", remoteName),
		stdin: []byte(j.Specs), env: b.Remote.env, fileLimit: j.Limit,
	})
	if e := b.writeConfig(); e != nil {
		return res, "", e
	}
	if err == nil && res.code == 0 {
		return res, "", nil
	}
	b.dropTemporary()
	if errors.Is(err, errTooMuch) {
		err = nil
	}
	return res, res.why(), err
}

// dropTemporary removes what an ended child left of its pack.
func (b Bare) dropTemporary() {
	for _, pattern := range []string{"objects/pack/tmp_*", "objects/tmp_*", "objects/incoming-*", "objects/tmp_objdir-*", "*.lock", "refs/*/*.lock"} {
		left, _ := filepath.Glob(filepath.Join(b.Dir, pattern)) // the pattern is well formed
		for _, path := range left {
			_ = os.RemoveAll(path) // what stays is tried again by the next one
		}
	}
}

// UpdateRefs changes a cache's refs, all or none; no lines, no process.
func (b Bare) UpdateRefs(ctx context.Context, lines string) error {
	if lines == "" {
		return nil
	}
	res, err := b.run(ctx, child{args: []string{"update-ref", "--stdin"}, stdin: []byte(lines)})
	if err != nil {
		return err
	}
	if res.code != 0 {
		return model.Errorf(model.CodeInternal, "the cache's refs can't be changed: %s", res.why())
	}
	return nil
}
