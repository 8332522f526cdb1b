package backend

import (
	"context"

	"binnacle/backend/fleet"
	"binnacle/backend/store"
	"binnacle/model"
)

// FleetDetail reads a row of the fleet map by its key (model.FleetKey), or a
// machine by its name, with the session's facts where the ledger has them.
func (b *Backend) FleetDetail(ctx context.Context, key string) (model.Detail, error) {
	var d model.Detail
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
	d.Fleet = v
	for i := range v.Map.Sessions {
		s := &v.Map.Sessions[i]
		if s.LiveRow == nil || model.FleetKey(*s) != key {
			continue
		}
		d.Session = s
		if s.Session == "" {
			return d, nil
		}
		events, _, err := b.Ledger.History(ctx, model.KindCoord, model.SessionKey(s.Agent, s.Session), model.MaxHistory)
		d.History = events
		return d, err
	}
	for i := range v.Map.Machines {
		if v.Map.Machines[i].Machine == key {
			d.Machine = &v.Map.Machines[i]
			return d, nil
		}
	}
	return d, model.Errorf(model.CodeNotFound, "%s is not in the fleet map any more", model.Clean(key))
}
