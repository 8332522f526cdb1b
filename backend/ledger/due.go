package ledger

import (
	"cmp"
	"time"

	"binnacle/backend/lease"
	"binnacle/backend/store"
	"binnacle/model"
)

// claims are the work records that somebody has claimed.
var claims = lease.Of("work_items", "key", "state = 'claimed'")

const sqlExpires = `SELECT min(expires) - $1 FROM signals WHERE state = 'pending' AND expires IS NOT NULL` +
	` UNION ALL SELECT min(expires) - $1 FROM signals WHERE state = 'claimed' AND expires IS NOT NULL`

// NextDue is how long it is until an open signal's time or a claimed work
// record's lease runs out, each by its own clock; 0 or less when one has
// already, and none when none will.
func NextDue(r store.Reader, now model.Reading) (left time.Duration, none bool, err error) {
	left, none, err = lease.First(r, claims.Left, lease.Clocks(now)...)
	if err != nil {
		return 0, true, err
	}
	d, nothing, err := lease.First(r, sqlExpires, int64(now.Wall))
	if !nothing && (none || d < left) {
		left, none = d, false
	}
	return left, none, err
}

// ClaimedWork reads the claimed work records, the next to lapse first, at most
// limit.
func ClaimedWork(r store.Reader, now model.Reading, limit int) ([]model.Work, error) {
	read := func(rest string, args ...any) ([]model.Work, error) { return Work.Select(r, rest, args...) }
	return lease.Next(claims, now, limit, read, func(a, b model.Work) int {
		return cmp.Or(cmp.Compare(a.Term().Left(now), b.Term().Left(now)), cmp.Compare(a.Key, b.Key))
	})
}
