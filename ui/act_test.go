package ui

import (
	"context"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/backend/ledger"
	"binnacle/backend/queue"
	"binnacle/model"
	"binnacle/model/directive"
	"binnacle/views"
)

// status reads a directive as it is in the database.
func (r *rig) status(id int64) directive.Directive {
	r.t.Helper()
	d, err := r.b.Queue.Show(context.Background(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return d.Directive
}

func (r *rig) take(lane string) queue.Claim {
	r.t.Helper()
	c, err := r.b.Queue.Next(context.Background(), queue.Next{Lane: lane, Consumer: "worker-1"})
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// onDirective puts the cursor of Lanes on a directive.
func (r *rig) onDirective(id int64) {
	r.t.Helper()
	r.press("3")
	r.on(views.DirectiveID(id))
}

func TestPriorityByKeyAndUndo(t *testing.T) {
	r := newRig(t, rigOptions{})
	d := r.pushed("fix it", directive.P1, "")
	r.sync()
	r.onDirective(d.ID)
	r.press("+")
	if got := r.status(d.ID).Priority; got != directive.P0 {
		t.Fatalf("priority is %s", got)
	}
	r.has("#1 is P0 now")
	r.sync()
	r.press("+")
	r.has("at its end already")
	r.press("u")
	if got := r.status(d.ID).Priority; got != directive.P1 {
		t.Fatalf("after undo the priority is %s", got)
	}
}

func TestUndoOfWhatMovedOnIsRefused(t *testing.T) {
	r := newRig(t, rigOptions{})
	d := r.pushed("fix it", directive.P1, "")
	r.sync()
	r.onDirective(d.ID)
	r.press("+")
	r.take("")
	r.press("u")
	r.has("taken")
	if got := r.status(d.ID); got.Priority != directive.P0 || got.Status != directive.StatusTaken {
		t.Fatalf("undo changed what a worker holds: %+v", got)
	}
}

func TestDropAsksAndSafeButtonHasTheFocus(t *testing.T) {
	r := newRig(t, rigOptions{})
	d := r.pushed("fix it", directive.P1, "")
	r.sync()
	r.onDirective(d.ID)
	r.press("d")
	r.has("A dropped directive is never done")
	r.press("enter") // Cancel has the focus
	if got := r.status(d.ID).Status; got != directive.StatusPending {
		t.Fatalf("status is %s", got)
	}
	r.press("d tab enter")
	if got := r.status(d.ID).Status; got != directive.StatusDropped {
		t.Fatalf("status is %s", got)
	}
	r.has("#1 is dropped")
}

func TestActionAppliesToWhatWasOnScreen(t *testing.T) {
	r := newRig(t, rigOptions{})
	d := r.pushed("fix it", directive.P1, "")
	r.sync()
	r.onDirective(d.ID)
	r.press("d")
	r.take("") // a worker is faster than the operator's answer
	r.sync()   // and the screen shows so, behind the dialog
	r.press("tab enter")
	if got := r.status(d.ID).Status; got != directive.StatusTaken {
		t.Fatalf("the drop was done on what was not on screen: %s", got)
	}
	r.has("taken")
}

func TestBulkNeedsTheCount(t *testing.T) {
	r := newRig(t, rigOptions{})
	for range 3 {
		r.pushed("fix it", directive.P1, "")
	}
	r.sync()
	r.onDirective(1)
	r.press("space space d")
	r.has("Type 2 to go on")
	r.press("tab enter")
	r.has("type the number first")
	r.press("3 enter")
	if got := r.status(1).Status; got != directive.StatusPending {
		t.Fatalf("a wrong count was taken: %s", got)
	}
	r.press("backspace 2 enter")
	for id, want := range map[int64]string{1: directive.StatusDropped, 2: directive.StatusDropped, 3: directive.StatusPending} {
		if got := r.status(id).Status; got != want {
			t.Errorf("#%d is %s, want %s", id, got, want)
		}
	}
}

func TestMarksGoWithTheirRows(t *testing.T) {
	r := newRig(t, rigOptions{})
	r.pushed("one", directive.P1, "")
	r.pushed("two", directive.P1, "")
	r.sync()
	r.onDirective(1)
	r.press("space")
	r.has("1 marked")
	c := r.take("")
	if _, err := r.b.Queue.Done(context.Background(), queue.Act{ID: c.Directive.ID, Token: c.Token}); err != nil {
		t.Fatal(err)
	}
	r.sync()
	r.has("1 marked row is gone")
	if n := r.c.panes.Marked(); n != 0 {
		t.Fatalf("%d marks are left", n)
	}
}

func TestRequeueTakesTheClaimAway(t *testing.T) {
	r := newRig(t, rigOptions{})
	d := r.pushed("fix it", directive.P1, "")
	c := r.take("")
	r.sync()
	r.press("4 r")
	r.has("its token is refused")
	r.press("tab enter")
	if got := r.status(d.ID).Status; got != directive.StatusPending {
		t.Fatalf("status is %s", got)
	}
	_, err := r.b.Queue.Done(context.Background(), queue.Act{ID: d.ID, Token: c.Token})
	if model.CodeOf(err) != model.CodeToken && model.CodeOf(err) != model.CodeRefused {
		t.Fatalf("the worker's token still counts: %v", err)
	}
}

func TestDeferAndExtendAndPushForms(t *testing.T) {
	r := newRig(t, rigOptions{})
	d := r.pushed("fix it", directive.P1, "")
	r.sync()
	r.onDirective(d.ID)
	r.press("f")
	r.has("Defer #1")
	r.press("backspace backspace")
	r.write("soon")
	r.press("enter")
	r.has("is not a duration")
	for range 4 {
		r.press("backspace")
	}
	r.write("2h")
	r.press("enter")
	if got := r.status(d.ID); got.Status != directive.StatusDeferred || got.NotBefore != r.now.Add(2*time.Hour) {
		t.Fatalf("%s until %s", got.Status, got.NotBefore)
	}
	r.sync()
	r.press("a")
	r.write("ship it")
	r.press("tab tab backspace")
	r.write("0")
	r.press("enter")
	if got := r.status(2); got.Body != "ship it" || got.Priority != directive.P0 {
		t.Fatalf("pushed %+v", got)
	}
	c := r.take("")
	r.sync()
	r.press("4 L")
	r.press("enter")
	if got := r.status(c.Directive.ID).LeaseUntil; got != r.now.Add(30*time.Minute) {
		t.Fatalf("leased until %s", got)
	}
}

func TestPushFormTakesTheEditorsText(t *testing.T) {
	r := newRig(t, rigOptions{})
	r.term.left = "first line\n\nand more"
	r.press("a ctrl+e")
	r.has("first line")
	r.press("enter")
	if got := r.status(1).Body; got != "first line\n\nand more" {
		t.Fatalf("body is %q", got)
	}
}

func TestSignalsByKey(t *testing.T) {
	r := newRig(t, rigOptions{size: "200x60"})
	e := r.emit("build/alert", model.KindSignal, `{"summary":"disk almost full"}`)
	r.sync()
	r.press("6 x")
	r.has("can't be cleared")
	r.press("c")
	r.has("is claimed")
	r.sync()
	r.press("2 v") // it needs nobody any more; Planes lists open signals
	r.has("is pending")
	r.sync()
	r.press("u")
	r.sync()
	r.press("x")
	r.has("closed for good")
	r.press("tab enter")
	h, err := r.b.Ledger.ShowSignal(context.Background(), e.Key, 10)
	if err != nil || h.Record.State != model.SignalCleared {
		t.Fatalf("%+v %v", h.Record, err)
	}
}

func TestReadOnlyRefusesWithItsReason(t *testing.T) {
	r := newRig(t, rigOptions{readOnly: "--read-only was given"})
	d := r.pushed("fix it", directive.P1, "")
	r.sync()
	r.onDirective(d.ID)
	for _, key := range []string{"d", "r", "+", "f", "a", "u"} {
		r.press(key)
		r.has("read-only: --read-only was given")
		if r.c.over.Len() != 0 {
			t.Fatalf("%s opened a dialog", key)
		}
	}
}

func TestPasteNeverActs(t *testing.T) {
	r := newRig(t, rigOptions{})
	d := r.pushed("fix it", directive.P1, "")
	r.sync()
	r.onDirective(d.ID)
	paste := func(text string) {
		r.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true})
	}
	for _, text := range []string{"d", "d\t\n"} {
		if paste(text); r.c.over.Len() != 0 {
			t.Fatalf("pasting %q opened a dialog", text)
		}
	}
	r.press("d tab")
	paste("\n")
	if got := r.status(d.ID).Status; got != directive.StatusPending {
		t.Fatalf("a pasted newline confirmed: %s", got)
	}
	r.press("esc /")
	paste("kind:note\nword")
	if r.c.over.Len() != 1 {
		t.Fatal("a pasted newline closed the filter bar")
	}
	r.has("kind:note word")
}

func TestExtendWork(t *testing.T) {
	r := newRig(t, rigOptions{})
	if _, err := r.b.Ledger.ClaimWork(context.Background(), ledger.ClaimRequest{Key: "job-1", Executor: "builder", Lease: time.Minute}); err != nil {
		t.Fatal(err)
	}
	r.sync()
	r.press("4 L enter")
	r.has("work job-1 is leased for another")
}
