package queue

import (
	"cmp"
	"time"

	"binnacle/backend/lease"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/directive"
)

// claims are the directives that somebody has taken.
var claims = lease.Of("directives", "id", "status = 'taken'")

// sqlStale: what was taken long ago, by the same clocks as leases; $2 and $3 are
// that instant.
const sqlStale = `SELECT id FROM directives WHERE status = 'taken' AND CASE WHEN lease_boot = $1 AND taken_awake > 0` +
	` THEN taken_awake <= $2 ELSE taken_at <= $3 END ORDER BY priority, id LIMIT $4`

// ago is the reading of d before, for spans that are counted back.
func ago(now model.Reading, d time.Duration) model.Reading {
	now.Awake, now.Wall = now.Awake-d, now.Wall.Add(-d)
	return now
}

// lapsedIDs lists at most limit claims whose leases have run out.
func lapsedIDs(r store.Reader, now model.Reading, limit int) ([]int64, error) {
	return idsOf(r, claims.Lapsed, append(lease.Clocks(now), limit)...)
}

// nextTaken reads the taken directives, the next to lapse first, at most limit.
// Those without a lease come last.
func nextTaken(r store.Reader, now model.Reading, limit int) ([]directive.Directive, error) {
	read := func(rest string, args ...any) ([]directive.Directive, error) { return directives(r, rest, args...) }
	return lease.Next(claims, now, limit, read, func(a, b directive.Directive) int {
		x, y := a.Term(), b.Term()
		if none := x.Until == 0; none != (y.Until == 0) {
			if none {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(x.Left(now), y.Left(now)), cmp.Compare(a.ID, b.ID))
	})
}
