package ui

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/filter"
	"binnacle/ui/pane"
	"binnacle/views/canvas"
)

// apart are events that don't fold into one another.
func apart(from, to int64) []model.Event {
	var out []model.Event
	for seq := from; seq <= to; seq++ {
		topic := []string{"even", "odd"}[seq%2]
		out = append(out, model.Event{Seq: seq, Kind: model.KindNote, Topic: topic})
	}
	return out
}

// stream is a pane that follows, with room for all rows of a test.
func stream() *pane.Events {
	e := pane.NewEvents(pane.Source{})
	e.Show(desk.Snapshot{})
	e.Resize(canvas.Size{W: 80, H: 1000}, true, nil)
	return e
}

// items is a batch of a feed: a gap, if something was missed, then events.
func items(gap desk.Gap, events []model.Event) []desk.Item {
	var out []desk.Item
	if gap.Missed > 0 {
		out = append(out, desk.Item{Gap: &gap})
	}
	for _, e := range events {
		out = append(out, desk.Item{Event: e})
	}
	return out
}

// Whatever comes and whenever it is sent, the rows are the events and the gaps
// in the order of the ledger, and together they account for every event.
func TestAGapIsShownInItsPlace(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := newPump(nil, nil, nil)
		p.queue.Generation = 1
		e := stream()
		send := func() {
			if m, ok := p.take(); ok {
				e.Update(m)
			}
		}
		var last int64
		for range rapid.IntRange(1, 12).Draw(rt, "batches") {
			missed := rapid.Int64Range(0, 3).Draw(rt, "missed")
			events := apart(last+missed+1, last+missed+rapid.Int64Range(0, 4).Draw(rt, "events"))
			p.add(1, items(desk.Gap{Missed: missed, From: last + 1, To: last + missed}, events))
			last += missed + int64(len(events))
			if rapid.Bool().Draw(rt, "sent") {
				send()
			}
		}
		send()
		var at int64
		for _, r := range e.View().Rows {
			if at += max(r.Fold, r.Gap); r.Gap == 0 && r.Event.Seq != at {
				rt.Fatalf("the row of event %d, and of %d before it, stands where event %d is the last", r.Event.Seq, r.Fold-1, at)
			}
		}
		if at != last {
			rt.Fatalf("the rows end at event %d of %d", at, last)
		}
	})
}

// A gap that was sent apart from what stands around it stays between the two.
func TestAGapStandsBetweenItsEvents(t *testing.T) {
	p := newPump(nil, nil, nil)
	p.queue.Generation = 1
	e := stream()
	for _, b := range []struct {
		gap    desk.Gap
		events []model.Event
	}{
		{desk.Gap{}, apart(1, 2)},
		{desk.Gap{Missed: 3, From: 3, To: 5}, apart(6, 7)},
	} {
		p.add(1, items(b.gap, b.events))
		m, _ := p.take()
		e.Update(m)
	}
	var got []int64
	for _, r := range e.View().Rows {
		got = append(got, r.Event.Seq-r.Gap)
	}
	want := []int64{1, 2, -3, 6, 7} // a gap is negative
	if len(got) != len(want) {
		t.Fatalf("the rows are %v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("the rows are %v, not %v", got, want)
		}
	}
}

// What is left of a filter that was given up is not shown.
func TestThePumpForgetsAFormerFilter(t *testing.T) {
	p := newPump(nil, nil, func(string, func()) {})
	p.follow(context.Background(), 2, filter.Filter{}, 0)
	p.add(1, items(desk.Gap{Missed: 3, From: 3, To: 5}, apart(1, 2)))
	if m, ok := p.take(); ok {
		t.Fatalf("%+v was sent", m)
	}
	p.cancel()
}
