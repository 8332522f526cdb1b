package queue_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"binnacle/backend/queue"
	"binnacle/model"
	"binnacle/model/directive"
)

func blockedBy(ids ...int64) queue.Deferral { return queue.Deferral{BlockedBy: ids} }

func TestDeferForATime(t *testing.T) {
	r := newRig(t, queue.Options{})
	id := r.push("one", directive.P0)
	c := ok(t)(r.q.Defer(background(), force(id), queue.Deferral{For: time.Hour}))
	if c.After.NotBefore != r.clock.now().Add(time.Hour) || c.After.Status != directive.StatusDeferred {
		t.Fatalf("got %+v", c.After)
	}
	_, err := r.q.Next(background(), queue.Next{})
	wantCode(t, err, model.CodeEmpty)
	_, err = r.q.Peek(background(), "")
	wantCode(t, err, model.CodeEmpty)
	r.clock.set(c.After.NotBefore - 1)
	_, err = r.q.Next(background(), queue.Next{})
	wantCode(t, err, model.CodeEmpty)
	r.clock.advance(time.Microsecond)
	if p, err := r.q.Peek(background(), ""); err != nil || p.ID != id || !p.Due {
		t.Fatalf("peek %+v, %v", p, err)
	}
	if got := r.next(queue.Next{}); got.Directive.ID != id || got.Directive.NotBefore != 0 {
		t.Fatalf("got %+v", got)
	}
	if until := r.clock.now().Add(-time.Hour); true {
		c := ok(t)(r.q.Defer(background(), force(id), queue.Deferral{Until: until}))
		if c.After.Status != directive.StatusPending {
			t.Fatalf("a time that has passed: %+v", c.After)
		}
	}
}

