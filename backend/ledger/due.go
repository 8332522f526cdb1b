package ledger

import (
	"cmp"
	"database/sql"
	"slices"
	"time"

	"binnacle/backend/store"
	"binnacle/model"
)

// Work ends by the clock that measures its lease (model.Lease), as the queue's
// claims do: on this boot by the time awake, elsewhere by the wall clock. So
// what is due is asked of four kinds of records, each along the index
// work_items_lease: those of this boot, those that know no boot, and those of
// other boots, which are few and are walked over. $1 is the boot, $2 its time
// awake in microseconds, $3 the wall clock: see clocks.
const (
	ofBoot   = ` state = 'claimed' AND lease_boot = $1`
	ofNone   = ` state = 'claimed' AND lease_boot IS NULL AND lease_awake IS NULL`
	ofBefore = ` state = 'claimed' AND lease_boot < $1`
	ofBehind = ` state = 'claimed' AND lease_boot > $1`

	sqlOfBoot   = ` FROM work_items WHERE` + ofBoot
	sqlOfNone   = ` FROM work_items WHERE` + ofNone
	sqlOfBefore = ` FROM work_items WHERE` + ofBefore
	sqlOfBehind = ` FROM work_items WHERE` + ofBehind

	sqlLapsed = `SELECT key` + sqlOfBoot + ` AND lease_awake <= $2` +
		` UNION ALL SELECT key` + sqlOfNone + ` AND lease_until <= $3` +
		` UNION ALL SELECT key` + sqlOfBefore + ` AND lease_until <= $3` +
		` UNION ALL SELECT key` + sqlOfBehind + ` AND lease_until <= $3 LIMIT $4`

	// In microseconds, until the first of each kind ends.
	sqlLeft = `SELECT min(lease_awake) - $2` + sqlOfBoot +
		` UNION ALL SELECT min(lease_until) - $3` + sqlOfNone +
		` UNION ALL SELECT min(lease_until) - $3` + sqlOfBefore +
		` UNION ALL SELECT min(lease_until) - $3` + sqlOfBehind

	sqlExpires = `SELECT min(expires) - $1 FROM signals WHERE state = 'pending' AND expires IS NOT NULL` +
		` UNION ALL SELECT min(expires) - $1 FROM signals WHERE state = 'claimed' AND expires IS NOT NULL`

	restClaimedHere   = `WHERE` + ofBoot + ` ORDER BY lease_awake, lease_until LIMIT $2`
	restClaimedNone   = `WHERE` + ofNone + ` ORDER BY lease_until LIMIT $1`
	restClaimedBefore = `WHERE` + ofBefore + ` ORDER BY lease_until LIMIT $2`
	restClaimedBehind = `WHERE` + ofBehind + ` ORDER BY lease_until LIMIT $2`
)

func clocks(now model.Reading) []any {
	return []any{now.Boot, now.Awake.Microseconds(), int64(now.Wall)}
}

// NextDue is how long it is until an open signal's time or a claimed work
// record's lease runs out, each by its own clock; 0 or less when one has
// already, and none when none will.
func NextDue(r store.Reader, now model.Reading) (left time.Duration, none bool, err error) {
	none = true
	for _, ask := range []struct {
		query string
		args  []any
	}{{sqlExpires, []any{int64(now.Wall)}}, {sqlLeft, clocks(now)}} {
		rows, err := r.Query(ask.query, ask.args...)
		if err != nil {
			return 0, true, err
		}
		for rows.Next() {
			var n sql.NullInt64
			if err := rows.Scan(&n); err != nil {
				_ = rows.Close()
				return 0, true, err
			}
			if d := time.Duration(n.Int64) * time.Microsecond; n.Valid && (none || d < left) {
				left, none = d, false
			}
		}
		_ = rows.Close()
		if err := rows.Err(); err != nil {
			return 0, true, err
		}
	}
	return left, none, nil
}

// ClaimedWork reads the claimed work records, the next to lapse first, at most
// limit.
func ClaimedWork(r store.Reader, now model.Reading, limit int) ([]model.Work, error) {
	var out []model.Work
	for _, q := range []struct {
		text string
		args []any
	}{
		{restClaimedHere, []any{now.Boot, limit}},
		{restClaimedNone, []any{limit}},
		{restClaimedBefore, []any{now.Boot, limit}},
		{restClaimedBehind, []any{now.Boot, limit}},
	} {
		found, err := Work.Select(r, q.text, q.args...)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	slices.SortFunc(out, func(a, b model.Work) int {
		return cmp.Or(cmp.Compare(a.Term().Left(now), b.Term().Left(now)), cmp.Compare(a.Key, b.Key))
	})
	return out[:min(len(out), limit)], nil
}
