package model

import "time"

// Verb names what an operator does to a record.
type Verb string

// The verbs of the cockpit. Each is conditional on the record's Rev.
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
)

// Action is one act of an operator on one record. Only the fields that the
// verb needs are read.
type Action struct {
	Verb     Verb
	Key      string // the record; "" for a push
	Rev      int64  // what was on screen; a record that moved on is left alone
	Why      string
	By       string        // who does it
	Priority Priority      // VerbPriority, VerbPush
	For      time.Duration // VerbDefer, VerbExtend
	Until    Time          // VerbDefer
	Blocks   []int64       // VerbDefer: ids that block it
	Lane     string        // VerbPush
	Body     string        // VerbPush
	Parent   int64         // VerbPush
}

// Outcome is what an Action did, in words, to which record, and what takes it
// back: Undo is opaque to all but the backend that made it, and nil when the
// action can't be undone.
type Outcome struct {
	Text   string
	Did    string // what was done, in a word or two that go behind a number: "dropped"
	Record At     // the record as the action left it; its zero value for what is no record
	Before int64  // the record's revision before; 0 when there was none
	Undo   any
}

// At names a record at one of its revisions.
type At struct {
	Kind Kind
	Key  string
	Rev  int64
}
