package model

import (
	"encoding/json"
	"strconv"
)

// States of a directive; done and dropped are final.
const (
	StatusPending  = "pending"
	StatusTaken    = "taken"
	StatusDeferred = "deferred"
	StatusParked   = "parked"
	StatusDone     = "done"
	StatusDropped  = "dropped"
)

// DefaultLane is the lane of a directive pushed without one.
const DefaultLane = "default"

// MaxBody bounds a directive's body, in bytes.
const MaxBody = 128 << 10

// Directive is one instruction in a lane of the queue.
type Directive struct {
	ID           int64    `json:"id"`
	Priority     Priority `json:"priority"`
	Lane         string   `json:"lane"`
	Body         string   `json:"body"`
	Status       string   `json:"status"`
	Parent       int64    `json:"parent,omitempty"`
	CreatedAt    Time     `json:"created_at"`
	TakenAt      Time     `json:"taken_at,omitempty"`
	DoneAt       Time     `json:"done_at,omitempty"`
	TakenBy      string   `json:"taken_by,omitempty"`
	LeaseUntil   Time     `json:"lease_until,omitempty"`
	TokenHash    string   `json:"-"` // SHA-256 of the claim token, hex
	Attempt      int64    `json:"attempt"`
	RequeueCount int64    `json:"requeue_count"`
	Lapses       int64    `json:"lapses,omitempty"` // how often its lease ran out
	NotBefore    Time     `json:"not_before,omitempty"`
	BlockedBy    []int64  `json:"blocked_by,omitempty"`
	Importance   int64    `json:"importance,omitempty"`
	Deadline     Time     `json:"deadline,omitempty"`
	Reason       string   `json:"reason,omitempty"` // why it is parked, dropped, deferred
	Since        Time     `json:"since"`            // when it came into its status
	FirstSeq     int64    `json:"first_seq"`
	LastSeq      int64    `json:"last_seq"`
	Rev          int64    `json:"rev"`
}

// DirectivePayload is what a directive's events carry. Fields that an action
// does not set are left out; a pointer tells "set to none" from "not set".
type DirectivePayload struct {
	Action        string    `json:"action"`
	By            string    `json:"by,omitempty"` // who did it
	Why           string    `json:"why,omitempty"`
	Forced        bool      `json:"forced,omitempty"`
	Reconstructed bool      `json:"reconstructed,omitempty"`
	Priority      *Priority `json:"priority,omitempty"`
	Lane          string    `json:"lane,omitempty"`
	Body          string    `json:"body,omitempty"`
	Parent        int64     `json:"parent,omitempty"`
	Importance    *int64    `json:"importance,omitempty"`
	Deadline      *Time     `json:"deadline,omitempty"`
	TokenHash     string    `json:"token_hash,omitempty"`
	LeaseUntil    *Time     `json:"lease_until,omitempty"`
	NotBefore     *Time     `json:"not_before,omitempty"`
	BlockedBy     *[]int64  `json:"blocked_by,omitempty"`
	// Only of a reconstructed (imported) directive:
	CreatedAt    Time   `json:"created_at,omitempty"`
	TakenAt      Time   `json:"taken_at,omitempty"`
	DoneAt       Time   `json:"done_at,omitempty"`
	TakenBy      string `json:"taken_by,omitempty"`
	RequeueCount int64  `json:"requeue_count,omitempty"`
}

// DirectiveMachine is how directives live.
func DirectiveMachine() Machine {
	m := Machine{Noun: "directive", Steps: []Step{
		{"", "push", StatusPending},
		{"", "push-deferred", StatusDeferred},
		{StatusPending, "take", StatusTaken},
		{StatusDeferred, "promote", StatusPending},
		{StatusTaken, "done", StatusDone},
		{StatusTaken, "touch", StatusTaken},
		{StatusTaken, "requeue", StatusPending},
		{StatusTaken, "lapse", StatusPending},
		{StatusTaken, "poison", StatusParked},
		{StatusParked, "unpark", StatusPending},
	}}
	for _, from := range []string{StatusPending, StatusTaken, StatusDeferred, StatusParked} {
		m.Steps = append(m.Steps, Step{from, "drop", StatusDropped}, Step{from, "reprioritize", from})
		if from != StatusParked {
			m.Steps = append(m.Steps, Step{from, "defer", StatusDeferred}, Step{from, "park", StatusParked})
		}
	}
	return m
}

