package queue_test

import (
	"maps"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"binnacle/backend/queue"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/model"
	"binnacle/model/directive"
)

// held is a claim as its holder knows it: nothing here is read from the queue.
type held struct {
	token string
	boot  string
	awake time.Duration // its end on the boot's clock
	wall  model.Time    // its end elsewhere
}

func (h held) over(now model.Reading) bool {
	if h.boot == now.Boot {
		return now.Awake >= h.awake
	}
	return now.Wall >= h.wall
}

// TestNoClockTakesALease: whatever the clocks do, no lease is taken over that
// its holder could have kept, and one whose end has come on its own clock is
// given back at once.
func TestNoClockTakesALease(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		r := openRig(t, queue.Options{MaxAttempts: ptr(int64(0))})
		defer r.close()
		all := map[int64]bool{}
		claims := map[int64]held{}
		span := func(name string) time.Duration {
			return time.Duration(rapid.IntRange(1, 120).Draw(rt, name)) * time.Second
		}
		long := func() time.Duration {
			return time.Duration(rapid.SampledFrom([]int{-86400, -3600, -70, -1, 1, 70, 3600, 86400}).Draw(rt, "step")) * time.Second
		}
		keep := func(id int64, token string, d time.Duration) {
			now := r.clock.Read()
			claims[id] = held{token, now.Boot, now.Awake + d, now.Wall.Add(d)}
		}
		for range 3 {
			all[r.push("one", directive.P1)] = true
		}
		rt.Repeat(map[string]func(*rapid.T){
			"push": func(*rapid.T) { all[r.push("one", directive.P1)] = true },
			"next": func(*rapid.T) {
				d := span("lease")
				c, err := r.q.Next(background(), queue.Next{Consumer: "w", Lease: d})
				if model.CodeOf(err) == model.CodeEmpty && err != nil {
					for id := range all {
						if h, is := claims[id]; !is || h.over(r.clock.Read()) {
							rt.Fatalf("#%d was not given out: %+v at %+v", id, h, r.clock.Read())
						}
					}
					return
				}
				if err != nil {
					rt.Fatal(err)
				}
				id := c.Directive.ID
				if h, is := claims[id]; is && !h.over(r.clock.Read()) {
					rt.Fatalf("#%d was taken over: %+v at %+v", id, h, r.clock.Read())
				}
				keep(id, c.Token, d)
			},
			"touch": func(*rapid.T) {
				if len(claims) == 0 {
					rt.Skip("nothing is held")
				}
				id := rapid.SampledFrom(slices.Sorted(maps.Keys(claims))).Draw(rt, "id")
				h, d := claims[id], span("lease")
				_, err := r.q.Touch(background(), act(id, h.token), d)
				if h.over(r.clock.Read()) != (err != nil) {
					rt.Fatalf("#%d was touched at %+v: %v; it was %+v", id, r.clock.Read(), err, h)
				}
				if err == nil {
					keep(id, h.token, d)
				}
			},
			"reap": func(*rapid.T) {
				got, err := r.q.Reap(background(), queue.Reap{})
				if err != nil {
					rt.Fatal(err)
				}
				for _, x := range got.Reclaimed {
					if h := claims[x.ID]; !h.over(r.clock.Read()) {
						rt.Fatalf("#%d was taken back: %+v at %+v", x.ID, h, r.clock.Read())
					}
					delete(claims, x.ID)
				}
				for id, h := range claims {
					if s := r.show(id).Status; h.over(r.clock.Read()) && s == directive.StatusTaken {
						rt.Fatalf("#%d is taken still: %+v at %+v", id, h, r.clock.Read())
					}
				}
			},
			"wait":    func(*rapid.T) { r.clock.advance(span("time")) },
			"step":    func(*rapid.T) { r.clock.Step(long()) },
			"suspend": func(*rapid.T) { r.clock.Suspend(span("sleep") * 30) },
			"reboot":  func(*rapid.T) { r.clock.Reboot(span("off")) },
			"": func(*rapid.T) {
				now := r.clock.Read()
				err := r.store.Read(background(), func(rd store.Reader) error {
					left, none, err := queue.NextDue(rd, now)
					for id, h := range claims {
						d, err := queue.Directives.Get(rd, directive.Key(id))
						if err != nil {
							return err
						}
						if d.TokenHash != model.HashOf([]byte(h.token)) {
							delete(claims, id) // a write gave it back meanwhile
							if !h.over(now) {
								rt.Fatalf("#%d was lost: %+v at %+v", id, h, now)
							}
							continue
						}
						if d.Lapsed(now) != h.over(now) {
							rt.Fatalf("#%d lapsed: %v, but %+v at %+v", id, d.Lapsed(now), h, now)
						}
						if none || left > d.Term().Left(now) {
							rt.Fatalf("the next is due in %s (%v), #%d in %s", left, none, id, d.Term().Left(now))
						}
					}
					return err
				})
				if err != nil {
					rt.Fatal(err)
				}
			},
		})
		storetest.CheckWhole(t, r.store)
	})
}

