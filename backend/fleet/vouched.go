package fleet

import (
	"context"
	"os"
	"path/filepath"

	"binnacle/model"
)

// vouched is registry.json: the key registry that was last seen on trunk. Once
// there was one, a trunk without it, or one that does not go on from there, is
// an alarm: whoever can rewind trunk could otherwise have every machine
// believed again.
type vouched struct {
	Blob   string     `json:"blob"`
	Trunk  string     `json:"trunk"` // where it was seen
	Agents []string   `json:"agents"`
	Seen   model.Time `json:"seen_at"`
}

func vouchedPath(r *remote) string { return filepath.Join(r.dir, "registry.json") }

func loadVouched(r *remote) (vouched, error) {
	var v vouched
	err := readJSON(vouchedPath(r), &v)
	return v, err
}

// vouch compares trunk's registry with the one that was seen before, and notes
// the alarm in the state. A readable registry on a trunk that goes on takes the
// former one's place.
func (f *Fleet) vouch(ctx context.Context, r *remote, state *fetched, reg *registry, now model.Time) error {
	known, err := loadVouched(r)
	if err != nil || reg.err != nil {
		return err // an unreadable registry lists nothing anyway
	}
	if known.Blob != "" {
		goesOn := state.Trunk != ""
		if goesOn {
			if goesOn, err = f.ancestor(ctx, r, known.Trunk, state.Trunk); err != nil {
				return err
			}
		}
		switch {
		case reg.absent():
			state.KeyAlarm = "the key registry vanished from trunk"
			return nil
		case !goesOn:
			state.KeyAlarm = "trunk was rewound: it does not go on from where its key registry was"
			return nil
		}
	}
	state.KeyAlarm = ""
	if reg.absent() || known.Blob == reg.id && known.Trunk == state.Trunk {
		return nil
	}
	return writeJSON(vouchedPath(r), vouchedOf(reg, state.Trunk, now))
}

func vouchedOf(reg *registry, trunk string, now model.Time) vouched {
	v := vouched{Trunk: trunk, Seen: now, Agents: []string{}}
	if !reg.absent() {
		v.Blob = reg.id
	}
	seen := map[string]bool{}
	for _, k := range reg.keys {
		if !seen[k.agent] {
			seen[k.agent] = true
			v.Agents = append(v.Agents, k.agent)
		}
	}
	return v
}

// counted is the registry as it counts: under an alarm it vouches for nobody.
func (s *fetched) counted(reg *registry) *registry {
	if s.KeyAlarm == "" {
		return reg
	}
	return &registry{
		id:  "alarm " + reg.id,
		err: model.Errorf(model.CodeKeysChanged, "%s", s.KeyAlarm).WithHint("find out who did that; then: binnacle fleet key accept"),
	}
}

// KeyChange is what KeyAccept would take, and what it takes the place of.
type KeyChange struct {
	Alarm string  `json:"alarm"`
	Was   vouched `json:"was"`
	Now   vouched `json:"now"`
}

// KeyChanged says what stands behind the alarm about trunk's registry. Without
// an alarm there is nothing to accept (model.CodeEmpty).
func (f *Fleet) KeyChanged(ctx context.Context) (KeyChange, error) {
	v, err := f.look(ctx)
	if err != nil {
		return KeyChange{}, err
	}
	return f.keyChange(ctx, v.remote, v.state)
}

func (f *Fleet) keyChange(ctx context.Context, r *remote, state *fetched) (KeyChange, error) {
	if state.KeyAlarm == "" {
		return KeyChange{}, model.Errorf(model.CodeEmpty, "trunk's key registry raised no alarm, so there is nothing to accept")
	}
	was, err := loadVouched(r)
	if err != nil {
		return KeyChange{}, err
	}
	reg, err := f.registryAt(ctx, r, state.Trunk, false)
	if err == nil {
		err = reg.err
	}
	return KeyChange{state.KeyAlarm, was, vouchedOf(reg, state.Trunk, f.now().Wall)}, err
}

// KeyAccept takes trunk's registry, or its absence, as it was shown, and ends
// the alarm. When trunk moved since, that is refused (model.CodeStale).
func (f *Fleet) KeyAccept(ctx context.Context, shown KeyChange) error {
	r, err := f.remoteFor(ctx)
	if err != nil {
		return err
	}
	l, err := lock(ctx, filepath.Join(r.dir, "lock"))
	if err != nil {
		return err
	}
	defer l.unlock()
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
	if now.Now.Blob == "" {
		err = os.Remove(vouchedPath(r))
	} else {
		err = writeJSON(vouchedPath(r), now.Now)
	}
	if err != nil && !os.IsNotExist(err) {
		return folderError(err)
	}
	state.KeyAlarm = ""
	return writeJSON(fetchedPath(r), state)
}
