package ledger

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
	sqlPayloadOf = `SELECT producer, payload FROM events WHERE seq = $1`
	sqlClaimBy   = `SELECT coalesce(max(seq), 0) FROM events WHERE key = $1 AND kind = 'work' AND replace(payload, $2, '') <> payload`
	// A payload is canonical, so its action stands at its beginning.
	sqlClaimEnd = `SELECT seq FROM events WHERE key = $1 AND kind = 'work' AND seq > $2` +
		` AND substr(payload, 1, 21) <> '{"action":"heartbeat"' ORDER BY seq LIMIT 1`
)

// signalAlready says whether the signal's newest event is this very step, by
// the same one.
func (l *Ledger) signalAlready(tx store.Tx, s model.Signal, r SignalRequest) (bool, error) {
	switch {
	case r.Action == SignalClear && s.State == model.SignalCleared:
	case r.Action == SignalRelease && s.State == model.SignalPending && s.LastSeq != s.FirstSeq:
	default:
		return false, nil
	}
	var p model.SignalPayload
	producer, err := eventOf(tx, s.LastSeq, &p)
	if p.By == "" {
		p.By = producer
	}
	return p.By == l.producerOr(r.By) && !p.Reconstructed, err
}

// workAlready says whether the claim ended by this very step: that of the token
// where one is given, else the executor's newest.
func workAlready(tx store.Tx, w model.Work, r WorkRequest, action string) (bool, error) {
	if r.Force || action == "heartbeat" {
		return false, nil
	}
	end := w.LastSeq
	if r.Token != "" {
		var claim int64
		if err := tx.QueryRow(sqlClaimBy, w.Key, `"token_hash":"`+model.HashOf([]byte(r.Token))+`"`).Scan(&claim); err != nil {
			return false, err
		}
		err := tx.QueryRow(sqlClaimEnd, w.Key, claim).Scan(&end)
		if claim == 0 || errors.Is(err, sql.ErrNoRows) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	var p model.WorkPayload
	_, err := eventOf(tx, end, &p)
	return p.Action == action && p.Executor == r.Executor && !p.Forced && !p.Reconstructed, err
}

// eventOf reads an event's payload and says who wrote it.
func eventOf(tx store.Tx, seq int64, payload any) (producer string, err error) {
	var text string
	if err := tx.QueryRow(sqlPayloadOf, seq).Scan(&producer, &text); err != nil {
		return "", err
	}
	return producer, json.Unmarshal([]byte(text), payload)
}