// TestEventAheadStopsNothing: one event written with a clock a day ahead stops
// neither leases nor deferrals once the clock is right again.
func TestEventAheadStopsNothing(t *testing.T) {
	r := newRig(t, queue.Options{})
	r.clock.Step(24 * time.Hour)
	r.push("written with a clock that is ahead", directive.P2)
	r.clock.Step(-24 * time.Hour)
	leased, later := r.push("leased", directive.P0), r.push("later", directive.P1)
	c := r.next(queue.Next{Consumer: "w", Lease: time.Minute})
	if c.Directive.ID != leased || c.Directive.LeaseUntil != r.clock.now().Add(time.Minute) {
		t.Fatalf("got %+v", c.Directive)
	}
	put := ok(t)(r.q.Defer(background(), force(later), queue.Deferral{For: time.Minute}))
	if put.After.NotBefore != r.clock.now().Add(time.Minute) {
		t.Fatalf("deferred until %s", put.After.NotBefore)
	}
	r.clock.advance(time.Minute)
	if d := r.show(leased); !d.Due {
		t.Fatalf("not shown as due: %+v", d.Directive)
	}
	got, err := r.q.Reap(background(), queue.Reap{})
	if err != nil || len(got.Reclaimed) != 1 || got.Reclaimed[0].ID != leased || len(got.Promoted) != 1 || got.Promoted[0] != later {
		t.Fatalf("got %+v, %v", got, err)
	}
}

// TestSleepCostsNoLease: a machine that sleeps wakes to the leases as they were,
// and what waits for the wall clock is due at once.
func TestSleepCostsNoLease(t *testing.T) {
	r := newRig(t, queue.Options{})
	a := r.push("a", directive.P0)
	b := r.push("b", directive.P1, func(p *queue.Push) { p.NotBefore = r.clock.now().Add(time.Hour) })
	c := r.next(queue.Next{Consumer: "w", Lease: time.Minute})
	r.clock.Suspend(8 * time.Hour)
	if got := r.next(queue.Next{Consumer: "v"}); got.Directive.ID != b {
		t.Fatalf("#%d was given out", got.Directive.ID)
	}
	_, err := r.q.Next(background(), queue.Next{Consumer: "v"})
	wantCode(t, err, model.CodeEmpty)
	// Nor is it stale, for nobody could have worked on it meanwhile.
	if got, err := r.q.Reap(background(), queue.Reap{Stale: time.Hour}); err != nil || len(got.Reclaimed) != 0 {
		t.Fatalf("got %+v, %v", got, err)
	}
	ok(t)(r.q.Touch(background(), act(a, c.Token), time.Minute))
	r.clock.advance(30 * time.Second)
	w, err := r.q.Why(background(), a)
	if err != nil || !slices.Contains(w.Sentences(nil), "Its lease runs until "+r.clock.now().Add(30*time.Second).In(nil)+", for another 0:30.") {
		t.Fatalf("why: %q, %v", w.Sentences(nil), err)
	}
	r.clock.advance(time.Hour)
	if got, err := r.q.Reap(background(), queue.Reap{Stale: time.Hour}); err != nil || len(got.Reclaimed) != 2 {
		t.Fatalf("got %+v, %v", got, err)
	}
}

// TestAnotherBoot: a claim of before a restart goes by the wall clock, and one
// that is touched after it goes by the new boot's.
func TestAnotherBoot(t *testing.T) {
	r := newRig(t, queue.Options{})
	a, b := r.push("a", directive.P0), r.push("b", directive.P1)
	ca := r.next(queue.Next{Consumer: "w", Lease: 10 * time.Minute})
	r.next(queue.Next{Consumer: "w", Lease: 10 * time.Minute})
	r.clock.Reboot(time.Minute)
	ok(t)(r.q.Touch(background(), act(a, ca.Token), 10*time.Minute))
	r.clock.Step(24 * time.Hour)
	got, err := r.q.Reap(background(), queue.Reap{})
	if err != nil || len(got.Reclaimed) != 1 || got.Reclaimed[0].ID != b {
		t.Fatalf("got %+v, %v", got, err)
	}
	// How long it was held is not known on this boot: the wall clock says it.
	if d := r.show(a); d.TakenAwake != 0 || d.Held(r.clock.Read()) != 24*time.Hour+time.Minute {
		t.Fatalf("held for %s: %+v", d.Held(r.clock.Read()), d.Directive)
	}
}

// TestUndoGivesTheWholeLeaseBack: both ends.
func TestUndoGivesTheWholeLeaseBack(t *testing.T) {
	r := newRig(t, queue.Options{})
	id := r.push("a", directive.P0)
	c := r.next(queue.Next{Consumer: "w", Lease: 10 * time.Minute})
	was := r.show(id).Directive
	for _, do := range []func() queue.Change{
		func() queue.Change { return ok(t)(r.q.Touch(background(), force(id), time.Hour)) },
		func() queue.Change { return ok(t)(r.q.Requeue(background(), force(id))) },
	} {
		change := do()
		ok(t)(r.undo(change))
		d := r.show(id).Directive
		if d.Term() != was.Term() || d.TakenAwake != was.TakenAwake || d.TakenAwake == 0 {
			t.Fatalf("after %s: %+v, it was %+v", change.Action, d, was)
		}
	}
	r.clock.Step(24 * time.Hour)
	ok(t)(r.q.Done(background(), act(id, c.Token)))
}
