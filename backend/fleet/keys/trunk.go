package keys

import (
	"context"
	"errors"

	"binnacle/backend/fleet/git"
	"binnacle/model"
)

// ReadRegistry reads the key registry at trunk's fetched tip. What keeps it from
// being read is said in it. With ask the remote may be asked for the file.
func ReadRegistry(ctx context.Context, r *git.Remote, trunk string, ask bool) (*Signers, error) {
	if trunk == "" {
		return noRegistry(), nil // an empty remote has no trunk that could hold one
	}
	unreadable := func(id, why string) *Signers {
		return &Signers{ID: "unreadable " + id, Err: model.Errorf(model.CodeRegistry, "the key registry %s", why), Passing: true}
	}
	rd, err := r.Record().Open(ctx)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	e, err := rd.Entry(trunk, RegistryPath)
	switch {
	case errors.Is(err, git.ErrNoCommit):
		return unreadable(trunk, "can't be read: trunk's tip is not in the cache"), nil
	case err != nil:
		return nil, err
	case e.ID == "":
		return noRegistry(), nil
	case e.Mode != "100644" && e.Mode != "100755":
		return unreadable(e.ID, "is not a regular file"), nil
	}
	o, err := rd.One(e.ID, maxRegistryBytes)
	if err != nil {
		return nil, err
	}
	if o.Missing && ask {
		if err := fetchBlob(ctx, r, e.ID); err != nil {
			return unreadable(e.ID, "can't be fetched: "+err.Error()), nil
		}
		if o, err = rd.One(e.ID, maxRegistryBytes); err != nil {
			return nil, err
		}
	}
	if o.Body == nil || git.FormatOf(e.ID).ObjectID("blob", o.Body) != e.ID {
		return unreadable(e.ID, "is too large, or not there"), nil
	}
	return ParseRegistry(e.ID, o.Body), nil
}

// fetchBlob brings one file of trunk that the filter left out.
func fetchBlob(ctx context.Context, r *git.Remote, id string) error {
	res, why, err := r.Record().Fetch(ctx, git.FetchJob{Filter: "blob:none", Config: []string{"fetch.negotiationAlgorithm=noop"}, Specs: id + "\n", Limit: 2 * maxRegistryBytes})
	if err == nil && why != "" {
		err = git.Unreachable("fetching a file of trunk", res)
	}
	return err
}
