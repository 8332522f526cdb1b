package desk

import (
	"binnacle/model"
	"binnacle/model/directive"
	"binnacle/model/fleetmap"
)

// Ref names what a Detail is of.
type Ref struct {
	Seq int64 `json:"seq,omitzero"` // > 0: the event
	// Kind and Key are the record: a signal, work or a directive. KindCoord is the
	// fleet: Key is a row of its map (fleetmap.KeyOf), a machine, or "" for the map
	// alone.
	Kind model.Kind `json:"kind,omitempty"`
	Key  string     `json:"key,omitempty"`
}

// Detail is all that is shown of one event or one record. Exactly one
// of the records is set, or none for a plain event.
type Detail struct {
	Event     *model.Event          `json:"event,omitempty"` // the event that was opened; nil when a record was
	Signal    *model.Signal         `json:"signal,omitempty"`
	Work      *model.Work           `json:"work,omitempty"`
	Directive *directive.Directive  `json:"directive,omitempty"`
	Session   *fleetmap.Session     `json:"session,omitempty"` // a row of the fleet map, or a machine of it
	Machine   *fleetmap.Machine     `json:"machine,omitempty"`
	Fleet     *fleetmap.Picture     `json:"fleet,omitempty"`   // the map that Session and Machine are of
	History   []model.Event         `json:"history,omitempty"` // the record's events, the oldest first, at most MaxHistory
	Older     int64                 `json:"older,omitzero"`    // events of the history that are left out, before it
	Cause     *model.Event          `json:"cause,omitempty"`   // what caused the event, one step back
	Effects   []model.Event         `json:"effects,omitempty"` // what it caused, at most MaxHistory
	Thread    []directive.Directive `json:"thread,omitempty"`  // of a directive: its thread, itself included, by id
	Why       *directive.Why        `json:"why,omitempty"`     // of a directive: where it stands and why
	Verified  bool                  `json:"verified,omitzero"` // the chain is verified beyond the event
	Whole     model.Time            `json:"whole,omitzero"`    // when everything was last read again and found good; 0 for not yet
}

// MaxHistory bounds a detail's lists.
const MaxHistory = 200
