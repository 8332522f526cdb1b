package queue

import (
	"binnacle/backend/store"
	"binnacle/model"
)

// NextDue is the earliest instant at which a lease runs out or a deferral's
// time comes, whether it has passed or not; 0 for none. A directive that only
// waits for others is due when they end, which their own writes see to.
func NextDue(r store.Reader) (model.Time, error) {
	var next model.Time
	for _, query := range []string{
		`SELECT coalesce(min(lease_until), 0) FROM directives WHERE status = 'taken'`,
		`SELECT coalesce(min(not_before), 0) FROM directives WHERE status = 'deferred' AND not_before IS NOT NULL
			AND NOT EXISTS (SELECT 1 FROM directive_blocks b JOIN directives d ON d.id = b.blocked_by
				WHERE b.id = directives.id AND d.status NOT IN ('done', 'dropped'))`,
	} {
		var t model.Time
		if err := r.QueryRow(query).Scan(&t); err != nil {
			return 0, failed("look for what is due", err)
		}
		if t != 0 && (next == 0 || t < next) {
			next = t
		}
	}
	return next, nil
}
