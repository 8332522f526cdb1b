package keys

import (
	"context"
	"os"
	"path/filepath"

	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/statefile"
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

func vouchedPath(r *git.Remote) string { return filepath.Join(r.Dir, "registry.json") }

func loadVouched(r *git.Remote) (vouched, error) {
	var v vouched
	err := statefile.ReadJSON(vouchedPath(r), &v)
	return v, err
}

// Vouch compares trunk's registry with the one that was seen before, and says
// the alarm, "" for none; was is the last one. A readable registry on a trunk that
// goes on takes the former one's place.
func Vouch(ctx context.Context, r *git.Remote, was, trunk string, reg *Signers, now model.Time) (alarm string, err error) {
	known, err := loadVouched(r)
	if err != nil || reg.Err != nil {
		return was, err // an unreadable registry lists nothing anyway
	}
	if known.Blob != "" {
		goesOn := trunk != ""
		if goesOn {
			if goesOn, err = r.Record().Ancestor(ctx, known.Trunk, trunk); err != nil {
				return was, err
			}
		}
		switch {
		case reg.absent():
			return "the key registry vanished from trunk", nil
		case !goesOn:
			return "trunk was rewound: it does not go on from where its key registry was", nil
		}
	}
	if reg.absent() || known.Blob == reg.ID && known.Trunk == trunk {
		return "", nil
	}
	return "", statefile.WriteJSON(vouchedPath(r), vouchedOf(reg, trunk, now))
}

func vouchedOf(reg *Signers, trunk string, now model.Time) vouched {
	v := vouched{Trunk: trunk, Seen: now, Agents: []string{}}
	if !reg.absent() {
		v.Blob = reg.ID
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

// Counted is the registry as it counts: under an alarm it vouches for nobody.
func (reg *Signers) Counted(alarm string) *Signers {
	if alarm == "" {
		return reg
	}
	return &Signers{
		ID:  "alarm " + reg.ID,
		Err: model.Errorf(model.CodeKeysChanged, "%s", alarm).WithHint("find out who did that; then: binnacle fleet key accept"),
	}
}

// Change is what KeyAccept would take, and what it takes the place of.
type Change struct {
	Alarm string  `json:"alarm"`
	Was   vouched `json:"was"`
	Now   vouched `json:"now"`
}

// ChangeOf compares the registry that was seen before with trunk's.
func ChangeOf(r *git.Remote, alarm, trunk string, reg *Signers, now model.Time) (Change, error) {
	was, err := loadVouched(r)
	if err != nil {
		return Change{}, err
	}
	return Change{alarm, was, vouchedOf(reg, trunk, now)}, reg.Err
}

// Accept takes trunk's registry, or its absence, for the one that counts.
func (c Change) Accept(r *git.Remote) error {
	if c.Now.Blob != "" {
		return statefile.WriteJSON(vouchedPath(r), c.Now)
	}
	if err := os.Remove(vouchedPath(r)); err != nil && !os.IsNotExist(err) {
		return statefile.Error(err)
	}
	return nil
}
