package model

import (
	"encoding/json"
	"time"

	"binnacle/model/clean"
)

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
	LeaseBoot  string          `json:"-"`                       // Lease.Boot
	LeaseAwake int64           `json:"-"`                       // Lease.Awake
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
	LeaseBoot     string          `json:"lease_boot,omitempty"`  // with LeaseUntil: Lease.Boot
	LeaseAwake    int64           `json:"lease_awake,omitempty"` // with LeaseUntil: Lease.Awake
	LeaseSeconds  int64           `json:"lease_seconds,omitempty"`
	Reason        string          `json:"reason,omitempty"`
	Evidence      json.RawMessage `json:"evidence,omitempty"`
	Forced        bool            `json:"forced,omitempty"`
	Reconstructed bool            `json:"reconstructed,omitempty"`
}

// SetLease puts both ends of a lease, and its length in whole seconds.
func (p *WorkPayload) SetLease(l Lease, seconds int64) {
	p.LeaseUntil, p.LeaseBoot, p.LeaseAwake, p.LeaseSeconds = l.Until, l.Boot, l.Awake, seconds
}

// Term is the claim's lease.
func (w Work) Term() Lease { return Lease{w.LeaseUntil, w.LeaseBoot, w.LeaseAwake} }

// Lapsed says whether the claim's lease has run out.
func (w Work) Lapsed(now Reading) bool {
	return w.State == WorkClaimed && (w.LeaseUntil == 0 || w.Term().Over(now))
}

// LeaseLength is how long the lease lasts from the last heartbeat to its end.
func (w Work) LeaseLength() time.Duration { return time.Duration(w.Lease) * time.Second }

// Apply takes the record (its zero value: none yet) through the event e, whose
// kind is work. A step that WorkMachine does not have is refused and w stays as
// it was. An imported record may begin in any state when its event is marked
// reconstructed.
func (w *Work) Apply(e Event) error {
	var p WorkPayload
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return Errorf(CodeInvalid, "work %q: its payload can't be read: %s", clean.Line(e.Key), JSONFault(nil, err))
	}
	if w.State == "" && p.Reconstructed && workState(e.State) {
		p.Action = "claim"
	} else if to, ok := WorkMachine().To(w.State, p.Action); !ok {
		return WorkMachine().Refuse(e.Key, w.State, p.Action)
	} else if to != e.State {
		return Errorf(CodeCorrupt, "work %q: %s leads to %s, not to %s", clean.Line(e.Key), p.Action, to, clean.Line(e.State))
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
		n.lease(p)
		n.Attempt++
		n.Reason, n.Evidence = p.Reason, p.Evidence
	case "heartbeat":
		n.lease(p)
	default:
		n.Reason, n.Evidence = p.Reason, p.Evidence
	}
	if n.State != WorkClaimed {
		n.LeaseUntil, n.LeaseBoot, n.LeaseAwake, n.TokenHash = 0, "", 0, ""
	}
	*w = n
	return nil
}

func (w *Work) lease(p WorkPayload) {
	w.LeaseUntil, w.Lease, w.LeaseBoot, w.LeaseAwake = p.LeaseUntil, p.LeaseSeconds, "", 0
	if p.LeaseBoot != "" && p.LeaseAwake > 0 {
		w.LeaseBoot, w.LeaseAwake = p.LeaseBoot, p.LeaseAwake
	}
}

func workState(s string) bool {
	switch s {
	case WorkClaimed, WorkDone, WorkFailed, WorkReleased, WorkExpired:
		return true
	}
	return false
}
