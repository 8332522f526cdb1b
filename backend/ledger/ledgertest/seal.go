package ledgertest

import (
	"context"

	"binnacle/backend/store"
	"binnacle/backend/store/segment"
	"binnacle/model"
)

// Seal seals the next events away, up to the event upTo, as one segment, and
// takes their rows away.
func (f *Fixture) Seal(upTo int64) {
	f.t.Helper()
	ctx := context.Background()
	var events []model.Event
	err := f.Store().Read(ctx, func(r store.Reader) error {
		oldest, err := r.Oldest()
		if err == nil {
			events, err = r.Events(oldest-1, int(upTo-oldest+1))
		}
		return err
	})
	if err != nil {
		f.t.Fatal(err)
	}
	a := f.Store().(store.Archiver)
	release, err := a.Own()
	if err != nil {
		f.t.Fatal(err)
	}
	defer release()
	seg, file, err := segment.Pack(events)
	if err == nil {
		err = a.Keep(seg, file)
	}
	if err == nil {
		err = f.Store().Write(ctx, func(tx store.Tx) error {
			if err := tx.Seal(seg); err != nil {
				return err
			}
			_, err := tx.Shed(len(events))
			return err
		})
	}
	if err != nil {
		f.t.Fatal(err)
	}
}
