package queue_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"binnacle/backend/clock/clocktest"
	"binnacle/backend/parts"
	"binnacle/backend/queue"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/model"
	"binnacle/model/directive"
)

// clock is a machine's clocks that tests move.
type clock struct{ *clocktest.Machine }

func newClock() *clock {
	return &clock{clocktest.New(model.TimeOf(time.Date(2026, 6, 20, 12, 0, 0, 0, time.UTC)))}
}

func (c *clock) now() model.Time           { return c.Now() }
func (c *clock) advance(d time.Duration)   { c.Advance(d) }
func (c *clock) set(t model.Time)          { c.Set(t) }
func ptr[T any](v T) *T                    { return &v }
func background() context.Context          { return context.Background() }
func act(id int64, token string) queue.Act { return queue.Act{ID: id, Token: token} }
func force(id int64) queue.Act             { return queue.Act{ID: id, Force: true, By: "operator"} }

// rig is a queue on a real database with a clock that stands still.
type rig struct {
	t     testing.TB
	q     *queue.Queue
	store store.Store
	clock *clock
	path  string
}

func newRig(t testing.TB, o queue.Options) *rig {
	t.Helper()
	r := openRig(t, o)
	t.Cleanup(r.close)
	return r
}

// openRig is newRig for tests that close many themselves.
func openRig(t testing.TB, o queue.Options) *rig {
	t.Helper()
	c := newClock()
	path := filepath.Join(t.TempDir(), "binnacle.db")
	s, err := storetest.OpenAt(path, storetest.Options{Parts: parts.All(), Clock: c.Read})
	if err != nil {
		t.Fatal(err)
	}
	o.Clock = c.Read
	q, err := queue.Open(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t, q, s, c, path}
}

func (r *rig) close() {
	if err := r.store.Close(); err != nil {
		r.t.Error(err)
	}
}

func (r *rig) push(body string, p directive.Priority, more ...func(*queue.Push)) int64 {
	r.t.Helper()
	in := queue.Push{Body: body, Priority: p}
	for _, f := range more {
		f(&in)
	}
	c, err := r.q.Push(background(), in)
	if err != nil {
		r.t.Fatalf("push %q: %v", body, err)
	}
	return c.After.ID
}

func (r *rig) next(n queue.Next) queue.Claim {
	r.t.Helper()
	c, err := r.q.Next(background(), n)
	if err != nil {
		r.t.Fatalf("next: %v", err)
	}
	return c
}

func (r *rig) show(id int64) queue.Detail {
	r.t.Helper()
	d, err := r.q.Show(background(), id)
	if err != nil {
		r.t.Fatalf("show %d: %v", id, err)
	}
	return d
}

func (r *rig) wantStatus(id int64, status string) {
	r.t.Helper()
	if got := r.show(id).Status; got != status {
		r.t.Fatalf("#%d is %s, want %s", id, got, status)
	}
}

func ok(t testing.TB) func(queue.Change, error) queue.Change {
	return func(c queue.Change, err error) queue.Change {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
}

func wantCode(t testing.TB, err error, code model.Code) {
	t.Helper()
	if err == nil || model.CodeOf(err) != code {
		t.Fatalf("got %v (%s), want %s", err, model.CodeOf(err), code)
	}
}

func TestLifecycle(t *testing.T) {
	r := newRig(t, queue.Options{})
	a := r.push("later", directive.P2)
	b := r.push("soon", directive.P0)
	c := r.push("soon, too", directive.P0)
	one := r.next(queue.Next{Consumer: "w1"})
	if one.Directive.ID != b || one.Directive.Attempt != 1 || len(one.Token) != 32 {
		t.Fatalf("got %+v", one)
	}
	if want := r.clock.now().Add(queue.DefaultLease); one.Directive.LeaseUntil != want {
		t.Fatalf("lease until %s, want %s", one.Directive.LeaseUntil, want)
	}
	ok(t)(r.q.Done(background(), act(b, one.Token)))
	r.wantStatus(b, directive.StatusDone)
	two := r.next(queue.Next{Consumer: "w1"})
	if two.Directive.ID != c {
		t.Fatalf("got #%d", two.Directive.ID)
	}
	ok(t)(r.q.Requeue(background(), act(c, two.Token)))
	if d := r.show(c); d.Status != directive.StatusPending || d.RequeueCount != 1 || d.TakenBy != "" {
		t.Fatalf("got %+v", d)
	}
	again := r.next(queue.Next{})
	if again.Directive.ID != c || again.Directive.Attempt != 2 || again.Token == two.Token {
		t.Fatalf("got %+v", again)
	}
	if last := r.next(queue.Next{}); last.Directive.ID != a {
		t.Fatalf("got #%d", last.Directive.ID)
	}
	_, err := r.q.Next(background(), queue.Next{})
	wantCode(t, err, model.CodeEmpty)
	if model.Exit(err) != 3 {
		t.Fatalf("exit %d", model.Exit(err))
	}
	h := r.show(c).History
	var actions []string
	for _, e := range h {
		actions = append(actions, e.State)
	}
	if len(actions) != 4 || h[0].Topic != "queue/default" || h[1].Producer != "w1" {
		t.Fatalf("history %v", actions)
	}
}

// wantFold replays the ledger and compares every directive and count with the
// tables.
func (r *rig) wantFold() *store.Fold {
	r.t.Helper()
	s := store.NewFold(r.store.Parts())
	err := r.store.Read(background(), func(rd store.Reader) error {
		for {
			events, err := rd.Events(s.Head.Seq, 1_000)
			if err != nil {
				return err
			}
			if len(events) == 0 {
				break
			}
			for _, e := range events {
				if _, _, err := s.Apply(e); err != nil {
					return err
				}
			}
		}
		counts, err := rd.Counts()
		if err != nil {
			return err
		}
		for k, n := range s.Counts {
			if counts[k] != n {
				return fmt.Errorf("%v is %d in the table, %d in the fold", k, counts[k], n)
			}
		}
		for key, want := range s.Of(queue.Directives) {
			got, err := rd.Record(queue.Directives, key)
			if err != nil {
				return err
			}
			if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
				return fmt.Errorf("table\n%+v\nfold\n%+v", got, want)
			}
		}
		return nil
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return s
}
