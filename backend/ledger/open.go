package ledger

import (
	"cmp"
	"slices"

	"binnacle/backend/store"
	"binnacle/model"
)

// OpenSignals reads the signals that are pending or claimed, the longest in its
// state first, at most limit. It is for snapshots, which read everything in one
// transaction.
func OpenSignals(r store.Reader, limit int) ([]model.Signal, error) {
	var out []model.Signal
	// One query a state: each runs along the index and stops at the limit,
	// however many signals there are.
	for _, state := range []string{model.SignalPending, model.SignalClaimed} {
		found, err := Signals.Select(r, `WHERE state = $1 ORDER BY since LIMIT $2`, state, limit)
		if err != nil {
			return nil, err
		}
		out = append(out, found...)
	}
	slices.SortFunc(out, func(a, b model.Signal) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Key, b.Key))
	})
	return out[:min(len(out), limit)], nil
}
