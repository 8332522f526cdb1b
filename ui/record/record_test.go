package record

import (
	"testing"

	"binnacle/keymap"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/views"
)

// TestExplainNamesTheKeysThatWouldDo: for every state of every record, what is
// possible is what the machine allows, and what is not says so.
func TestExplainNamesTheKeysThatWouldDo(t *testing.T) {
	keys := keymap.Default()
	on := func(noun views.Noun, key, state string) Target {
		return Target{Ref: views.Ref{ID: views.ID{Noun: noun, Key: key}, State: state}, Label: "it"}
	}
	for _, c := range []struct {
		on           Target
		action, want string
	}{
		{on(views.NounSignal, "disk", model.SignalPending), "clear", "signal disk is pending, so it can't be cleared; possible: c claim"},
		{on(views.NounSignal, "disk", model.SignalCleared), "claim", "signal disk is cleared, so it can't be claimed; nothing more can be done with it"},
		{on(views.NounDirective, "2", directive.StatusPending), "extend", "#2 is pending, so it has no lease; possible: d drop, +/- priority, f defer"},
		{on(views.NounWork, "job-1", model.WorkDone), "extend", "work job-1 is done, so it has no lease; nothing more can be done with it"},
		{on(views.NounDirective, "2", ""), "drop", "it is not open any more"},
	} {
		if got := c.on.Explain(c.action, keys); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
		if c.on.Allows(c.action) {
			t.Errorf("%s %s allows %s", c.on.State, c.on.Key, c.action)
		}
	}
	if parked := on(views.NounDirective, "2", directive.StatusParked); !parked.Allows("requeue") || parked.Final() {
		t.Error("a parked directive can't be given back")
	}
}

// TestFindTakesTheRevisionOnScreen: of what the snapshot holds, and of nothing
// else.
func TestFindTakesTheRevisionOnScreen(t *testing.T) {
	s := &desk.Snapshot{
		Signals: []model.Signal{{Key: "disk", Rev: 3, State: model.SignalPending, Summary: "full\x1b[2J"}},
		Parked:  []directive.Directive{{ID: 7, Rev: 4, Status: directive.StatusParked, Body: "deploy\nnow"}},
	}
	if got, ok := Find(s, views.SignalID("disk")); !ok || got.Rev != 3 || got.Label != "signal disk (full␛[2J)" {
		t.Errorf("%+v, %v", got, ok)
	}
	if got, ok := Find(s, views.DirectiveID(7)); !ok || got.Rev != 4 || got.Label != "#7 P0 deploy" || got.Detail() != (desk.Ref{Kind: model.KindDirective, Key: "7"}) {
		t.Errorf("%+v, %v", got, ok)
	}
	for _, id := range []views.ID{views.SignalID("other"), views.DirectiveID(8), views.WorkID("job-1"), {}} {
		if got, ok := Find(s, id); ok {
			t.Errorf("%v is %+v", id, got)
		}
	}
	if got := Event(41).Written(); got.Seq != 41 || got.Detail() != (desk.Ref{Seq: 41}) {
		t.Errorf("%+v", got)
	}
}