// ParseDirectiveKey reads the key of a directive's events: its id in decimal.
func ParseDirectiveKey(key string) (int64, error) {
	id, err := strconv.ParseInt(key, 10, 64)
	if err != nil || id < 1 || strconv.FormatInt(id, 10) != key {
		return 0, Errorf(CodeInvalid, "%q is not a directive's id", Clean(cutBytes(key, 20)))
	}
	return id, nil
}

// Apply takes the directive (its zero value: none yet) through the event e,
// whose kind is directive. A step that DirectiveMachine does not have is
// refused and d stays as it was.
func (d *Directive) Apply(e Event) error {
	id, err := ParseDirectiveKey(e.Key)
	if err != nil {
		return err
	}
	var p DirectivePayload
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return Errorf(CodeInvalid, "directive %d: its payload can't be read: %s", id, jsonReason(err))
	}
	machine := directiveMachine
	if d.Status == "" && p.Reconstructed && machine.known(e.State) {
		p.Action = "push"
	} else if to, ok := machine.To(d.Status, p.Action); !ok {
		return machine.Refuse(e.Key, d.Status, p.Action)
	} else if to != e.State {
		return Errorf(CodeCorrupt, "directive %d: %s leads to %s, not to %s", id, p.Action, to, Clean(e.State))
	}
	n := *d
	if d.Status == "" {
		n = Directive{
			ID: id, Lane: DefaultLane, Priority: P1, Body: p.Body, Parent: p.Parent, CreatedAt: e.TS, FirstSeq: e.Seq,
		}
	}
	if n.Status != e.State {
		n.Since = e.TS
	}
	n.Status, n.LastSeq, n.Rev = e.State, e.Seq, d.Rev+1
	n.set(p)
	n.step(p, e)
	*d = n
	return nil
}

// directiveMachine is DirectiveMachine, made once; it is never changed.
var directiveMachine = DirectiveMachine()

func (m Machine) known(state string) bool {
	for _, s := range m.Steps {
		if s.To == state {
			return true
		}
	}
	return false
}

// set copies the fields that the payload names.
func (d *Directive) set(p DirectivePayload) {
	if p.Priority != nil {
		d.Priority = *p.Priority
	}
	if p.Lane != "" {
		d.Lane = p.Lane
	}
	if p.Importance != nil {
		d.Importance = *p.Importance
	}
	if p.Deadline != nil {
		d.Deadline = *p.Deadline
	}
	if p.LeaseUntil != nil {
		d.LeaseUntil = *p.LeaseUntil
	}
	if p.NotBefore != nil {
		d.NotBefore = *p.NotBefore
	}
	if p.BlockedBy != nil {
		d.BlockedBy = *p.BlockedBy
	}
}

// step does what the action itself means.
func (d *Directive) step(p DirectivePayload, e Event) {
	switch p.Action {
	case "push", "push-deferred":
		if p.Reconstructed {
			d.TakenAt, d.DoneAt, d.TakenBy, d.RequeueCount = p.TakenAt, p.DoneAt, p.TakenBy, p.RequeueCount
			if p.CreatedAt != 0 {
				d.CreatedAt = p.CreatedAt
			}
		}
	case "take":
		d.TakenAt, d.TakenBy, d.TokenHash = e.TS, p.By, p.TokenHash
		d.Attempt++
	case "requeue":
		d.RequeueCount++
	case "lapse":
		d.RequeueCount++
		d.Lapses++
	case "poison":
		d.Lapses++
	case "unpark":
		d.Lapses = 0
	case "done", "drop":
		d.DoneAt = e.TS
	}
	switch p.Action {
	case "reprioritize", "touch":
	default:
		d.Reason = p.Why
	}
	if d.Status != StatusTaken {
		d.LeaseUntil, d.TokenHash = 0, ""
		if d.Status == StatusPending {
			d.TakenBy, d.TakenAt = "", 0
		}
	}
	if d.Status != StatusDeferred {
		d.NotBefore = 0
		if d.Status == StatusPending {
			d.BlockedBy = nil
		}
	}
}

// DirectiveKey is the key of a directive's events: its id in decimal.
func DirectiveKey(id int64) string { return strconv.FormatInt(id, 10) }
