package model

import (
	"encoding/json"
	"time"

	"binnacle/model/clean"
)

// States of a signal.
const (
	SignalPending = "pending"
	SignalClaimed = "claimed"
	SignalCleared = "cleared"
	SignalExpired = "expired"
)

// Signal is something that asks for somebody's attention.
type Signal struct {
	Key      string `json:"key"`
	State    string `json:"state"`
	Topic    string `json:"topic"`
	Summary  string `json:"summary"`
	Producer string `json:"producer"`          // who raised it
	Holder   string `json:"holder,omitempty"`  // who claimed it
	Raised   Time   `json:"raised"`            // when it was raised
	Since    Time   `json:"since"`             // when it came into its state
	Expires  Time   `json:"expires,omitempty"` // when it expires by itself
	FirstSeq int64  `json:"first_seq"`
	LastSeq  int64  `json:"last_seq"`
	Rev      int64  `json:"rev"` // grows with every change
}

// SignalPayload is what a signal's events carry for its state. Other members
// of the payload are free.
type SignalPayload struct {
	Summary       string `json:"summary,omitempty"`
	State         string `json:"state,omitempty"`
	Expires       Time   `json:"expires,omitempty"`
	By            string `json:"by,omitempty"`     // who claims it
	Reason        string `json:"reason,omitempty"` // why it is cleared, released, expired
	Reconstructed bool   `json:"reconstructed,omitempty"`
}

// Due says whether the signal's time has run out at now.
func (s Signal) Due(now Time) bool {
	return s.Expires != 0 && now >= s.Expires && (s.State == SignalPending || s.State == SignalClaimed)
}

// SignalAction names the step from one state to another, for events that carry
// only the new state.
func SignalAction(from, to string) string {
	for _, s := range SignalMachine().Steps {
		if s.From == from && s.To == to {
			return s.Action
		}
	}
	switch to {
	case SignalPending:
		return "raise"
	case SignalClaimed:
		return "claim"
	case SignalCleared:
		return "clear"
	default:
		return "expire"
	}
}

// Apply takes the signal (its zero value: none yet) through the event e, whose
// kind is signal. A step that SignalMachine does not have is refused and s
// stays as it was. An imported signal may begin in any state when its event is
// marked reconstructed.
func (s *Signal) Apply(e Event) error {
	var p SignalPayload
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return Errorf(CodeInvalid, "signal %q: its payload can't be read: %s", clean.Line(e.Key), JSONFault(nil, err))
	}
	action := SignalAction(s.State, e.State)
	if s.State == "" && p.Reconstructed && signalState(e.State) {
		action = "raise"
	} else if to, ok := SignalMachine().To(s.State, action); !ok || to != e.State {
		return SignalMachine().Refuse(e.Key, s.State, action)
	}
	n := *s
	if s.State == "" {
		n = Signal{
			Key: e.Key, Topic: e.Topic, Summary: p.Summary, Producer: e.Producer, Raised: e.TS, FirstSeq: e.Seq,
			Expires: p.Expires,
		}
	}
	n.State, n.Since, n.LastSeq, n.Rev = e.State, e.TS, e.Seq, s.Rev+1
	switch e.State {
	case SignalClaimed:
		if n.Holder = p.By; n.Holder == "" {
			n.Holder = e.Producer
		}
	case SignalPending:
		n.Holder = ""
	}
	*s = n
	return nil
}

func signalState(s string) bool {
	return s == SignalPending || s == SignalClaimed || s == SignalCleared || s == SignalExpired
}

// Waited is how long the signal has been in its state.
func (s Signal) Waited(now Time) time.Duration { return now.Sub(s.Since) }
