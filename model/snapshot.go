package model

// Snapshot is one instant of a workspace, as the cockpit draws it and as
// --plain prints it: everything in it was read in one transaction, at one
// sequence number. Its lists are bounded; what does not fit is counted.
type Snapshot struct {
	At        Time    // when it was taken, by this machine's clock
	Clocks    Reading // all of the machine's clocks then; Clocks.Wall is At
	Epoch     string  // of the ledger; another one after a restore
	Head      Head    // the newest event it includes
	Counts    Counts  // the planes
	Signals   []Signal
	Work      []Work // claimed ones, the next to lapse first
	Lanes     []Lane
	Taken     []Directive // the next to lapse first
	Parked    []Directive // the longest wait first
	Needs     []Need
	MoreNeeds int // those that Needs leaves out
	Health    []Alarm
	Duties    Duties
	Rate      Rate
	Verified  Verified
	Gone      string     // why this is the last picture: the database was deleted, replaced or moved; "" while it stands
	Fleet     *FleetView // nil where there is none: outside of a Git repository
}

// Bounds of a snapshot's lists.
const (
	MaxSignals     = 500
	MaxWork        = 500
	MaxLanes       = 200
	MaxPerLane     = 200
	MaxTaken       = 500
	MaxParked      = 100
	MaxNeeds       = 200
	RateSeconds    = 30 // how far back Rate looks
	ExpiresSoonPct = 15 // a lease with less than this share left is about to lapse
)

// Lane is one lane of the queue with the directives at its front.
type Lane struct {
	Name       string
	Pending    [3]int64 // by priority
	Taken      int64
	Deferred   int64
	Parked     int64
	Done       int64
	Dropped    int64
	Directives []Directive // open ones, in the order in which next would take them
	More       int64       // open ones that Directives leaves out
}

// Open is the number of directives that are not final.
func (l Lane) Open() int64 {
	return l.Pending[0] + l.Pending[1] + l.Pending[2] + l.Taken + l.Deferred + l.Parked
}

// Need is one thing that asks for an operator.
type Need struct {
	Kind  NeedKind
	Key   string // of the record
	Rev   int64  // of the record
	Text  string // what it is about; not cleaned
	State string
	Since Time // since when it waits
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
	Engine string // store, ledger, queue, fleet
	Text   string
	Since  Time
}

// Duties says who does what only one process may do.
type Duties struct {
	Held   bool // by this process
	Holder int  // the holder's pid, 0 when nobody or unknown
}

// Rate is how many events arrive a second.
type Rate struct {
	PerSecond float64
	History   [RateSeconds]float64 // per second, the oldest first
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
	State   VerifyState
	Seq     int64  // verified up to here
	Finding string // the first divergence, in words
	At      int64  // its sequence number, 0 when it has none
	Whole   Time   // when everything up to then was last read and found good; 0 for not yet
}
