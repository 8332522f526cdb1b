package desk

import (
	"binnacle/model"
	"binnacle/model/directive"
	"binnacle/model/fleetmap"
)

// Snapshot is one instant of a workspace, as the cockpit draws it and as
// --plain prints it: everything in it was read in one transaction, at one
// sequence number. Its lists are bounded; what does not fit is counted.
type Snapshot struct {
	At        model.Time            `json:"at,omitzero"`     // when it was taken, by this machine's clock
	Clocks    model.Reading         `json:"clocks,omitzero"` // all of the machine's clocks then; Clocks.Wall is At
	Epoch     string                `json:"epoch,omitempty"` // of the ledger; another one after a restore
	Head      model.Head            `json:"head,omitzero"`   // the newest event it includes
	Counts    model.Counts          `json:"counts,omitzero"` // the planes
	Signals   []model.Signal        `json:"signals,omitempty"`
	Work      []model.Work          `json:"work,omitempty"` // claimed ones, the next to lapse first
	Lanes     []Lane                `json:"lanes,omitempty"`
	Taken     []directive.Directive `json:"taken,omitempty"`  // the next to lapse first
	Parked    []directive.Directive `json:"parked,omitempty"` // the longest wait first
	Needs     []Need                `json:"needs,omitempty"`
	MoreNeeds int                   `json:"more_needs,omitzero"` // those that Needs leaves out
	Health    []Alarm               `json:"health,omitempty"`
	Duties    Duties                `json:"duties,omitzero"`
	Rate      Rate                  `json:"rate,omitzero"`
	Verified  Verified              `json:"verified,omitzero"`
	Gone      string                `json:"gone,omitempty"` // why this is the last picture: the database was deleted, replaced or moved; "" while it stands
	Retention Retention             `json:"retention,omitzero"`
	Fleet     *fleetmap.Picture     `json:"fleet,omitempty"` // nil where there is none: outside of a Git repository
}

// Bounds of a snapshot's lists.
const (
	MaxSignals  = 500
	MaxWork     = 500
	MaxLanes    = 200
	MaxPerLane  = 200
	MaxTaken    = 500
	MaxParked   = 100
	MaxNeeds    = 200
	RateSeconds = 30 // how far back Rate looks
)

// Lane is one lane of the queue with the directives at its front.
type Lane struct {
	Name       string                `json:"name,omitempty"`
	Pending    [3]int64              `json:"pending,omitzero"` // by priority
	Taken      int64                 `json:"taken,omitzero"`
	Deferred   int64                 `json:"deferred,omitzero"`
	Parked     int64                 `json:"parked,omitzero"`
	Done       int64                 `json:"done,omitzero"`
	Dropped    int64                 `json:"dropped,omitzero"`
	Directives []directive.Directive `json:"directives,omitempty"` // open ones, in the order in which next would take them
	More       int64                 `json:"more,omitzero"`        // open ones that Directives leaves out
}

// Open is the number of directives that are not final.
func (l Lane) Open() int64 {
	return l.Pending[0] + l.Pending[1] + l.Pending[2] + l.Taken + l.Deferred + l.Parked
}

// Need is one thing that asks for an operator.
type Need struct {
	Kind  NeedKind   `json:"kind,omitzero"`
	Key   string     `json:"key,omitempty"`  // of the record
	Rev   int64      `json:"rev,omitzero"`   // of the record
	Text  string     `json:"text,omitempty"` // what it is about; not cleaned
	State string     `json:"state,omitempty"`
	Since model.Time `json:"since,omitzero"` // since when it waits
}

// NeedKind says what asks.
type NeedKind string

// The kinds of needs.
const (
	NeedSignal   NeedKind = "signal"   // a pending signal
	NeedMine     NeedKind = "mine"     // a signal that the operator claimed and has not cleared
	NeedParked   NeedKind = "parked"   // a parked directive
	NeedLapsing  NeedKind = "lapsing"  // a lease that is about to lapse
	NeedStalled  NeedKind = "stalled"  // a session that says nothing any more
	NeedQuestion NeedKind = "question" // a session that waits for an answer
)

// Alarm is a line that the header shows: something is wrong and stays wrong.
type Alarm struct {
	Engine string     `json:"engine"` // store, ledger, queue, fleet
	Text   string     `json:"text"`
	Since  model.Time `json:"since"`
}

// Duties says who does what only one process may do.
type Duties struct {
	Held   bool `json:"held"`            // by this process
	Holder int  `json:"holder,omitzero"` // the holder's pid, 0 when nobody or unknown
}

// Rate is how many events arrive a second.
type Rate struct {
	PerSecond float64              `json:"per_second,omitzero"`
	History   [RateSeconds]float64 `json:"history,omitzero"` // per second, the oldest first
}

// VerifyState says how far the background verification is.
type VerifyState string

// The states of the background verification.
const (
	VerifyNone    VerifyState = ""        // not begun
	VerifyRunning VerifyState = "running" // walking towards the head
	VerifyOK      VerifyState = "ok"      // every event up to Seq is good
	VerifyFailed  VerifyState = "failed"  // Finding says what diverges first
)

// Verified is the header's mark.
type Verified struct {
	State   VerifyState `json:"state"`
	Seq     int64       `json:"seq"`               // verified up to here
	Finding string      `json:"finding,omitempty"` // the first divergence, in words
	At      int64       `json:"at,omitzero"`       // its sequence number, 0 when it has none
	Whole   model.Time  `json:"whole_at,omitzero"` // when everything up to then was last read and found good; 0 for not yet
}

// Retention says for how long events are kept as rows, and what was sealed away.
// The zero Retention: all are kept.
type Retention struct {
	Keep     int64      `json:"keep_seconds,omitzero"` // 0: for ever
	Oldest   model.Time `json:"oldest,omitzero"`       // the time of the oldest event that is a row; 0 for none
	Lag      int64      `json:"lag_seconds,omitzero"`  // how far sealing is behind; 0 while it is in time
	Segments int        `json:"segments,omitzero"`     // files that events were sealed into
	Sealed   int64      `json:"sealed,omitzero"`       // how many events are in them
	Bytes    int64      `json:"bytes,omitzero"`        // of the files
}
