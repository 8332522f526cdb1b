package queue

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"binnacle/backend/lease"
	"binnacle/backend/ledger"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/directive"
)

// settleBatch bounds what one write brings about beside its own work.
const settleBatch = 100

// settleEvery spaces the settlings of one process: in a storm of writes only
// one a millisecond looks for what is due, for most find nothing. Whoever finds
// a lane empty looks in any case, and tokens are checked against the lease
// itself, always.
const settleEvery = 1_000 // microseconds

const (
	// A deferral is due when its time has come and nothing open is in its way. A
	// blocker that does not exist stays in the way.
	sqlUnblocked = ` AND NOT EXISTS (SELECT 1 FROM directive_blocks b LEFT JOIN directives x ON x.id = b.blocked_by` +
		` WHERE b.id = d.id AND coalesce(x.status, '') NOT IN ('done', 'dropped'))`
	sqlDue = `SELECT d.id FROM directives d WHERE d.status = 'deferred' AND d.not_before <= $1` + sqlUnblocked +
		` ORDER BY d.not_before, d.id LIMIT $2`
	sqlDueAlways = `SELECT d.id FROM directives d WHERE d.status = 'deferred' AND d.not_before IS NULL` + sqlUnblocked +
		` ORDER BY d.id LIMIT $1`
)

// settle brings about what is due at the transaction's instant, bounded: leases
// that ran out, and deferrals whose time has come. The blockers' ends promote
// their dependants by themselves.
func (q *Queue) settle(tx store.Tx) error {
	now := beat(tx.Clocks())
	last := q.settled.Load()
	if last <= now && now < last+settleEvery {
		return nil
	}
	if _, err := q.reapLapsed(tx, settleBatch); err != nil {
		return err
	}
	if _, err := q.promoteDue(tx, settleBatch); err != nil {
		return err
	}
	q.settled.Store(now)
	return nil
}

// beat is what spaces settlings: the time awake where it can be told.
func beat(now model.Reading) int64 {
	if now.Boot != "" {
		return now.Awake.Microseconds()
	}
	return int64(now.Wall)
}

// settleAll is settle without its shortcuts, for a lane that seems empty. It
// also promotes what a process that died between two batches left behind.
func (q *Queue) settleAll(tx store.Tx) error {
	if _, err := q.reapLapsed(tx, settleBatch); err != nil {
		return err
	}
	if _, err := q.promoteDue(tx, settleBatch); err != nil {
		return err
	}
	_, err := q.promoteLeft(tx, settleBatch)
	return err
}

// StaleAll as the age of a stale claim is: every claim, however young.
const StaleAll = time.Nanosecond

// Reap asks for a round of reaping.
type Reap struct {
	// Stale not 0: claims older than this are taken back whatever their leases
	// say (laneq's --stale-seconds), and nothing else is done.
	Stale time.Duration
}

// Reclaimed is one claim that was taken back.
type Reclaimed struct {
	ID         int64      `json:"id"`
	Lane       string     `json:"lane"`
	TakenBy    string     `json:"taken_by"`
	TakenAt    model.Time `json:"taken_at"`
	LeaseUntil model.Time `json:"lease_until,omitempty"`
	Parked     bool       `json:"parked,omitempty"` // it lapsed too often
	// Undelivered: its process died before the claim's answer was out, so the
	// attempt does not count.
	Undelivered bool `json:"undelivered,omitempty"`
}

// Reaped is what a round did.
type Reaped struct {
	Reclaimed []Reclaimed `json:"reclaimed"`
	Promoted  []int64     `json:"promoted"`
}

// Reap takes back every claim whose lease ran out and promotes every deferral
// that is due, some hundreds a transaction, so that other writes get their
// turn. Each is checked in the transaction that changes it: a claim that its
// holder ended or extended meanwhile is left alone. Claims whose answer never
// came out are given back first, whatever is asked for.
func (q *Queue) Reap(ctx context.Context, r Reap) (Reaped, error) {
	var all Reaped
	if r.Stale < 0 {
		return all, model.Errorf(model.CodeInvalid, "the age of a stale claim is negative")
	}
	lost, err := q.Undelivered(ctx)
	if err != nil {
		return all, err
	}
	all.Reclaimed = lost
	for {
		var one Reaped
		err := q.store.Write(ctx, func(tx store.Tx) (err error) {
			one = Reaped{}
			if r.Stale > 0 {
				one.Reclaimed, err = q.reapStale(tx, r.Stale, settleBatch)
				return err
			}
			if one.Reclaimed, err = q.reapLapsed(tx, settleBatch); err != nil {
				return err
			}
			if one.Promoted, err = q.promoteDue(tx, settleBatch); err != nil {
				return err
			}
			left, err := q.promoteLeft(tx, settleBatch)
			one.Promoted = append(one.Promoted, left...)
			return err
		})
		if err != nil {
			return all, err
		}
		all.Reclaimed = append(all.Reclaimed, one.Reclaimed...)
		all.Promoted = append(all.Promoted, one.Promoted...)
		if len(one.Reclaimed) < settleBatch && len(one.Promoted) < settleBatch {
			return all, nil
		}
	}
}

