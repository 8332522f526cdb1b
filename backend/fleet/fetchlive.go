package fleet

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/keys"
	"binnacle/backend/fleet/statefile"
	"binnacle/model/fleetmap"
)

// liveBytes bounds the pack of n summaries: what each may have, and the pack's
// own overhead.
func liveBytes(n int) int64 { return int64(n)*(fleetmap.MaxLiveBytes+2*keys.MaxCommitBytes) + 256<<10 }

// fetchLive brings the named machines' summaries. A host that knows no filters
// sends everything, and one hostile ref would fail the fetch for all: then the
// names are halved until it stands alone, and that commit is not asked for
// again. The names that came are returned, in order.
func (f *mirror) fetchLive(ctx context.Context, r *git.Remote, state *fetched, live map[string]string, names []string) ([]string, error) {
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
		refs, err := r.Refs(ctx)
		if err != nil {
			return nil, err
		}
		if refs.Live[names[0]] == live[names[0]] {
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
func (f *mirror) fetchSummaries(ctx context.Context, r *git.Remote, names []string) (why string, err error) {
	var lines strings.Builder
	for _, n := range names {
		lines.WriteString("+" + f.opts.Prefix + "/live/" + n + ":" + liveRef(n) + "\n")
	}
	_, why, err = r.Live().Fetch(ctx, git.FetchJob{
		Filter: "blob:limit=32769", More: []string{"--depth=1"},
		Config: []string{"fetch.negotiationAlgorithm=noop"}, Specs: lines.String(), Limit: liveBytes(len(names)),
	})
	return why, err
}

// dropRefs deletes the cache's refs of machines that are gone.
func (f *mirror) dropRefs(ctx context.Context, r *git.Remote, names []string) error {
	var lines strings.Builder
	for _, n := range names {
		lines.WriteString("delete " + liveRef(n) + "\n")
	}
	return r.Live().UpdateRefs(ctx, lines.String())
}

// pruneEvery is after how many fetches a cache is packed anew: each leaves a
// pack.
const pruneEvery = 64

func (f *mirror) pruneWhenDue(ctx context.Context, r *git.Remote, state *fetched, live bool) error {
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
func (f *mirror) pruneLive(ctx context.Context, r *git.Remote, state *fetched) error {
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
func (f *mirror) liveObjects(ctx context.Context, r *git.Remote, refs []string) (map[string]bool, error) {
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
