package queue

import (
	"context"
	"encoding/json"

	"binnacle/backend/lease"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/directive"
)

// Standing is what became of a claim.
type Standing struct {
	Held      bool // the directive is taken under its token still
	Own       bool // it ended by its own token, so its holder finished it
	Directive directive.Directive
	Action    string // that ended it, where Held is false; "" when it can't be told
	By        string // who did
}

// Standing reads what became of each claim, at one instant.
func (q *Queue) Standing(ctx context.Context, claims ...Claim) ([]Standing, error) {
	out := make([]Standing, len(claims))
	err := q.store.Read(ctx, func(r store.Reader) error {
		for i, c := range claims {
			s, err := standing(r, c)
			if err != nil {
				return err
			}
			out[i] = s
		}
		return nil
	})
	return out, err
}

func standing(r store.Reader, c Claim) (s Standing, err error) {
	if s.Directive, err = readOne(r, c.Directive.ID); err != nil {
		if model.CodeOf(err) == model.CodeNotFound {
			err = nil // another ledger was restored over this one
		}
		return s, err
	}
	if s.Held = holds(s.Directive, c.Token); s.Held {
		return s, nil
	}
	seq, ended, err := lease.Ended(r, model.KindDirective, directive.Key(c.Directive.ID), c.Token, "touch", "reprioritize")
	if err != nil || !ended {
		return s, err
	}
	e, err := r.Event(seq)
	if err != nil {
		return s, err
	}
	var p directive.Payload
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return s, nil // not an event that says who acted
	}
	s.Action, s.By = p.Action, p.By
	s.Own = !p.Forced && p.Action != "lapse" && (p.Action != "poison" || p.By != model.Self)
	return s, nil
}
