package backend

import (
	"context"

	"binnacle/backend/ledger"
	"binnacle/backend/ledger/query"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/model/directive"
)

// Detail reads all that is shown of one event or record; see desk.Desk.
func (b *Backend) Detail(ctx context.Context, of desk.Ref) (desk.Detail, error) {
	switch {
	case of.Seq > 0:
		return b.eventDetail(ctx, of.Seq)
	case of.Kind == model.KindCoord:
		return b.fleetDetail(ctx, of.Key)
	}
	return b.recordDetail(ctx, of.Kind, of.Key)
}

// eventDetail reads an event with what stands around it: its record when it
// is about one, the record's history, its cause and its effects.
func (b *Backend) eventDetail(ctx context.Context, seq int64) (desk.Detail, error) {
	e, err := b.Ledger.Event(ctx, seq)
	if err != nil {
		return desk.Detail{}, err
	}
	d := desk.Detail{Event: &e}
	switch e.Kind {
	case model.KindSignal, model.KindWork, model.KindDirective:
		if d, err = b.recordDetail(ctx, e.Kind, e.Key); err != nil && model.CodeOf(err) != model.CodeNotFound {
			return desk.Detail{}, err
		}
		d.Event = &e
	}
	causes, err := b.Ledger.Causes(ctx, seq, 1)
	if err != nil {
		return desk.Detail{}, err
	}
	if len(causes) > 0 {
		d.Cause = &causes[0]
	}
	if d.Effects, err = b.Ledger.Effects(ctx, seq, desk.MaxHistory); err != nil {
		return desk.Detail{}, err
	}
	v := b.verified()
	d.Verified, d.Whole = v.Seq >= seq, v.Whole
	return d, nil
}

// recordDetail reads a signal, a work record or a directive with its history.
func (b *Backend) recordDetail(ctx context.Context, kind model.Kind, key string) (desk.Detail, error) {
	var d desk.Detail
	switch kind {
	case model.KindSignal:
		h, err := b.Ledger.ShowSignal(ctx, key, desk.MaxHistory)
		if err != nil {
			return d, err
		}
		d.Signal = &h.Record.Signal
		d.History, d.Older = older(h.Events, h.Record.Rev)
	case model.KindWork:
		h, err := b.Ledger.ShowWork(ctx, key, desk.MaxHistory)
		if err != nil {
			return d, err
		}
		d.Work = &h.Record.Work
		d.History, d.Older = older(h.Events, h.Record.Rev)
	case model.KindDirective:
		if err := b.directiveDetail(ctx, key, &d); err != nil {
			return d, err
		}
	default:
		return d, model.Errorf(model.CodeUsage, "there are no records of kind %s", clean.Line(string(kind)))
	}
	if n := len(d.History); n > 0 {
		d.Verified = b.verified().Seq >= d.History[n-1].Seq
	}
	return d, nil
}

func (b *Backend) directiveDetail(ctx context.Context, key string, d *desk.Detail) error {
	id, err := directive.ParseKey(key)
	if err != nil {
		return err
	}
	h, err := b.Queue.Show(ctx, id)
	if err != nil {
		return err
	}
	d.Directive, d.Thread = &h.Directive, h.Thread
	d.History, d.Older = older(h.History, h.Directive.Rev)
	why, err := b.Queue.Why(ctx, id)
	if err != nil {
		return err
	}
	d.Why = &why
	return nil
}

// older counts the events that a history leaves out, for it is bounded or they are
// sealed away: a record's revision is the number of its events.
func older(events []model.Event, rev int64) ([]model.Event, int64) {
	return events, max(0, rev-int64(len(events)))
}

// Follow opens the stream of matching events; see desk.Desk.
func (b *Backend) Follow(ctx context.Context, r desk.FollowRequest) (desk.Feed, error) {
	o := ledger.SubscribeOptions{Since: r.After, Outbox: r.Room}
	if !r.CatchUp {
		o.Lag = ledger.Skip
	}
	if !r.Filter.Empty() {
		o.Match = r.Filter.Match
	}
	sub, err := b.Ledger.Subscribe(ctx, o)
	if err != nil {
		return nil, err // and no feed: a nil *Subscription is not a nil desk.Feed
	}
	return sub, nil
}

// Page reads a page of the ledger for scrolling.
func (b *Backend) Page(ctx context.Context, r desk.PageRequest) (desk.Page, error) {
	return query.Page(ctx, b.Store, r)
}

// Values lists what a filter's field may be, as far as it is known without a
// search: for completion.
func (b *Backend) Values(ctx context.Context, field string) []string {
	values, err := query.Values(ctx, b.Store, field, 100)
	if err != nil {
		return nil // a completion that can't be had is none
	}
	return values
}
