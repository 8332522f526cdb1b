package queue

import (
	"time"

	"binnacle/backend/lease"
	"binnacle/backend/store"
	"binnacle/model"
)

const sqlFirstDeferral = `SELECT coalesce(min(not_before), 0) FROM directives WHERE status = 'deferred' AND not_before IS NOT NULL
	AND NOT EXISTS (SELECT 1 FROM directive_blocks b JOIN directives d ON d.id = b.blocked_by
		WHERE b.id = directives.id AND d.status NOT IN ('done', 'dropped'))`

// NextDue is how long it is until a lease runs out or a deferral's time comes,
// each by its own clock; 0 or less when something is due already, and none when
// nothing will be. A directive that only waits for others is due when they end,
// which their own writes see to.
func NextDue(r store.Reader, now model.Reading) (left time.Duration, none bool, err error) {
	if left, none, err = lease.First(r, claims.Left, lease.Clocks(now)...); err != nil {
		return 0, true, err
	}
	var at model.Time
	if err := r.QueryRow(sqlFirstDeferral).Scan(&at); err != nil {
		return 0, true, store.Explain("look for what is due", err)
	}
	if d := at.Sub(now.Wall); at != 0 && (none || d < left) {
		left, none = d, false
	}
	return left, none, nil
}
