package desk

import (
	"time"

	"binnacle/model"
	"binnacle/model/directive"
)

// Verb names what an operator does to a record.
type Verb string

// The verbs. Each that acts on a record is conditional on the record's Rev.
const (
	VerbSignalClaim   Verb = "signal.claim"
	VerbSignalRelease Verb = "signal.release"
	VerbSignalClear   Verb = "signal.clear"
	VerbRequeue       Verb = "directive.requeue"
	VerbDrop          Verb = "directive.drop"
	VerbPriority      Verb = "directive.priority"
	VerbDefer         Verb = "directive.defer"
	VerbExtend        Verb = "directive.extend"
	VerbPush          Verb = "directive.push"
	VerbUnpark        Verb = "directive.unpark"
	VerbPark          Verb = "directive.park"
	VerbWorkExtend    Verb = "work.extend"
	VerbFetch         Verb = "fleet.fetch" // fetches the fleet's refs now; there is no record
)

// Action is one act of the operator on one record. Only the fields that the
// verb needs are read.
type Action struct {
	Verb     Verb               `json:"verb"`
	Key      string             `json:"key,omitempty"` // the record; "" for a push
	Rev      int64              `json:"rev,omitzero"`  // what was on screen; a record that moved on is left alone
	Why      string             `json:"why,omitempty"`
	Priority directive.Priority `json:"priority"`             // VerbPriority, VerbPush
	For      time.Duration      `json:"for,omitzero"`         // VerbDefer, VerbExtend; nanoseconds on a wire
	Until    model.Time         `json:"until,omitzero"`       // VerbDefer
	Blocks   []int64            `json:"blocked_by,omitempty"` // VerbDefer: ids that block it
	Lane     string             `json:"lane,omitempty"`       // VerbPush
	Body     string             `json:"body,omitempty"`       // VerbPush
	Parent   int64              `json:"parent,omitzero"`      // VerbPush
}

// Outcome is what an Action did, in words, to which record, and what takes it
// back: nil when it can't be undone.
type Outcome struct {
	Text   string `json:"text"`
	Did    string `json:"did,omitempty"`   // what was done, in a word or two that go behind a number: "dropped"
	Record At     `json:"record,omitzero"` // the record as the action left it; its zero value for what is no record
	Before int64  `json:"before,omitzero"` // the record's revision before; 0 when there was none
	Undo   *Undo  `json:"undo,omitempty"`
}

// Undo takes an act back. What the record was before the act is not in it: the
// events up to the act's own say so.
type Undo struct {
	Event  int64 `json:"event"`  // what recorded the act
	Record At    `json:"record"` // what must be there still
}

// At names a record at one of its revisions.
type At struct {
	Kind model.Kind `json:"kind"`
	Key  string     `json:"key"`
	Rev  int64      `json:"rev"`
}