// reapLapsed takes back at most limit claims whose leases ran out.
func (q *Queue) reapLapsed(tx store.Tx, limit int) ([]Reclaimed, error) {
	ids, err := lapsedIDs(tx, tx.Clocks(), limit)
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	var out []Reclaimed
	for _, id := range ids {
		d, err := readOne(tx, id)
		if err != nil {
			return nil, err
		}
		if !d.Lapsed(tx.Clocks()) {
			continue
		}
		r, err := q.takeBack(tx, d, "the lease of "+holder(d)+" ran out")
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

// reapStale takes back at most limit claims that are older than age.
func (q *Queue) reapStale(tx store.Tx, age time.Duration, limit int) ([]Reclaimed, error) {
	ids, err := idsOf(tx, sqlStale, append(lease.Clocks(ago(tx.Clocks(), age)), limit)...)
	if err != nil {
		return nil, err
	}
	var out []Reclaimed
	for _, id := range ids {
		d, err := readOne(tx, id)
		if err != nil {
			return nil, err
		}
		if d.Status != directive.StatusTaken {
			continue
		}
		seconds := int64(d.Held(tx.Clocks()) / time.Second)
		r, err := q.takeBack(tx, d, fmt.Sprintf("%s held it for %d seconds", holder(d), seconds))
		if err != nil {
			return nil, err
		}
		out = append(out, r)
	}
	return out, nil
}

func holder(d directive.Directive) string {
	if d.TakenBy == "" {
		return "nobody"
	}
	return d.TakenBy
}

// takeBack ends the claim of d because its holder was not heard of in time: it
// is pending again, or parked when that happened too often, which asks for an
// operator.
func (q *Queue) takeBack(tx store.Tx, d directive.Directive, why string) (Reclaimed, error) {
	r := Reclaimed{ID: d.ID, Lane: d.Lane, TakenBy: d.TakenBy, TakenAt: d.TakenAt, LeaseUntil: d.LeaseUntil}
	if !q.poisoned(d) {
		_, err := q.write(tx, d, directive.StatusPending, &directive.Payload{Action: "lapse", By: model.Self, Why: why}, 0)
		return r, err
	}
	r.Parked = true
	why = fmt.Sprintf("%s, its %s lapse", why, ordinal(d.Lapses+1))
	c, err := q.write(tx, d, directive.StatusParked, &directive.Payload{Action: "poison", By: model.Self, Why: why}, 0)
	if err != nil {
		return r, err
	}
	return r, q.askOperator(tx, c)
}

// poisoned says whether one more lapse is one too many.
func (v *view) poisoned(d directive.Directive) bool {
	return v.maxAttempts > 0 && d.Lapses+1 >= v.maxAttempts
}

// askOperator raises a signal about a parked directive, unless one about it is
// open still.
func (q *Queue) askOperator(tx store.Tx, c Change) error {
	key := "poison/" + directive.Key(c.After.ID)
	s, err := ledger.Signals.Get(tx, key)
	switch {
	case err == nil && (s.State == model.SignalPending || s.State == model.SignalClaimed):
		return nil
	case err == nil:
		key += "/" + strconv.FormatInt(c.Seq, 10)
	case model.CodeOf(err) != model.CodeNotFound:
		return err
	}
	draft := model.Draft{
		Topic: c.After.Topic(), Producer: model.Self, Kind: model.KindSignal, Key: key, State: model.SignalPending,
		Causation: c.Seq,
	}
	draft.Payload, err = signalPayload(fmt.Sprintf("directive #%d is parked: %s", c.After.ID, c.After.Reason))
	if err != nil {
		return err
	}
	if err := draft.Check(); err != nil {
		return err
	}
	_, err = tx.Append(draft)
	return err
}

func ordinal(n int64) string {
	suffix := "th"
	switch {
	case n%100 >= 11 && n%100 <= 13:
	case n%10 == 1:
		suffix = "st"
	case n%10 == 2:
		suffix = "nd"
	case n%10 == 3:
		suffix = "rd"
	}
	return strconv.FormatInt(n, 10) + suffix
}
