package ledger

import (
	"binnacle/backend/store"
	"binnacle/model"
)

// NextDue is the earliest instant at which an open signal's time or a claimed
// work record's lease runs out, whether it has passed or not; 0 for none.
func NextDue(r store.Reader) (model.Time, error) {
	var next model.Time
	for _, query := range []string{
		`SELECT coalesce(min(expires), 0) FROM signals WHERE state = 'pending' AND expires IS NOT NULL`,
		`SELECT coalesce(min(expires), 0) FROM signals WHERE state = 'claimed' AND expires IS NOT NULL`,
		`SELECT coalesce(min(lease_until), 0) FROM work_items WHERE state = 'claimed'`,
	} {
		var t model.Time
		if err := r.QueryRow(query).Scan(&t); err != nil {
			return 0, err
		}
		if t != 0 && (next == 0 || t < next) {
			next = t
		}
	}
	return next, nil
}
