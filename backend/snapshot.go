package backend

import (
	"context"

	"binnacle/backend/fleet"
	"binnacle/backend/ledger"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/desk"
)

// Snapshot reads one instant of the workspace: everything in it at one sequence
// number. Its cost does not depend on how many events or directives there are.
func (b *Backend) Snapshot(ctx context.Context) (desk.Snapshot, error) {
	var s desk.Snapshot
	var rows fleet.Rows
	var landed []model.Event
	err := b.Store.Read(ctx, func(r store.Reader) error {
		now := b.clock()
		s = desk.Snapshot{At: now.Wall, Clocks: now}
		var err error
		if s.Epoch, err = store.EpochOf(r); err != nil {
			return err
		}
		if s.Head, err = r.Head(); err != nil {
			return err
		}
		if s.Counts, err = r.Counts(); err != nil {
			return err
		}
		if s.Signals, err = ledger.OpenSignals(r, desk.MaxSignals); err != nil {
			return err
		}
		if s.Work, err = ledger.ClaimedWork(r, now, desk.MaxWork); err != nil {
			return err
		}
		if rows, err = b.fleetRows(r); err != nil {
			return err
		}
		if b.fleet.engine != nil {
			if landed, err = landings(r); err != nil {
				return err
			}
		}
		if s.Health, err = behind(r, s.Head, now.Wall); err != nil {
			return err
		}
		if s.Retention, err = b.aged.Read(r, now.Wall); err != nil {
			return err
		}
		s.Health = append(s.Health, late(s.Retention)...)
		front, err := b.Queue.Front(r, s.Counts)
		s.Lanes, s.Taken, s.Parked = front.Lanes, front.Taken, front.Parked
		return err
	})
	if err != nil {
		return desk.Snapshot{}, err
	}
	// What the fleet's map needs besides these rows is in files, some of which git
	// reads: outside of the read, which would hold up checkpoints.
	if s.Fleet = b.fleetView(ctx, rows, s.Clocks); s.Fleet != nil {
		s.Fleet.Landings = landed
	}
	s.Needs = desk.NeedsOf(s, s.Clocks, b.opt.Producer)
	if n := len(s.Needs) - desk.MaxNeeds; n > 0 {
		s.Needs, s.MoreNeeds = s.Needs[:desk.MaxNeeds], n
	}
	s.Health = append(s.Health, b.alarms()...)
	s.Duties = b.duties()
	s.Verified = b.verified()
	return s, nil
}
