package queue_test

import (
	"reflect"
	"testing"
	"time"

	"binnacle/backend/queue"
	"binnacle/model"
	"binnacle/model/directive"
)

// undo takes a change back as the ledger has it, which must be what the act
// returned: nothing else than its event is needed to undo it.
func (r *rig) undo(c queue.Change) (queue.Change, error) {
	r.t.Helper()
	recorded := ok(r.t)(r.q.ChangeAt(background(), c.Seq))
	want := c
	want.Promoted, want.Already = nil, false
	if want.Before.ID == 0 {
		want.Before = directive.Directive{} // of a push: the lane alone
	}
	if !reflect.DeepEqual(recorded, want) {
		r.t.Errorf("the event %d tells\n%+v, not\n%+v", c.Seq, recorded, want)
	}
	return r.q.Undo(background(), recorded, "operator")
}

func TestOnlyADirectivesEventTellsAChange(t *testing.T) {
	r := newRig(t, queue.Options{})
	_, err := r.q.ChangeAt(background(), 4711)
	wantCode(t, err, model.CodeNotFound)
}

func TestUndo(t *testing.T) {
	r := newRig(t, queue.Options{})
	undo := func(c queue.Change) queue.Change { t.Helper(); return ok(t)(r.undo(c)) }
	id := r.push("one", directive.P1)

	c := ok(t)(r.q.Reprioritize(background(), queue.Act{ID: id}, queue.Order{
		Priority: ptr(directive.P0), Importance: ptr(int64(2)), Deadline: ptr(r.clock.now()),
	}))
	undo(c)
	if d := r.show(id); d.Priority != directive.P1 || d.Importance != 0 || d.Deadline != 0 {
		t.Fatalf("reprioritize: %+v", d.Directive)
	}
	_, err := r.undo(c)
	wantCode(t, err, model.CodeStale)

	undo(ok(t)(r.q.Defer(background(), force(id), queue.Deferral{For: time.Hour})))
	r.wantStatus(id, directive.StatusPending)
	undo(ok(t)(r.q.Park(background(), force(id))))
	r.wantStatus(id, directive.StatusPending)

	claim := r.next(queue.Next{Consumer: "w", Lease: time.Hour})
	undo(ok(t)(r.q.Touch(background(), act(id, claim.Token), 2*time.Hour)))
	if d := r.show(id); d.LeaseUntil != claim.Directive.LeaseUntil {
		t.Fatalf("touch: %+v", d.Directive)
	}
	// The claim comes back as it was, and its holder works on.
	for _, take := range []func() queue.Change{
		func() queue.Change { return ok(t)(r.q.Requeue(background(), force(id))) },
		func() queue.Change { return ok(t)(r.q.Park(background(), force(id))) },
		func() queue.Change { return ok(t)(r.q.Defer(background(), force(id), queue.Deferral{For: time.Hour})) },
	} {
		taken := take()
		_, err := r.q.Touch(background(), act(id, claim.Token), time.Hour)
		wantCode(t, err, model.CodeToken)
		undo(taken)
		d := r.show(id)
		if d.Status != directive.StatusTaken || d.TakenBy != "w" || d.LeaseUntil != claim.Directive.LeaseUntil || d.Attempt != 1 ||
			d.TakenAt != claim.Directive.TakenAt {
			t.Fatalf("after undo of %s: %+v", taken.Action, d.Directive)
		}
	}
	taken := ok(t)(r.q.Requeue(background(), force(id)))
	r.clock.advance(time.Hour)
	_, err = r.undo(taken)
	wantCode(t, err, model.CodeStale)

	// Somebody else took it meanwhile: nothing happens.
	c = ok(t)(r.q.Reprioritize(background(), queue.Act{ID: id}, queue.Order{Priority: ptr(directive.P2)}))
	again := r.next(queue.Next{Consumer: "v"})
	_, err = r.undo(c)
	wantCode(t, err, model.CodeStale)
	_, err = r.undo(ok(t)(r.q.Done(background(), act(id, again.Token))))
	wantCode(t, err, model.CodeRefused)
}

func TestUndoOfDeferredAndParked(t *testing.T) {
	r := newRig(t, queue.Options{})
	blocker := r.push("blocker", directive.P0)
	id := r.push("one", directive.P1, func(p *queue.Push) { p.BlockedBy, p.NotBefore = []int64{blocker}, r.clock.now().Add(time.Hour) })
	before := r.show(id)
	for _, c := range []queue.Change{
		ok(t)(r.q.Park(background(), force(id))),
	} {
		ok(t)(r.undo(c))
	}
	ok(t)(r.undo(ok(t)(r.q.Requeue(background(), force(id)))))
	after := r.show(id)
	if after.Status != directive.StatusDeferred || after.NotBefore != before.NotBefore || len(after.BlockedBy) != 1 {
		t.Fatalf("got %+v", after.Directive)
	}
	ok(t)(r.q.Park(background(), force(id)))
	ok(t)(r.undo(ok(t)(r.q.Unpark(background(), queue.Act{ID: id}))))
	r.wantStatus(id, directive.StatusParked)
}

func TestUndoOfPushAndDrop(t *testing.T) {
	r := newRig(t, queue.Options{})
	root := r.push("root", directive.P0)
	c := ok(t)(r.q.Push(background(), queue.Push{Body: "text", Priority: directive.P2, Lane: "release", Parent: root}))
	dropped := ok(t)(r.undo(c))
	r.wantStatus(c.After.ID, directive.StatusDropped)
	copied := ok(t)(r.undo(dropped))
	d := r.show(copied.After.ID)
	if d.ID == c.After.ID || d.Body != "text" || d.Lane != "release" || d.Priority != directive.P2 || d.Parent != root {
		t.Fatalf("got %+v", d.Directive)
	}
	if d.History[0].Causation != dropped.Seq {
		t.Fatalf("caused by %d", d.History[0].Causation)
	}
	// A drop is undone once.
	_, err := r.undo(dropped)
	if err == nil {
		t.Fatal("undone twice")
	}
}
