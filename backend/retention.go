package backend

import (
	"context"
	"time"

	"binnacle/backend/ledger/archive"
	"binnacle/backend/store"
	"binnacle/backend/wake"
	"binnacle/model"
	"binnacle/model/desk"
)

// retentionLoop seals events away that are older than keep, until ctx ends.
func (b *Backend) retentionLoop(ctx context.Context, keep time.Duration) {
	rest := time.Duration(0)
	for wake.Sleep(ctx, rest) {
		rep, err := archive.Sweep(ctx, b.Store, b.clock, archive.Options{Keep: keep, Budget: archive.Budget})
		if err == nil {
			rest, err = archive.Rest(ctx, b.Store, b.clock().Wall, keep)
			if rep.Sealed+rep.Shed > 0 {
				rest = max(rest, archive.Every)
			}
		}
		switch {
		case ctx.Err() != nil:
		case err != nil:
			b.raise("retention", err.Error())
			rest = archive.Every
		default:
			b.settle("retention")
		}
	}
}

// late is the alarm of retention that is behind, or none.
func late(r desk.Retention) []desk.Alarm {
	if r.Lag == 0 {
		return nil
	}
	return []desk.Alarm{{
		Engine: "retention",
		Text: "events older than " + model.Age(time.Duration(r.Keep)*time.Second) + " are to be sealed away, and that is " +
			model.Age(time.Duration(r.Lag)*time.Second) + " behind",
	}}
}

// Retention reads for how long events are kept and how that goes, and the alarm
// that it is behind.
func (b *Backend) Retention(ctx context.Context) (kept desk.Retention, alarms []string, err error) {
	err = b.Store.Read(ctx, func(r store.Reader) error {
		kept, err = b.aged.Read(r, b.clock().Wall)
		return err
	})
	for _, a := range late(kept) {
		alarms = append(alarms, a.Text)
	}
	return kept, alarms, err
}
