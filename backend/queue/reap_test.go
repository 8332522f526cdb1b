package queue_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"binnacle/backend/ledger"
	"binnacle/backend/queue"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/directive"
)

func (r *rig) head() model.Head {
	r.t.Helper()
	var h model.Head
	err := r.store.Read(background(), func(rd store.Reader) (err error) {
		h, err = rd.Head()
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return h
}

func TestLapseIsShownByReadsAndDoneByWrites(t *testing.T) {
	r := newRig(t, queue.Options{})
	id := r.push("one", directive.P0)
	r.next(queue.Next{Consumer: "w", Lease: time.Minute})
	r.clock.advance(time.Minute)
	head := r.head()
	p, err := r.q.Peek(background(), "")
	if err != nil || p.ID != id || !p.Due || p.Status != directive.StatusTaken {
		t.Fatalf("peek: %+v, %v", p, err)
	}
	l, err := r.q.List(background(), queue.List{})
	if err != nil || len(l.Items) != 1 || !l.Items[0].Due {
		t.Fatalf("list: %+v, %v", l, err)
	}
	if line := directive.Line(l.Items[0].Directive, r.clock.Read(), nil); !strings.Contains(line, "<taken> by=w") ||
		!strings.Contains(line, " lapsed") {
		t.Fatalf("line %q", line)
	}
	s, err := r.q.Stats(background(), "")
	if err != nil || s.Lapsed != 1 || len(s.ByStatus) != 1 || s.ByStatus[0].Status != directive.StatusTaken {
		t.Fatalf("stats: %+v, %v", s, err)
	}
	if d := r.show(id); !d.Due {
		t.Fatalf("show: %+v", d)
	}
	w, err := r.q.Why(background(), id)
	if err != nil || !strings.Contains(strings.Join(w.Sentences(nil), " "), "next write takes it back") {
		t.Fatalf("why: %v, %v", w.Sentences(nil), err)
	}
	if r.head() != head {
		t.Fatal("a read wrote")
	}
	r.push("a write in another lane", directive.P2, func(p *queue.Push) { p.Lane = "other" })
	if d := r.show(id); d.Status != directive.StatusPending || d.RequeueCount != 1 || d.Lapses != 1 {
		t.Fatalf("got %+v", d.Directive)
	}
}

func TestPoison(t *testing.T) {
	r := newRig(t, queue.Options{MaxAttempts: ptr(int64(3))})
	id := r.push("kills its workers", directive.P0)
	other := r.push("fine", directive.P1)
	for range 3 {
		if c := r.next(queue.Next{Consumer: "w", Lease: time.Minute}); c.Directive.ID != id {
			t.Fatalf("got #%d", c.Directive.ID)
		}
		r.clock.advance(time.Minute)
	}
	if p, err := r.q.Peek(background(), ""); err != nil || p.ID != other {
		t.Fatalf("peek would give %+v, %v", p, err)
	}
	if c := r.next(queue.Next{}); c.Directive.ID != other {
		t.Fatalf("got #%d", c.Directive.ID)
	}
	d := r.show(id)
	if d.Status != directive.StatusParked || d.Attempt != 3 || d.Lapses != 3 || !strings.Contains(d.Reason, "3rd lapse") {
		t.Fatalf("got %+v", d.Directive)
	}
	signal := func(key string) model.Signal {
		t.Helper()
		var s model.Signal
		if err := r.store.Read(background(), func(rd store.Reader) (err error) {
			s, err = ledger.Signals.Get(rd, key)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := signal(fmt.Sprintf("poison/%d", id))
	if s.State != model.SignalPending || s.Topic != "queue/default" || !strings.Contains(s.Summary, "parked") {
		t.Fatalf("signal %+v", s)
	}
	// Unparked, it begins anew; poisoned once more while the signal is open, it
	// asks once only.
	ok(t)(r.q.Unpark(background(), queue.Act{ID: id, By: "operator"}))
	if d := r.show(id); d.Lapses != 0 || d.Status != directive.StatusPending {
		t.Fatalf("got %+v", d.Directive)
	}
	for range 3 {
		r.next(queue.Next{Consumer: "w", Lease: time.Minute})
		r.clock.advance(time.Minute)
	}
	if _, err := r.q.Reap(background(), queue.Reap{}); err != nil {
		t.Fatal(err)
	}
	r.wantStatus(id, directive.StatusParked)
	if again := signal(fmt.Sprintf("poison/%d", id)); again.Rev != s.Rev {
		t.Fatalf("signal %+v", again)
	}
}

func TestPoisonOff(t *testing.T) {
	r := newRig(t, queue.Options{MaxAttempts: ptr(int64(0))})
	id := r.push("one", directive.P0)
	for range 25 {
		r.next(queue.Next{Lease: time.Second})
		r.clock.advance(time.Second)
	}
	if _, err := r.q.Reap(background(), queue.Reap{}); err != nil {
		t.Fatal(err)
	}
	if d := r.show(id); d.Status != directive.StatusPending || d.RequeueCount != 25 || d.Attempt != 25 {
		t.Fatalf("got %+v", d.Directive)
	}
}

func TestReapStale(t *testing.T) {
	r := newRig(t, queue.Options{})
	old := r.push("old", directive.P0)
	r.next(queue.Next{Consumer: "w", Lease: 24 * time.Hour})
	r.clock.advance(time.Hour)
	fresh := r.push("fresh", directive.P0)
	r.next(queue.Next{Consumer: "v", Lease: 24 * time.Hour})
	got, err := r.q.Reap(background(), queue.Reap{Stale: time.Hour})
	if err != nil || len(got.Reclaimed) != 1 || got.Reclaimed[0].ID != old || got.Reclaimed[0].TakenBy != "w" {
		t.Fatalf("got %+v, %v", got, err)
	}
	r.wantStatus(old, directive.StatusPending)
	r.wantStatus(fresh, directive.StatusTaken)
	// The same by next, before it takes.
	r.clock.advance(time.Hour)
	if c := r.next(queue.Next{Stale: time.Hour}); c.Directive.ID != old {
		t.Fatalf("got #%d", c.Directive.ID)
	}
	r.wantStatus(fresh, directive.StatusPending)
}

// TestReapMany: more than one transaction's worth.
func TestReapMany(t *testing.T) {
	r := newRig(t, queue.Options{})
	all := make([]queue.Push, 250)
	for i := range all {
		all[i] = queue.Push{Body: fmt.Sprint(i)}
	}
	if _, err := r.q.PushMany(background(), all); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 25 {
		wg.Go(func() {
			for range 10 {
				if _, err := r.q.Next(background(), queue.Next{Lease: time.Minute}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	r.clock.advance(2 * time.Minute)
	got, err := r.q.Reap(background(), queue.Reap{})
	if err != nil || len(got.Reclaimed) != 250 {
		t.Fatalf("got %d, %v", len(got.Reclaimed), err)
	}
}

// What nobody asked for is done by Binnacle itself, whoever's process it is.
func TestBinnacleActsInItsOwnName(t *testing.T) {
	r := newRig(t, queue.Options{MaxAttempts: ptr(int64(2)), Producer: "ana@host"})
	r.push("kills its workers", directive.P0)
	for range 2 {
		r.next(queue.Next{Consumer: "w", Lease: time.Minute})
		r.clock.advance(time.Minute)
	}
	if _, err := r.q.Reap(background(), queue.Reap{}); err != nil {
		t.Fatal(err)
	}
	var own []string
	err := r.store.Read(background(), func(rd store.Reader) error {
		events, err := rd.Events(0, 100)
		for _, e := range events {
			if e.Producer == model.Self {
				own = append(own, e.State)
			}
		}
		return err
	})
	want := []string{directive.StatusPending, directive.StatusParked, model.SignalPending} // a lapse, the last lapse, the signal
	if err != nil || !slices.Equal(own, want) {
		t.Fatalf("binnacle wrote %q, %v; wanted %q", own, err, want)
	}
}
