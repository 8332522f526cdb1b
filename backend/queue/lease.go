package queue

import (
	"cmp"
	"database/sql"
	"slices"
	"time"

	"binnacle/backend/store"
	"binnacle/model"
)

// A claim ends by the clock that measures it (model.Lease): on this boot that is
// the time awake, elsewhere the wall clock. So every question about what ends
// first or has ended is asked of four kinds of claims, each along the index
// directives_taken: those of this boot, those that know no boot, and those of
// other boots, which stand before and behind this one. The last two are walked
// over, for they are few: they end within one lease of a restart.

const (
	ofBoot   = ` status = 'taken' AND lease_boot = $1`
	ofNone   = ` status = 'taken' AND lease_boot IS NULL AND lease_awake IS NULL`
	ofBefore = ` status = 'taken' AND lease_boot < $1`
	ofBehind = ` status = 'taken' AND lease_boot > $1`

	sqlOfBoot   = ` FROM directives WHERE` + ofBoot
	sqlOfNone   = ` FROM directives WHERE` + ofNone
	sqlOfBefore = ` FROM directives WHERE` + ofBefore
	sqlOfBehind = ` FROM directives WHERE` + ofBehind

	// $1 the boot, $2 its time awake, $3 the wall clock: see clocks.
	sqlLapsed = `SELECT id` + sqlOfBoot + ` AND lease_awake <= $2` +
		` UNION ALL SELECT id` + sqlOfNone + ` AND lease_until <= $3` +
		` UNION ALL SELECT id` + sqlOfBefore + ` AND lease_until <= $3` +
		` UNION ALL SELECT id` + sqlOfBehind + ` AND lease_until <= $3 LIMIT $4`

	// How long it is, in microseconds, until the first lease of each kind ends.
	sqlLeft = `SELECT min(lease_awake) - $2` + sqlOfBoot +
		` UNION ALL SELECT min(lease_until) - $3` + sqlOfNone +
		` UNION ALL SELECT min(lease_until) - $3` + sqlOfBefore +
		` UNION ALL SELECT min(lease_until) - $3` + sqlOfBehind

	// The same for leases that have not ended yet.
	sqlLeftNext = `SELECT min(lease_awake) - $2` + sqlOfBoot + ` AND lease_awake > $2` +
		` UNION ALL SELECT min(lease_until) - $3` + sqlOfNone + ` AND lease_until > $3` +
		` UNION ALL SELECT min(lease_until) - $3` + sqlOfBefore + ` AND lease_until > $3` +
		` UNION ALL SELECT min(lease_until) - $3` + sqlOfBehind + ` AND lease_until > $3`

	// What was taken long ago, by the same clocks; $2 and $3 are that instant.
	sqlStale = `SELECT id FROM directives WHERE status = 'taken' AND CASE WHEN lease_boot = $1 AND taken_awake > 0` +
		` THEN taken_awake <= $2 ELSE taken_at <= $3 END ORDER BY priority, id LIMIT $4`

	restTakenHere   = `WHERE` + ofBoot + ` ORDER BY lease_awake, lease_until, id LIMIT $2`
	restTakenNone   = `WHERE` + ofNone + ` ORDER BY lease_until, id LIMIT $1`
	restTakenBefore = `WHERE` + ofBefore + ` ORDER BY lease_until, id LIMIT $2`
	restTakenBehind = `WHERE` + ofBehind + ` ORDER BY lease_until, id LIMIT $2`
)

// clocks are the first three arguments of the queries about leases.
func clocks(now model.Reading) []any {
	return []any{now.Boot, now.Awake.Microseconds(), int64(now.Wall)}
}

// ago is the reading of d before, for spans that are counted back.
func ago(now model.Reading, d time.Duration) model.Reading {
	now.Awake, now.Wall = now.Awake-d, now.Wall.Add(-d)
	return now
}

// lapsedIDs lists at most limit claims whose leases have run out.
func lapsedIDs(r store.Reader, now model.Reading, limit int) ([]int64, error) {
	return idsOf(r, sqlLapsed, append(clocks(now), limit)...)
}

// firstEnd is how long it is until the first lease ends, by sqlLeft or
// sqlLeftNext; none says that no lease is there.
func firstEnd(r store.Reader, query string, now model.Reading) (left time.Duration, none bool, err error) {
	none = true
	err = each(r, func(rows *sql.Rows) error {
		var n sql.NullInt64
		if err := rows.Scan(&n); err != nil || !n.Valid {
			return err
		}
		if d := time.Duration(n.Int64) * time.Microsecond; none || d < left {
			left, none = d, false
		}
		return nil
	}, query, clocks(now)...)
	return left, none, err
}

// nextTaken reads the taken directives, the next to lapse first, at most limit.
// Those without a lease come last.
func nextTaken(r store.Reader, now model.Reading, limit int) (out []model.Directive, err error) {
	for _, q := range []struct {
		text string
		args []any
	}{
		{restTakenHere, []any{now.Boot, limit}},
		{restTakenNone, []any{limit}},
		{restTakenBefore, []any{now.Boot, limit}},
		{restTakenBehind, []any{now.Boot, limit}},
	} {
		found, err := directives(r, q.text, q.args...)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	slices.SortFunc(out, func(a, b model.Directive) int {
		x, y := a.Term(), b.Term()
		if none := x.Until == 0; none != (y.Until == 0) {
			if none {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(x.Left(now), y.Left(now)), cmp.Compare(a.ID, b.ID))
	})
	return out[:min(len(out), limit)], nil
}
