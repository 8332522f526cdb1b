package fleet

import (
	"context"
	"path/filepath"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/keys"
	"binnacle/backend/fleet/statefile"
	"binnacle/model"
)

// KeyList reads both registries.
func (f *Fleet) KeyList(ctx context.Context) (keys.Registry, error) {
	v, err := f.look(ctx)
	if err != nil {
		return keys.Registry{}, err
	}
	return keys.Compare(f.registryFile(), v.registry, v.remote.Format), nil
}

// KeyAdd puts an agent's public key (a line as in a .pub file) into the work
// tree's registry; without a key it makes one in the state folder. The file
// counts once it lands on trunk: committing it is left to the user.
func (f *Fleet) KeyAdd(agentName, public string) (keys.Key, error) {
	return keys.Add(f.registryFile(), f.opts.StateDir, agentName, public)
}

// KeyNew makes an ed25519 key for an agent in the user's state folder, unless
// there is one, and returns its public line for the registry.
func (f *Fleet) KeyNew(agentName string) (string, error) { return keys.New(f.opts.StateDir, agentName) }

// KeyRemove takes an agent's keys out of the work tree's registry: all of
// them, or the one with the fingerprint.
func (f *Fleet) KeyRemove(agentName, fingerprint string) (int, error) {
	return keys.Remove(f.registryFile(), agentName, fingerprint)
}

// KeyChanged says what stands behind the alarm about trunk's registry. Without
// an alarm there is nothing to accept (model.CodeEmpty).
func (f *Fleet) KeyChanged(ctx context.Context) (keys.Change, error) {
	v, err := f.look(ctx)
	if err != nil {
		return keys.Change{}, err
	}
	return f.keyChange(ctx, v.remote, v.state)
}

func (f *Fleet) keyChange(ctx context.Context, r *git.Remote, state *fetched) (keys.Change, error) {
	if state.KeyAlarm == "" {
		return keys.Change{}, model.Errorf(model.CodeEmpty, "trunk's key registry raised no alarm, so there is nothing to accept")
	}
	reg, err := f.registryAt(ctx, r, state.Trunk, false)
	if err != nil {
		return keys.Change{}, err
	}
	return keys.ChangeOf(r, state.KeyAlarm, state.Trunk, reg, f.now().Wall)
}

// KeyAccept takes trunk's registry, or its absence, as it was shown, and ends
// the alarm. When trunk moved since, that is refused (model.CodeStale).
func (f *Fleet) KeyAccept(ctx context.Context, shown keys.Change) error {
	r, err := f.remoteFor(ctx)
	if err != nil {
		return err
	}
	l, err := statefile.Lock(ctx, filepath.Join(r.Dir, "lock"))
	if err != nil {
		return err
	}
	defer l.Unlock()
	state, err := loadFetched(r)
	if err != nil {
		return err
	}
	now, err := f.keyChange(ctx, r, state)
	if err != nil {
		return err
	}
	if now.Now.Blob != shown.Now.Blob || now.Now.Trunk != shown.Now.Trunk {
		return model.Errorf(model.CodeStale, "trunk moved since its registry was shown").WithHint("look at it again: binnacle fleet key accept")
	}
	if err := now.Accept(r); err != nil {
		return err
	}
	state.KeyAlarm = ""
	return statefile.WriteJSON(fetchedPath(r), state)
}
