package fleet

import (
	"context"
	"strings"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/keys"
	"binnacle/model"
)

// liveBytes bounds the pack of n summaries: what each may have, and the pack's
// own overhead.
func liveBytes(n int) int64 { return int64(n)*(model.MaxLiveBytes+2*keys.MaxCommitBytes) + 256<<10 }

// fetchLive brings the named machines' summaries. A host that knows no filters
// sends everything, and one hostile ref would fail the fetch for all: then the
// names are halved until it stands alone, and that commit is not asked for
// again. The names that came are returned, in order.
func (f *Fleet) fetchLive(ctx context.Context, r *git.Remote, state *fetched, live map[string]string, names []string) ([]string, error) {
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
func (f *Fleet) fetchSummaries(ctx context.Context, r *git.Remote, names []string) (why string, err error) {
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
func (f *Fleet) dropRefs(ctx context.Context, r *git.Remote, names []string) error {
	var lines strings.Builder
	for _, n := range names {
		lines.WriteString("delete " + liveRef(n) + "\n")
	}
	return r.Live().UpdateRefs(ctx, lines.String())
}
