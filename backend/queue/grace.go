package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"binnacle/backend/store"
	"binnacle/model"
)

// A machine that slept wakes to leases that ran out while nobody could renew
// them. Whoever holds the duties notices (SuspendWatch) and declares a grace:
// leases that ran out from the sleep's begin on run on until the grace ends.
// It stands in the database, so that it holds in every process, and every
// check of a lease goes through leaseOver.

const (
	graceName   = "queue.grace"
	sqlGrace    = `SELECT value FROM meta WHERE name = $1`
	sqlSetGrace = `INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
)

// grace is a span in which leases do not end.
type grace struct {
	from, until model.Time
}

// covers says whether a lease that ended at end counts as running at now.
func (g grace) covers(end, now model.Time) bool { return end >= g.from && now < g.until }

// DeclareGrace says that the machine slept from an instant on: leases that ran
// out since then run on until the other instant, usually one heartbeat from
// now. A grace longer than an hour is refused.
func (q *Queue) DeclareGrace(ctx context.Context, from, until model.Time) error {
	return q.store.Write(ctx, func(tx store.Tx) error {
		if from > tx.Now() || until > tx.Now().Add(time.Hour) {
			return model.Errorf(model.CodeInvalid, "a grace begins in the past and ends within an hour")
		}
		_, err := tx.Exec(sqlSetGrace, graceName, fmt.Sprintf("%d %d", from, until))
		return failed("declare a grace", err)
	})
}

func readGrace(r store.Reader) (grace, error) {
	var text string
	err := r.QueryRow(sqlGrace, graceName).Scan(&text)
	if errors.Is(err, sql.ErrNoRows) {
		return grace{}, nil
	}
	if err != nil {
		return grace{}, failed("read the grace", err)
	}
	var g grace
	if _, err := fmt.Sscanf(text, "%d %d", &g.from, &g.until); err != nil {
		return grace{}, nil // not ours: no grace
	}
	return g, nil
}

// leaseOver says whether the claim's lease has run out at the transaction's
// instant. The grace is looked up only then, which is rare.
func (q *Queue) leaseOver(tx store.Tx, d model.Directive) (bool, error) {
	if !d.Lapsed(tx.Now()) {
		return false, nil
	}
	g, err := readGrace(tx)
	return !g.covers(d.LeaseUntil, tx.Now()), err
}

// SuspendWatch notices that the machine slept: the wall clock went on while the
// monotonic one stood still. A wall clock set forward looks the same, and
// deserves the same grace. The zero value is ready.
type SuspendWatch struct {
	wall model.Time
	mono time.Duration
	on   bool
}

// suspendedAfter is the least sleep that counts.
const suspendedAfter = 2 * time.Second

// Tick is told both clocks, every second or so. When the machine slept since
// the last tick it returns that tick's instant and how long the sleep was.
func (w *SuspendWatch) Tick(wall model.Time, mono time.Duration) (from model.Time, slept time.Duration) {
	if w.on {
		if d := wall.Sub(w.wall) - (mono - w.mono); d >= suspendedAfter {
			from, slept = w.wall, d
		}
	}
	w.wall, w.mono, w.on = wall, mono, true
	return from, slept
}
