package ui

import (
	"context"
	"strings"
	"testing"

	"binnacle/backend/queue"
	"binnacle/model"
	"binnacle/model/directive"
	"binnacle/model/fleetmap"
	"binnacle/model/session"
	"binnacle/views"
)

// What the operator's own acts did to a record is no other's change: a stack of
// acts on one record is undone act by act.
func TestUndoIsAStack(t *testing.T) {
	r := newRig(t, rigOptions{})
	d := r.pushed("fix it", directive.P2, "")
	r.sync()
	r.onDirective(d.ID)
	for range 2 {
		r.press("+")
		r.sync()
	}
	if got := r.status(d.ID).Priority; got != directive.P0 {
		t.Fatalf("priority is %s", got)
	}
	r.c.flash = flash{}
	r.has("u undo: #1 set to P0")
	r.press("u")
	r.c.flash = flash{}
	r.has("u undo: #1 set to P1")
	r.press("u")
	if got := r.status(d.ID).Priority; got != directive.P2 {
		t.Fatalf("after two undos the priority is %s:\n%s", got, r.frame())
	}
	r.c.flash = flash{}
	r.hasNot("undo")
}

// A dropped directive comes back as a copy, and what was done before goes on
// from there.
func TestUndoGoesOnWithTheCopyOfWhatWasDropped(t *testing.T) {
	r := newRig(t, rigOptions{})
	d := r.pushed("fix it", directive.P1, "")
	r.sync()
	r.onDirective(d.ID)
	r.press("+")
	r.sync()
	r.press("d tab enter")
	r.sync()
	r.press("u")
	if got := r.status(2); got.Status != directive.StatusPending || got.Priority != directive.P0 {
		t.Fatalf("the copy is %+v", got)
	}
	r.press("u")
	if got := r.status(2); got.Priority != directive.P1 {
		t.Fatalf("the copy's priority is %s:\n%s", got.Priority, r.frame())
	}
}

func TestUndoOfAnUnparkBringsBackTheReason(t *testing.T) {
	r := newRig(t, rigOptions{})
	d := r.pushed("deploy", directive.P1, "")
	_, err := r.b.Queue.Park(context.Background(), queue.Act{ID: d.ID, Force: true, By: "ana", Why: "needs the staging password"})
	if err != nil {
		t.Fatal(err)
	}
	r.sync()
	r.onDirective(d.ID)
	r.press("r")
	if got := r.status(d.ID); got.Status != directive.StatusPending {
		t.Fatalf("it is %s:\n%s", got.Status, r.frame())
	}
	r.press("u")
	if got := r.status(d.ID); got.Status != directive.StatusParked || got.Reason != "needs the staging password" {
		t.Fatalf("it is %s because of %q", got.Status, got.Reason)
	}
}

// Somebody else's change in between ends the chain.
func TestUndoStopsAtSomebodyElsesChange(t *testing.T) {
	r := newRig(t, rigOptions{})
	d := r.pushed("fix it", directive.P2, "")
	r.sync()
	r.onDirective(d.ID)
	r.press("+")
	r.sync()
	p := directive.P2
	if _, err := r.b.Queue.Reprioritize(context.Background(), queue.Act{ID: d.ID, By: "bo"}, queue.Order{Priority: &p}); err != nil {
		t.Fatal(err)
	}
	r.sync()
	r.press("+")
	r.sync()
	r.press("u u")
	if got := r.status(d.ID).Priority; got != directive.P2 {
		t.Fatalf("the priority is %s: only the newest act can be undone", got)
	}
	r.has("moved on")
}

// One act, one line: what was marked and is dropped is no news.
func TestOneLineForOneAct(t *testing.T) {
	r := newRig(t, rigOptions{})
	var first directive.Directive
	for i := range 3 {
		if d := r.pushed("fix it", directive.P1, ""); i == 0 {
			first = d
		}
	}
	r.sync()
	r.onDirective(first.ID)
	r.press("space space space d")
	r.press("3 tab enter")
	r.sync()
	r.has("3 dropped (u undoes)")
	r.hasNot("gone")
	r.press("u")
	r.has("undone: 3 pushed")
}

// A signal that is not drawn is counted, and going to the pane draws it before
// a key can act on it.
func TestNothingActsOnASignalThatIsNotDrawn(t *testing.T) {
	for _, size := range []string{"120x40", "100x24", "200x60", "80x24", "40x10"} {
		r := newRig(t, rigOptions{size: size})
		e := r.emit("build/alert", model.KindSignal, `{"summary":"disk almost full"}`)
		r.sync()
		if r.c.size.W >= views.TwoColumns {
			if _, shown := r.c.panes.Layout().Of(views.PanePlanes); shown {
				r.has("1 signal open")
			}
		}
		r.press("2")
		r.has("disk")
		if rows := r.c.panes.Focus().Height(); rows < 1 {
			t.Fatalf("%s: %d signals are drawn", size, rows)
		}
		r.press("c")
		r.sync()
		if s := r.c.snap.Signals; len(s) != 1 || s[0].Key != e.Key || s[0].State != model.SignalClaimed {
			t.Fatalf("%s: %+v\n%s", size, s, r.frame())
		}
	}
}

func TestKeysDoNothingWhereNothingIsDrawn(t *testing.T) {
	r := newRig(t, rigOptions{})
	r.emit("build/alert", model.KindSignal, `{"summary":"disk almost full"}`)
	r.sync()
	r.press("g") // the cursor is on the signal's event, and it stays there
	r.size("30x8")
	r.press("c")
	r.size("120x40")
	r.sync()
	if s := r.c.snap.Signals; len(s) != 1 || s[0].State != model.SignalPending {
		t.Fatalf("a key acted where nothing was drawn: %+v", s)
	}
}

// What the operator claimed stays in sight until it is cleared.
func TestWhatIClaimedStays(t *testing.T) {
	r := newRig(t, rigOptions{})
	r.emit("build/alert", model.KindSignal, `{"summary":"disk almost full"}`)
	r.sync()
	r.press("6 c")
	r.sync()
	r.has("mine")
	r.press("x tab enter")
	r.sync()
	r.hasNot("mine")
	r.has("Nothing needs you")
}

// Landings are rows: they are drawn without a session, can be opened, and what
// does not fit is counted.
func TestLandingsAreRows(t *testing.T) {
	r := newRig(t, rigOptions{})
	s := r.c.snap
	s.Fleet = &fleetmap.Picture{}
	s.Fleet.Map.FetchedAt = r.now
	for i := range 5 {
		s.Fleet.Landings = append(s.Fleet.Landings, model.Event{
			Seq: int64(5 - i), TS: r.now, Kind: model.KindCoord, Topic: session.TopicRefLanded,
			Payload: []byte(`{"commit":"f24566b3aa","untrusted":{"ref":"main","paths":["queue/retry.go"]}}`),
		})
	}
	r.send(snapshotMsg{s})
	r.press("5")
	if n := strings.Count(r.frame(), "landed "); n != 5 {
		t.Fatalf("%d landings are drawn:\n%s", n, r.frame())
	}
	r.press("G")
	if got, ok := r.c.panes.Target(); !ok || got.Seq != 1 {
		t.Fatalf("the last row is %+v", got)
	}
	for i := range 30 {
		m := fleetmap.Machine{Machine: "m-" + strings.Repeat("a", i%9+1) + string(rune('a'+i/9))}
		s.Fleet.Map.Machines = append(s.Fleet.Map.Machines, m)
	}
	s.Fleet = &fleetmap.Picture{Map: s.Fleet.Map, Landings: s.Fleet.Landings}
	r.send(snapshotMsg{s})
	r.has(" more ")
}
