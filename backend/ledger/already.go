package ledger

import (
	"encoding/json"

	"binnacle/backend/lease"
	"binnacle/backend/store"
	"binnacle/model"
)

// A holder whose answer was lost asks again. The events say what became of its
// claim, so the same step of the same claim is answered with what it did then,
// and not refused.

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
		seq, ended, err := lease.Ended(tx, model.KindWork, w.Key, r.Token, "heartbeat")
		if err != nil || !ended {
			return false, err
		}
		end = seq
	}
	var p model.WorkPayload
	_, err := eventOf(tx, end, &p)
	return p.Action == action && p.Executor == r.Executor && !p.Forced && !p.Reconstructed, err
}

// eventOf reads an event's payload and says who wrote it.
func eventOf(tx store.Tx, seq int64, payload any) (producer string, err error) {
	e, err := tx.Event(seq)
	if err != nil {
		return "", err
	}
	return e.Producer, json.Unmarshal(e.Payload, payload)
}