func TestDeferRefusals(t *testing.T) {
	r := newRig(t, queue.Options{})
	a := r.push("a", directive.P1)
	cases := []struct {
		name string
		f    queue.Deferral
		code model.Code
		says string
	}{
		{"nothing", queue.Deferral{}, model.CodeInvalid, "defer requires --until, --for, or --blocked-by"},
		{"both", queue.Deferral{For: time.Hour, Until: 5}, model.CodeInvalid, "not both"},
		{"itself", blockedBy(a), model.CodeInvalid, "blocked by itself"},
		{"missing", blockedBy(77), model.CodeNotFound, "no dependency #77"},
		{"backwards", queue.Deferral{For: -time.Hour}, model.CodeInvalid, "out of range"},
	}
	for _, c := range cases {
		_, err := r.q.Defer(background(), force(a), c.f)
		wantCode(t, err, c.code)
		if !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	_, err := r.q.Defer(background(), force(99), blockedBy(a))
	wantCode(t, err, model.CodeNotFound)
	r.wantStatus(a, directive.StatusPending)
}

func TestCycleIsNamed(t *testing.T) {
	r := newRig(t, queue.Options{})
	a, b, c, d := r.push("a", directive.P1), r.push("b", directive.P1), r.push("c", directive.P1), r.push("d", directive.P1)
	ok(t)(r.q.Defer(background(), force(a), blockedBy(b, d)))
	ok(t)(r.q.Defer(background(), force(b), blockedBy(c)))
	_, err := r.q.Defer(background(), force(c), blockedBy(a))
	wantCode(t, err, model.CodeInvalid)
	if want := fmt.Sprintf("#%d -> #%d -> #%d -> #%d", c, a, b, c); !strings.Contains(err.Error(), want) {
		t.Fatalf("%v does not name %s", err, want)
	}
	r.wantStatus(c, directive.StatusPending)
	ok(t)(r.q.Defer(background(), force(c), blockedBy(d))) // no cycle
}

func TestBlockersPromote(t *testing.T) {
	r := newRig(t, queue.Options{})
	a, b := r.push("a", directive.P1), r.push("b", directive.P1)
	waits := r.push("waits", directive.P0, func(p *queue.Push) { p.BlockedBy = []int64{b, a, b} })
	later := r.push("waits, and for a time", directive.P0, func(p *queue.Push) {
		p.BlockedBy, p.NotBefore = []int64{a, b}, r.clock.now().Add(time.Hour)
	})
	r.wantStatus(waits, directive.StatusDeferred)
	if d := r.show(waits); len(d.BlockedBy) != 2 {
		t.Fatalf("blocked by %v", d.BlockedBy)
	}
	c := r.next(queue.Next{Consumer: "w"})
	first := ok(t)(r.q.Done(background(), act(c.Directive.ID, c.Token)))
	if len(first.Promoted) != 0 {
		t.Fatalf("promoted %v", first.Promoted)
	}
	if got := r.show(b).Blocks; len(got) != 2 {
		t.Fatalf("waiting for #%d: %v", b, got)
	}
	second := ok(t)(r.q.Drop(background(), force(b)))
	if len(second.Promoted) != 1 || second.Promoted[0] != waits {
		t.Fatalf("promoted %v", second.Promoted)
	}
	d := r.show(waits)
	if d.Status != directive.StatusPending || d.BlockedBy != nil {
		t.Fatalf("got %+v", d.Directive)
	}
	if e := d.History[len(d.History)-1]; e.Causation != second.Seq {
		t.Fatalf("caused by %d, want %d", e.Causation, second.Seq)
	}
	r.wantStatus(later, directive.StatusDeferred)
	r.clock.advance(time.Hour)
	if got := r.next(queue.Next{}); got.Directive.ID != waits {
		t.Fatalf("got #%d", got.Directive.ID)
	}
	if got := r.next(queue.Next{}); got.Directive.ID != later {
		t.Fatalf("got #%d", got.Directive.ID)
	}
	// What is done already blocks nothing.
	if id := r.push("at once", directive.P0, func(p *queue.Push) { p.BlockedBy = []int64{a} }); r.show(id).Status != directive.StatusPending {
		t.Fatal("deferred for what is done")
	}
}

// TestManyDependants: more than one transaction's worth waits for one.
func TestManyDependants(t *testing.T) {
	r := newRig(t, queue.Options{})
	a := r.push("a", directive.P0)
	all := make([]queue.Push, 2_300)
	for i := range all {
		all[i] = queue.Push{Body: fmt.Sprint(i), Priority: directive.P2, BlockedBy: []int64{a}}
	}
	if _, err := r.q.PushMany(background(), all); err != nil {
		t.Fatal(err)
	}
	c := r.next(queue.Next{})
	got := ok(t)(r.q.Done(background(), act(a, c.Token)))
	if len(got.Promoted) != len(all) {
		t.Fatalf("promoted %d", len(got.Promoted))
	}
	s, err := r.q.Stats(background(), "")
	if err != nil || s.ByStatus[len(s.ByStatus)-1] != (queue.StatusCount{Priority: directive.P2, Status: directive.StatusPending, Count: 2_300}) {
		t.Fatalf("stats %+v, %v", s, err)
	}
}

// TestDeferReplaces: a new deferral forgets the former one.
func TestDeferReplaces(t *testing.T) {
	r := newRig(t, queue.Options{})
	a, b := r.push("a", directive.P1), r.push("b", directive.P1)
	ok(t)(r.q.Defer(background(), force(b), blockedBy(a)))
	ok(t)(r.q.Defer(background(), force(b), queue.Deferral{For: time.Hour}))
	if d := r.show(b); d.BlockedBy != nil || d.NotBefore == 0 {
		t.Fatalf("got %+v", d.Directive)
	}
	ok(t)(r.q.Drop(background(), force(a)))
	r.wantStatus(b, directive.StatusDeferred)
	ok(t)(r.q.Requeue(background(), force(b)))
	r.wantStatus(b, directive.StatusPending)
}
