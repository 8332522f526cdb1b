package queue

import (
	"encoding/json"

	"binnacle/backend/lease"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/directive"
)

// A holder whose answer was lost asks again. The events say what became of its
// claim, so the same step of the same claim is answered with what it did then,
// and not refused.

// already is asked when an act was refused: where the token is that of a claim
// that ended by this very action, it says so; otherwise the refusal stands.
func (q *Queue) already(tx store.Tx, a Act, action string, refusal error) (Change, error) {
	code := model.CodeOf(refusal)
	if a.Token == "" || code != model.CodeToken && code != model.CodeStale {
		return Change{}, refusal
	}
	seq, ended, err := lease.Ended(tx, model.KindDirective, directive.Key(a.ID), a.Token, "touch", "reprioritize")
	if err != nil {
		return Change{}, err
	}
	if !ended {
		return Change{}, refusal
	}
	e, err := tx.Event(seq)
	if err != nil {
		return Change{}, err
	}
	var p directive.Payload
	if err := json.Unmarshal(e.Payload, &p); err != nil || p.Action != action || p.Forced {
		return Change{}, refusal
	}
	d, err := find(tx, a.ID)
	return Change{Action: action, Before: d, After: d, Seq: seq, Already: true}, err
}
