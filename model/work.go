package model

import "encoding/json"

// States of a work record.
const (
	WorkClaimed  = "claimed"
	WorkDone     = "done"
	WorkFailed   = "failed"
	WorkReleased = "released"
	WorkExpired  = "expired"
)

// Work is a piece of work that one executor at a time holds under a lease.
type Work struct {
	Key        string          `json:"key"`
	State      string          `json:"state"`
	Topic      string          `json:"topic"`
	Executor   string          `json:"executor"`
	TokenHash  string          `json:"-"` // SHA-256 of the claim token, hex
	LeaseUntil Time            `json:"lease_until,omitempty"`
	Lease      int64           `json:"lease_seconds,omitempty"` // the length last asked for
	Attempt    int64           `json:"attempt"`                 // 1 at the first claim
	ClaimedAt  Time            `json:"claimed_at"`
	Since      Time            `json:"since"` // when it came into its state
	Reason     string          `json:"reason,omitempty"`
	Evidence   json.RawMessage `json:"evidence,omitempty"`
	FirstSeq   int64           `json:"first_seq"`
	LastSeq    int64           `json:"last_seq"`
	Rev        int64           `json:"rev"`
}

// WorkPayload is what a work record's events carry.
type WorkPayload struct {
	Action        string          `json:"action"` // of WorkMachine
	Executor      string          `json:"executor,omitempty"`
	TokenHash     string          `json:"token_hash,omitempty"`
	LeaseUntil    Time            `json:"lease_until,omitempty"`
	LeaseSeconds  int64           `json:"lease_seconds,omitempty"`
	Reason        string          `json:"reason,omitempty"`
	Evidence      json.RawMessage `json:"evidence,omitempty"`
	Forced        bool            `json:"forced,omitempty"`
	Reconstructed bool            `json:"reconstructed,omitempty"`
}

// Lapsed says whether the lease has run out at now.
func (w Work) Lapsed(now Time) bool { return w.State == WorkClaimed && now >= w.LeaseUntil }

// Apply takes the record (its zero value: none yet) through the event e, whose
// kind is work. A step that WorkMachine does not have is refused and w stays as
// it was. An imported record may begin in any state when its event is marked
// reconstructed.
func (w *Work) Apply(e Event) error {
	var p WorkPayload
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return Errorf(CodeInvalid, "work %q: its payload can't be read: %s", Clean(e.Key), jsonReason(err))
	}
	if w.State == "" && p.Reconstructed && workState(e.State) {
		p.Action = "claim"
	} else if to, ok := WorkMachine().To(w.State, p.Action); !ok {
		return WorkMachine().Refuse(e.Key, w.State, p.Action)
	} else if to != e.State {
		return Errorf(CodeCorrupt, "work %q: %s leads to %s, not to %s", Clean(e.Key), p.Action, to, Clean(e.State))
	}
	n := *w
	if w.State == "" {
		n = Work{Key: e.Key, Topic: e.Topic, FirstSeq: e.Seq}
	}
	n.State, n.LastSeq, n.Rev = e.State, e.Seq, w.Rev+1
	if n.State != w.State || p.Action == "claim" {
		n.Since = e.TS
	}
	switch p.Action {
	case "claim":
		n.Executor, n.TokenHash, n.ClaimedAt = p.Executor, p.TokenHash, e.TS
		n.LeaseUntil, n.Lease = p.LeaseUntil, p.LeaseSeconds
		n.Attempt++
		n.Reason, n.Evidence = p.Reason, p.Evidence
	case "heartbeat":
		n.LeaseUntil, n.Lease = p.LeaseUntil, p.LeaseSeconds
	default:
		n.Reason, n.Evidence = p.Reason, p.Evidence
	}
	if n.State != WorkClaimed {
		n.LeaseUntil, n.TokenHash = 0, ""
	}
	*w = n
	return nil
}

func workState(s string) bool {
	switch s {
	case WorkClaimed, WorkDone, WorkFailed, WorkReleased, WorkExpired:
		return true
	}
	return false
}
