package queue

import (
	"database/sql"
	"encoding/json"
	"errors"

	"binnacle/backend/store"
	"binnacle/model"
)

// A holder whose answer was lost asks again. The events say what became of its
// claim, so the same step of the same claim is answered with what it did then,
// and not refused.

const (
	sqlTakenBySeq = `SELECT coalesce(max(seq), 0) FROM events WHERE key = $1 AND kind = 'directive'` +
		` AND replace(payload, $2, '') <> payload`
	// A payload is canonical, so its action stands at its beginning.
	sqlClaimEnd = `SELECT seq, payload FROM events WHERE key = $1 AND kind = 'directive' AND seq > $2` +
		` AND substr(payload, 1, 17) <> '{"action":"touch"' AND substr(payload, 1, 24) <> '{"action":"reprioritize"' ORDER BY seq LIMIT 1`
)

// already is asked when an act was refused: where the token is that of a claim
// that ended by this very action, it says so; otherwise the refusal stands.
func (q *Queue) already(tx store.Tx, a Act, action string, refusal error) (Change, error) {
	code := model.CodeOf(refusal)
	if a.Token == "" || code != model.CodeToken && code != model.CodeStale {
		return Change{}, refusal
	}
	key := model.DirectiveKey(a.ID)
	var taken, seq int64
	err := tx.QueryRow(sqlTakenBySeq, key, `"token_hash":"`+HashToken(a.Token)+`"`).Scan(&taken)
	if err != nil {
		return Change{}, store.Explain("look for the claim", err)
	}
	if taken == 0 {
		return Change{}, refusal
	}
	var payload string
	switch err := tx.QueryRow(sqlClaimEnd, key, taken).Scan(&seq, &payload); {
	case errors.Is(err, sql.ErrNoRows):
		return Change{}, refusal // it did not end: its lease ran out
	case err != nil:
		return Change{}, store.Explain("look how the claim ended", err)
	}
	var p model.DirectivePayload
	if err := json.Unmarshal([]byte(payload), &p); err != nil || p.Action != action || p.Forced {
		return Change{}, refusal
	}
	d, err := find(tx, a.ID)
	return Change{Action: action, Before: d, After: d, Seq: seq, Already: true}, err
}
