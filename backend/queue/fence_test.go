package queue_test

import (
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"binnacle/backend/lease"
	"binnacle/backend/queue"
	"binnacle/model"
	"binnacle/model/directive"
)

// holderActs are the operations that take the claim's token.
func holderActs(r *rig) map[string]func(queue.Act) error {
	drop := func(_ queue.Change, err error) error { return err }
	return map[string]func(queue.Act) error{
		"done":    func(a queue.Act) error { return drop(r.q.Done(background(), a)) },
		"requeue": func(a queue.Act) error { return drop(r.q.Requeue(background(), a)) },
		"drop":    func(a queue.Act) error { return drop(r.q.Drop(background(), a)) },
		"park":    func(a queue.Act) error { return drop(r.q.Park(background(), a)) },
		"touch":   func(a queue.Act) error { return drop(r.q.Touch(background(), a, 0)) },
		"defer": func(a queue.Act) error {
			return drop(r.q.Defer(background(), a, queue.Deferral{For: time.Hour}))
		},
	}
}

// TestStaleToken tries every way in which a token can be no longer the current
// claim's, with every operation that takes one.
func TestStaleToken(t *testing.T) {
	ways := []struct {
		name string
		did  string // what the token's claim did already: said again, it is answered
		make func(r *rig) (id int64, token string)
	}{
		{"the lease ended this microsecond", "", func(r *rig) (int64, string) {
			c := r.next(queue.Next{Consumer: "w", Lease: time.Minute})
			r.clock.set(c.Directive.LeaseUntil)
			return c.Directive.ID, c.Token
		}},
		{"requeued", "requeue", func(r *rig) (int64, string) {
			c := r.next(queue.Next{Consumer: "w"})
			ok(r.t)(r.q.Requeue(background(), act(c.Directive.ID, c.Token)))
			return c.Directive.ID, c.Token
		}},
		{"claimed again by the same consumer", "requeue", func(r *rig) (int64, string) {
			c := r.next(queue.Next{Consumer: "w"})
			ok(r.t)(r.q.Requeue(background(), act(c.Directive.ID, c.Token)))
			if again := r.next(queue.Next{Consumer: "w"}); again.Directive.ID != c.Directive.ID {
				r.t.Fatal("another directive came")
			}
			return c.Directive.ID, c.Token
		}},
		{"claimed again after the lease ran out", "", func(r *rig) (int64, string) {
			c := r.next(queue.Next{Consumer: "w", Lease: time.Minute})
			r.clock.advance(time.Minute)
			if again := r.next(queue.Next{Consumer: "w"}); again.Directive.ID != c.Directive.ID {
				r.t.Fatal("another directive came")
			}
			return c.Directive.ID, c.Token
		}},
		{"taken away by an operator", "", func(r *rig) (int64, string) {
			c := r.next(queue.Next{Consumer: "w"})
			ok(r.t)(r.q.Requeue(background(), force(c.Directive.ID)))
			return c.Directive.ID, c.Token
		}},
		{"of another directive", "", func(r *rig) (int64, string) {
			other := r.next(queue.Next{Consumer: "w"})
			return r.next(queue.Next{Consumer: "w"}).Directive.ID, other.Token
		}},
		{"empty", "", func(r *rig) (int64, string) {
			return r.next(queue.Next{Consumer: "w"}).Directive.ID, ""
		}},
		{"the hash instead of the token", "", func(r *rig) (int64, string) {
			c := r.next(queue.Next{Consumer: "w"})
			return c.Directive.ID, c.Directive.TokenHash
		}},
	}
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			r := newRig(t, queue.Options{})
			r.push("one", directive.P0)
			r.push("two", directive.P1)
			id, token := way.make(r)
			before := r.show(id)
			for name, do := range holderActs(r) {
				if err := do(act(id, token)); name != way.did {
					wantCode(t, err, model.CodeToken)
				} else if err != nil {
					t.Fatalf("%s again: %v", name, err)
				}
				if after := r.show(id); after.Rev != before.Rev {
					t.Fatalf("%s changed it: %+v", name, after.Directive)
				}
			}
		})
	}
}

