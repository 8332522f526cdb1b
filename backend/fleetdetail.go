package backend

import (
	"context"

	"binnacle/backend/fleet"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/model/fleetmap"
	"binnacle/model/session"
)

// fleetDetail reads the fleet map, and a row of it by its key (fleetmap.KeyOf) or
// a machine by its name, with the session's facts where the ledger has them.
func (b *Backend) fleetDetail(ctx context.Context, key string) (desk.Detail, error) {
	var d desk.Detail
	var rows fleet.Rows
	err := b.Store.Read(ctx, func(r store.Reader) error {
		var err error
		rows, err = b.fleetRows(r)
		return err
	})
	if err != nil {
		return d, err
	}
	v := b.fleetView(ctx, rows, b.clock())
	if v == nil {
		return d, model.Errorf(model.CodeNotFound, "there is no fleet here")
	}
	if d.Fleet = v; key == "" {
		return d, nil
	}
	for i := range v.Map.Sessions {
		s := &v.Map.Sessions[i]
		if s.LiveRow == nil || fleetmap.KeyOf(*s) != key {
			continue
		}
		d.Session = s
		if s.Session == "" {
			return d, nil
		}
		events, _, err := b.Ledger.History(ctx, model.KindCoord, session.Key(s.Agent, s.Session), desk.MaxHistory)
		d.History = events
		return d, err
	}
	for i := range v.Map.Machines {
		if v.Map.Machines[i].Machine == key {
			d.Machine = &v.Map.Machines[i]
			return d, nil
		}
	}
	return d, model.Errorf(model.CodeNotFound, "%s is not in the fleet map any more", clean.Line(key))
}
