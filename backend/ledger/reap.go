package ledger

import (
	"context"

	"binnacle/backend/lease"
	"binnacle/backend/store"
)

// ReapOptions bound one Reap.
type ReapOptions struct {
	Limit int // records in one transaction; 0 is 200
}

// Reaped says what a Reap wrote down.
type Reaped struct {
	Signals int  `json:"signals"`
	Work    int  `json:"work"`
	More    bool `json:"more"` // the limit was reached: call again
}

// Reap writes down the expiry of signals whose time has run out and of work
// whose lease has. It looks first in a read, so that it writes nothing when
// nothing is due; each record is checked again inside the write, so that a
// heartbeat in between wins.
func (l *Ledger) Reap(ctx context.Context, o ReapOptions) (Reaped, error) {
	if o.Limit <= 0 {
		o.Limit = 200
	}
	var signals, work []string
	now := l.clock()
	err := l.store.Read(ctx, func(r store.Reader) error {
		var err error
		signals, err = store.SelectColumn[string](r, `SELECT key FROM (
			SELECT key, expires FROM signals WHERE state = 'pending' AND expires IS NOT NULL AND expires <= $1
			UNION ALL
			SELECT key, expires FROM signals WHERE state = 'claimed' AND expires IS NOT NULL AND expires <= $1
		) AS due ORDER BY expires, key LIMIT $2`, int64(now.Wall), o.Limit)
		if err != nil {
			return err
		}
		work, err = store.SelectColumn[string](r, claims.Lapsed, append(lease.Clocks(now), o.Limit)...)
		return err
	})
	if err != nil || len(signals)+len(work) == 0 {
		return Reaped{}, err
	}
	var done Reaped
	err = l.store.Write(ctx, func(tx store.Tx) error {
		done = Reaped{More: len(signals) == o.Limit || len(work) == o.Limit}
		now := tx.Clocks()
		for _, key := range signals {
			s, err := Signals.Get(tx, key)
			if err != nil {
				return err
			}
			if s.Due(now.Wall) {
				if _, _, err := l.expireSignal(tx, s); err != nil {
					return err
				}
				done.Signals++
			}
		}
		for _, key := range work {
			w, err := Work.Get(tx, key)
			if err != nil {
				return err
			}
			if w.Lapsed(now) {
				if _, err := l.expireWork(tx, w); err != nil {
					return err
				}
				done.Work++
			}
		}
		return nil
	})
	if err != nil {
		return Reaped{}, err
	}
	return done, nil
}
