package model

// Detail is all that the cockpit shows of one event or one record. Exactly one
// of the records is set, or none for a plain event.
type Detail struct {
	Event     *Event // the event that was opened; nil when a record was
	Signal    *Signal
	Work      *Work
	Directive *Directive
	Session   *FleetSession // a row of the fleet map, or a machine of it
	Machine   *FleetMachine
	Fleet     *FleetView  // the map that Session and Machine are of
	History   []Event     // the record's events, the oldest first, at most MaxHistory
	Older     int64       // events of the history that are left out, before it
	Cause     *Event      // what caused the event, one step back
	Effects   []Event     // what it caused, at most MaxHistory
	Thread    []Directive // of a directive: its thread, itself included, by id
	Why       *Why        // of a directive: where it stands and why
	Verified  bool        // the chain is verified beyond the event
	Whole     Time        // when everything was last read again and found good; 0 for not yet
}

// MaxHistory bounds a detail's lists.
const MaxHistory = 200

// RecordKind returns the kind and key of the record that the detail is about,
// or "" and "" for a plain event.
func (d Detail) RecordKind() (Kind, string) {
	switch {
	case d.Signal != nil:
		return KindSignal, d.Signal.Key
	case d.Work != nil:
		return KindWork, d.Work.Key
	case d.Directive != nil:
		return KindDirective, DirectiveKey(d.Directive.ID)
	}
	return "", ""
}
