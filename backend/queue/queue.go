package queue

import (
	"io"
	"sync/atomic"
	"time"

	"binnacle/backend/clock"
	"binnacle/backend/lease"
	"binnacle/backend/queue/receipt"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/directive"
	"binnacle/model/redact"
)

// Defaults and bounds of Options.
const (
	DefaultLease       = 30 * time.Minute
	DefaultMaxAttempts = 10
	MaxLease           = 30 * 24 * time.Hour
	DefaultStale       = 6 * time.Hour // of Reap's stale mode, as laneq's
)

// AgeingWindow is how many directives of each priority a claim looks at when
// ageing is on. In a longer line those with higher ids wait for their turn to
// be looked at.
const AgeingWindow = 2_048

// Options tunes a Queue. The zero value is fine.
type Options struct {
	Clock       model.Clock      // of reads; a write's instant is the store's. Default clock.Machine()
	Producer    string           // who writes where a request names nobody; default "queue"
	Lease       time.Duration    // of a claim that asks for none; default DefaultLease
	MaxAttempts *int64           // lapses before a directive is parked; nil is DefaultMaxAttempts, 0 never parks
	Ageing      time.Duration    // one priority step for each interval waited; 0 is off
	Redactor    *redact.Redactor // finds secrets; nil takes every text as it is
	Random      io.Reader        // of tokens; default crypto/rand
	// Receipts is the folder of the receipts of claims, see Next.Receipt; it is
	// made when the first one is.
	Receipts receipt.Folder
}

// Queue works on the directives of one store. Its methods may be called from
// any goroutine. It holds nothing that needs closing: what waits ends with its
// context.
type Queue struct {
	view
	store    store.Store
	producer string
	lease    time.Duration
	redactor *redact.Redactor
	receipts receipt.Folder
	tokens   lease.Tokens
	settled  atomic.Int64 // the instant of the last settling, see settle
	room     waitRoom
	memo     memo
}

// Open makes a Queue on s. An option out of its bounds is refused.
func Open(s store.Store, o Options) (*Queue, error) {
	q := &Queue{
		view:  view{snapshots: s, clock: o.Clock, ageing: directive.Ageing{Interval: o.Ageing}, maxAttempts: DefaultMaxAttempts},
		store: s, producer: o.Producer, lease: o.Lease, redactor: o.Redactor, tokens: lease.Tokens{Random: o.Random},
		receipts: o.Receipts,
	}
	q.room = waitRoom{store: s, look: q.lookAhead}
	if q.clock == nil {
		q.clock = clock.Machine()
	}
	if q.producer == "" {
		q.producer = "queue"
	}
	if q.lease == 0 {
		q.lease = DefaultLease
	}
	if o.MaxAttempts != nil {
		q.maxAttempts = *o.MaxAttempts
	}
	if err := model.CheckProducer(q.producer); err != nil {
		return nil, err
	}
	if err := checkLease(q.lease); err != nil {
		return nil, err
	}
	switch {
	case q.maxAttempts < 0:
		return nil, model.Errorf(model.CodeInvalid, "max_attempts is %d", q.maxAttempts).WithHint("0 turns it off")
	case o.Ageing < 0 || o.Ageing > model.MaxDuration:
		return nil, model.Errorf(model.CodeInvalid, "ageing of %s a step is out of range", o.Ageing)
	}
	return q, nil
}

// Ageing returns the order that the queue keeps.
func (v *view) Ageing() directive.Ageing { return v.ageing }

func checkLease(d time.Duration) error {
	if d < time.Microsecond || d > MaxLease {
		return model.Errorf(model.CodeInvalid, "a lease of %s is out of range", d).
			WithHint("leases last from one second to 30 days, e.g. 45m")
	}
	return nil
}

// laneOr returns the lane, or the default one for "".
func laneOr(lane string) (string, error) {
	if lane == "" {
		return directive.DefaultLane, nil
	}
	return lane, directive.CheckLane(lane)
}

// nobody is the refusal for an id that no directive has.
func nobody(id int64) error {
	return model.Errorf(model.CodeNotFound, "no item #%d", id)
}

// find reads a directive, with the refusal that people know.
func find(r store.Reader, id int64) (directive.Directive, error) {
	d, err := readOne(r, id)
	if err != nil && model.CodeOf(err) == model.CodeNotFound {
		err = nobody(id)
	}
	return d, err
}
