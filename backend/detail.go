package backend

import (
	"context"

	"binnacle/backend/ledger"
	"binnacle/model"
)

// EventDetail reads an event with what stands around it: its record when it
// is about one, the record's history, its cause and its effects.
func (b *Backend) EventDetail(ctx context.Context, seq int64) (model.Detail, error) {
	e, err := b.Ledger.Event(ctx, seq)
	if err != nil {
		return model.Detail{}, err
	}
	d := model.Detail{Event: &e}
	switch e.Kind {
	case model.KindSignal, model.KindWork, model.KindDirective:
		if d, err = b.RecordDetail(ctx, e.Kind, e.Key); err != nil && model.CodeOf(err) != model.CodeNotFound {
			return model.Detail{}, err
		}
		d.Event = &e
	}
	causes, err := b.Ledger.Causes(ctx, seq, 1)
	if err != nil {
		return model.Detail{}, err
	}
	if len(causes) > 0 {
		d.Cause = &causes[0]
	}
	if d.Effects, err = b.Ledger.Effects(ctx, seq, model.MaxHistory); err != nil {
		return model.Detail{}, err
	}
	v := b.verified()
	d.Verified, d.Whole = v.Seq >= seq, v.Whole
	return d, nil
}

// RecordDetail reads a signal, a work record or a directive with its history.
func (b *Backend) RecordDetail(ctx context.Context, kind model.Kind, key string) (model.Detail, error) {
	var d model.Detail
	switch kind {
	case model.KindSignal:
		h, err := b.Ledger.ShowSignal(ctx, key, model.MaxHistory)
		if err != nil {
			return d, err
		}
		d.Signal = &h.Record.Signal
		d.History, d.Older = older(h.Events, h.More, h.Record.Rev)
	case model.KindWork:
		h, err := b.Ledger.ShowWork(ctx, key, model.MaxHistory)
		if err != nil {
			return d, err
		}
		d.Work = &h.Record.Work
		d.History, d.Older = older(h.Events, h.More, h.Record.Rev)
	case model.KindDirective:
		if err := b.directiveDetail(ctx, key, &d); err != nil {
			return d, err
		}
	default:
		return d, model.Errorf(model.CodeUsage, "there are no records of kind %s", model.Clean(string(kind)))
	}
	if n := len(d.History); n > 0 {
		d.Verified = b.verified().Seq >= d.History[n-1].Seq
	}
	return d, nil
}

func (b *Backend) directiveDetail(ctx context.Context, key string, d *model.Detail) error {
	id, err := model.ParseDirectiveKey(key)
	if err != nil {
		return err
	}
	h, err := b.Queue.Show(ctx, id)
	if err != nil {
		return err
	}
	d.Directive, d.Thread = &h.Directive, h.Thread
	d.History, d.Older = older(h.History, h.Older, h.Directive.Rev)
	why, err := b.Queue.Why(ctx, id)
	if err != nil {
		return err
	}
	d.Why = &why
	return nil
}

// older counts the events that a bounded history leaves out: a record's
// revision is the number of its events.
func older(events []model.Event, more bool, rev int64) ([]model.Event, int64) {
	if !more {
		return events, 0
	}
	return events, max(0, rev-int64(len(events)))
}

// Follow delivers events that match the filter and come after the event after
// (after < 0: after the newest), in order, until ctx ends. Events that come
// faster than take returns are left out and counted: missed of them, from and
// to their first and last, came before the batch.
func (b *Backend) Follow(ctx context.Context, f model.Filter, after int64, take func(events []model.Event, missed, from, to int64)) error {
	o := ledger.SubscribeOptions{Lag: ledger.Skip, Outbox: followOutbox}
	if !f.Empty() {
		o.Match = f.Match
	}
	if after >= 0 {
		c := b.Ledger.Cursor(after)
		o.Since = &c
	}
	sub, err := b.Ledger.Subscribe(ctx, o)
	if err != nil {
		return err
	}
	defer sub.Close()
	for {
		items, err := sub.Next(ctx)
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		var events []model.Event
		var missed, from, to int64
		flush := func() {
			if len(events) > 0 || missed > 0 {
				take(events, missed, from, to)
			}
			events, missed = nil, 0
		}
		for _, it := range items {
			if it.Lagged == nil {
				events = append(events, it.Event)
				continue
			}
			if it.Lagged.Missed > 0 {
				flush()
				missed, from, to = it.Lagged.Missed, it.Lagged.From, it.Lagged.To
			}
		}
		flush()
	}
}

// followOutbox is how many events wait for a cockpit that is busy: a storm of
// 20,000 a second is looked at 30 times a second.
const followOutbox = 4096

// Page reads a page of the ledger for scrolling.
func (b *Backend) Page(ctx context.Context, r model.PageRequest) (model.Page, error) {
	return b.Ledger.Page(ctx, r)
}

// Values lists what a filter's field may be, as far as it is known without a
// search: for completion.
func (b *Backend) Values(ctx context.Context, field string) []string {
	values, err := b.Ledger.Values(ctx, field, 100)
	if err != nil {
		return nil // a completion that can't be had is none
	}
	return values
}
