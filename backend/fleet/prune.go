package fleet

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/keys"
	"binnacle/backend/fleet/statefile"
)

// pruneEvery is after how many fetches a cache is packed anew: each leaves a
// pack.
const pruneEvery = 64

func (f *Fleet) pruneWhenDue(ctx context.Context, r *git.Remote, state *fetched, live bool) error {
	if !live {
		return nil
	}
	if state.Fetches++; state.Fetches%pruneEvery != 0 {
		return nil
	}
	return f.pruneLive(ctx, r, state)
}

// pruneLive writes the objects that are still named as loose ones and removes
// every pack: summaries replace each other, so nearly all that packs hold is
// of no more use. git's own gc would keep it, as it keeps whatever a filtered
// fetch brought.
func (f *Fleet) pruneLive(ctx context.Context, r *git.Remote, state *fetched) error {
	packs, _ := filepath.Glob(filepath.Join(r.Live().Dir, "objects", "pack", "*")) // the pattern is well formed
	var refs []string
	for name, m := range state.Machines {
		if m.Here && state.Bad[m.Commit] == "" {
			refs = append(refs, liveRef(name))
		}
	}
	keep, err := f.liveObjects(ctx, r, refs)
	if err != nil {
		return err
	}
	for _, path := range packs {
		if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
			return statefile.Error(err)
		}
	}
	loose, _ := filepath.Glob(filepath.Join(r.Live().Dir, "objects", "??", "*"))
	for _, path := range loose {
		id := filepath.Base(filepath.Dir(path)) + filepath.Base(path)
		if !keep[id] && !strings.HasPrefix(filepath.Base(path), ".") {
			if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
				return statefile.Error(err)
			}
		}
	}
	return nil
}

// liveObjects stores every object of the named refs loose, and names them. A
// shape that is no summary's is kept as far as it was read.
func (f *Fleet) liveObjects(ctx context.Context, r *git.Remote, refs []string) (map[string]bool, error) {
	rd, err := r.Live().Open(ctx)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	keep := map[string]bool{}
	names := refs
	for range 3 { // commits, trees, blobs
		list, err := rd.Read(names, 1<<20)
		if err != nil {
			return nil, err
		}
		names = nil
		for _, o := range list {
			if o.Missing || o.Body == nil {
				continue
			}
			if _, err := r.Live().Store(o.Kind, o.Body); err != nil {
				return nil, err
			}
			keep[o.ID] = true
			switch o.Kind {
			case "commit":
				if c, why := keys.SplitCommit(o.Body, r.Format); why == "" {
					names = append(names, c.Tree)
				}
			case "tree":
				if blob, why := keys.CheckTree(o, o.ID); why == "" {
					names = append(names, blob)
				}
			}
		}
	}
	return keep, nil
}