// TestLeaseToTheMicrosecond: the last microsecond of a lease still counts.
func TestLeaseToTheMicrosecond(t *testing.T) {
	for name := range holderActs(newRig(t, queue.Options{})) {
		r := newRig(t, queue.Options{})
		r.push("one", directive.P0)
		c := r.next(queue.Next{Lease: time.Minute})
		r.clock.set(c.Directive.LeaseUntil - 1)
		if err := holderActs(r)[name](act(c.Directive.ID, c.Token)); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

func TestForceIsSaid(t *testing.T) {
	r := newRig(t, queue.Options{})
	id := r.push("one", directive.P0)
	c := r.next(queue.Next{Consumer: "w"})
	_, err := r.q.Done(background(), queue.Act{ID: id, By: "operator"})
	wantCode(t, err, model.CodeToken)
	if !strings.Contains(model.HintOf(err), "--force") {
		t.Fatalf("hint %q", model.HintOf(err))
	}
	ch := ok(t)(r.q.Touch(background(), force(id), time.Hour))
	if !ch.Forced || ch.After.TokenHash != lease.Hash(c.Token) {
		t.Fatalf("got %+v", ch)
	}
	h := r.show(id).History
	if last := string(h[len(h)-1].Payload); !strings.Contains(last, `"forced":true`) || !strings.Contains(last, `"by":"operator"`) {
		t.Fatalf("payload %s", last)
	}
	// The holder's own acts are not forced, also when it says force.
	ch = ok(t)(r.q.Done(background(), queue.Act{ID: id, Token: c.Token, Force: true}))
	if ch.Forced {
		t.Fatal("said to be forced")
	}
	h = r.show(id).History
	if last := string(h[len(h)-1].Payload); strings.Contains(last, "forced") || !strings.Contains(last, `"by":"w"`) {
		t.Fatalf("payload %s", last)
	}
	_, err = r.q.Requeue(background(), force(id))
	wantCode(t, err, model.CodeRefused)
}

// TestTokenIsNowhere: neither the events nor the rows hold a token.
func TestTokenIsNowhere(t *testing.T) {
	r := newRig(t, queue.Options{})
	id := r.push("one", directive.P0)
	c := r.next(queue.Next{Consumer: "w"})
	for _, e := range r.show(id).History {
		if strings.Contains(string(e.Payload), c.Token) {
			t.Fatalf("event %d holds the token", e.Seq)
		}
	}
	if d := r.show(id); d.TokenHash != model.HashOf([]byte(c.Token)) {
		t.Fatalf("hash %q", d.TokenHash)
	}
}

func TestIfRev(t *testing.T) {
	r := newRig(t, queue.Options{})
	id := r.push("one", directive.P1)
	seen := r.show(id).Rev
	r.next(queue.Next{Consumer: "w"})
	a := force(id)
	a.IfRev = seen
	for name, do := range holderActs(r) {
		err := do(a)
		wantCode(t, err, model.CodeStale)
		if !strings.Contains(err.Error(), "taken by w") {
			t.Fatalf("%s: %v", name, err)
		}
	}
	_, err := r.q.Reprioritize(background(), queue.Act{ID: id, IfRev: seen}, queue.Order{Priority: ptr(directive.P0)})
	wantCode(t, err, model.CodeStale)
	_, err = r.q.Unpark(background(), a)
	wantCode(t, err, model.CodeStale)
	a.IfRev = r.show(id).Rev
	ok(t)(r.q.Requeue(background(), a))
}

// TestOneWinner: eight simultaneous claims of one directive.
func TestOneWinner(t *testing.T) {
	r := newRig(t, queue.Options{})
	for range 12 {
		id := r.push("one", directive.P0)
		var won atomic.Int64
		var token atomic.Value
		start := make(chan struct{})
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				<-start
				c, err := r.q.Next(background(), queue.Next{})
				if err == nil {
					won.Add(1)
					token.Store(c.Token)
				} else if model.CodeOf(err) != model.CodeEmpty {
					t.Error(err)
				}
			})
		}
		close(start)
		wg.Wait()
		if won.Load() != 1 {
			t.Fatalf("%d won", won.Load())
		}
		ok(t)(r.q.Done(background(), act(id, token.Load().(string))))
	}
}

// TestReaperAgainstWorker: a worker that ends its claim and a reaper that takes
// stale claims back, at the same time. Whatever comes first wins, and the other
// changes nothing.
func TestReaperAgainstWorker(t *testing.T) {
	r := newRig(t, queue.Options{})
	for range 20 {
		id := r.push("one", directive.P0)
		c := r.next(queue.Next{Consumer: "w"})
		r.clock.advance(time.Minute)
		var wg sync.WaitGroup
		var doneErr, reapErr error
		var reaped queue.Reaped
		wg.Go(func() { _, doneErr = r.q.Done(background(), act(id, c.Token)) })
		wg.Go(func() { reaped, reapErr = r.q.Reap(background(), queue.Reap{Stale: 30 * time.Second}) })
		wg.Wait()
		if reapErr != nil {
			t.Fatal(reapErr)
		}
		d := r.show(id)
		switch {
		case doneErr == nil && len(reaped.Reclaimed) == 0 && d.Status == directive.StatusDone && d.RequeueCount == 0:
		case model.CodeOf(doneErr) == model.CodeToken && len(reaped.Reclaimed) == 1 && d.Status == directive.StatusPending:
			ok(t)(r.q.Drop(background(), force(id)))
		default:
			t.Fatalf("done: %v, reaped: %+v, now %s with %d requeues", doneErr, reaped, d.Status, d.RequeueCount)
		}
	}
}
