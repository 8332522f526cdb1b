package directive

import (
	"strconv"
	"time"

	"binnacle/model"
	"binnacle/model/clean"
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

// Directive is one instruction in a lane of the queue.
type Directive struct {
	ID           int64      `json:"id"`
	Priority     Priority   `json:"priority"`
	Lane         string     `json:"lane"`
	Body         string     `json:"body"`
	Status       string     `json:"status"`
	Parent       int64      `json:"parent,omitempty"`
	CreatedAt    model.Time `json:"created_at"`
	TakenAt      model.Time `json:"taken_at,omitempty"`
	DoneAt       model.Time `json:"done_at,omitempty"` // when it became final: done or dropped
	TakenBy      string     `json:"taken_by,omitempty"`
	LeaseUntil   model.Time `json:"lease_until,omitempty"` // 0 in a taken one: it has no lease (an import of laneq v0.1)
	LeaseBoot    string     `json:"-"`                     // Lease.Boot
	LeaseAwake   int64      `json:"-"`                     // Lease.Awake
	TakenAwake   int64      `json:"-"`                     // Reading.Awake of LeaseBoot when it was taken, in microseconds; 0 when unknown
	TokenHash    string     `json:"-"`                     // SHA-256 of the claim token, hex
	Attempt      int64      `json:"attempt"`               // how often it was claimed
	RequeueCount int64      `json:"requeue_count"`
	Lapses       int64      `json:"lapses,omitempty"` // how often its lease ran out or its command failed
	NotBefore    model.Time `json:"not_before,omitempty"`
	BlockedBy    []int64    `json:"blocked_by,omitempty"`
	Importance   int64      `json:"importance,omitempty"` // -MaxImportance to MaxImportance
	Deadline     model.Time `json:"deadline,omitempty"`
	Reason       string     `json:"reason,omitempty"` // why it came into its status, where somebody said
	Since        model.Time `json:"since"`            // when it came into its status
	FirstSeq     int64      `json:"first_seq"`
	LastSeq      int64      `json:"last_seq"`
	Rev          int64      `json:"rev"`
}

// Key is the key of a directive's events: its id in decimal.
func Key(id int64) string { return strconv.FormatInt(id, 10) }

// Topic is the topic of the directive's events.
func (d Directive) Topic() string { return Topic(d.Lane) }

// Final says whether nothing can happen to the directive any more.
func (d Directive) Final() bool { return FinalStatus(d.Status) }

// FinalStatus says whether the status is done or dropped: what waits for such
// a directive waits no longer.
func FinalStatus(status string) bool { return status == StatusDone || status == StatusDropped }

// Term is the claim's lease.
func (d Directive) Term() model.Lease {
	return model.Lease{Until: d.LeaseUntil, Boot: d.LeaseBoot, Awake: d.LeaseAwake}
}

// Lapsed says whether the claim's lease has run out. A taken one without a
// lease never lapses.
func (d Directive) Lapsed(now model.Reading) bool {
	return d.Status == StatusTaken && d.Term().Over(now)
}

// Held is how long the claim has been held: by the clock of the boot that it
// was taken on, and from elsewhere by the wall clock.
func (d Directive) Held(now model.Reading) time.Duration {
	if d.TakenAwake > 0 && d.LeaseBoot != "" && d.LeaseBoot == now.Boot {
		return now.Awake - time.Duration(d.TakenAwake)*time.Microsecond
	}
	return now.Wall.Sub(d.TakenAt)
}

// LeaseLength is how long the lease lasts in all, from the claim to its end.
func (d Directive) LeaseLength() time.Duration {
	if d.TakenAwake > 0 && d.LeaseBoot != "" {
		return time.Duration(d.LeaseAwake-d.TakenAwake) * time.Microsecond
	}
	return d.LeaseUntil.Sub(d.TakenAt)
}

// ParseKey reads the key of a directive's events: its id in decimal.
func ParseKey(key string) (int64, error) {
	id, err := strconv.ParseInt(key, 10, 64)
	if err != nil || id < 1 || strconv.FormatInt(id, 10) != key {
		return 0, model.Errorf(model.CodeInvalid, "%q is not a directive's id", clean.Line(model.CutBytes(key, 20)))
	}
	return id, nil
}
