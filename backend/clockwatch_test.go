package backend_test

import (
	"context"
	"testing"
	"time"

	"binnacle/backend"
	"binnacle/backend/clock/clocktest"
	"binnacle/backend/ledger"
	"binnacle/backend/queue"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/directive"
)

// noon is the first instant of the machines that these tests move.
var noon = model.TimeOf(time.Date(2026, 6, 20, 12, 0, 0, 0, time.UTC))

func onMachine(t *testing.T, path string, m *clocktest.Machine) *backend.Backend {
	return open(t, path, func(o *backend.Options) { o.Clock = m.Read })
}

func clockAlarms(s desk.Snapshot) (out []string) {
	for _, a := range s.Health {
		if a.Engine == "clock" {
			out = append(out, a.Text)
		}
	}
	return out
}

// TestClockBehindTheNewestEvent: the alarm says by how much and since which
// event, in a snapshot as in the status, and goes when it is no longer so.
func TestClockBehindTheNewestEvent(t *testing.T) {
	m := clocktest.New(noon)
	b := onMachine(t, place(t), m)
	look := func() (alarms []string, status []string) {
		s, err := b.Snapshot(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		st, err := b.Ledger.Status(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return clockAlarms(s), st.Alarms
	}
	for range 5 {
		emit(t, b, model.KindNote, `{"text":"in time"}`)
	}
	m.Step(24 * time.Hour)
	ahead := emit(t, b, model.KindNote, `{"text":"a day ahead"}`)
	m.Step(-24 * time.Hour)
	want := "the clock is 24 h 0 m behind the newest event #6 by tester"
	if alarms, status := look(); len(alarms) != 1 || alarms[0] != want || len(status) != 1 || status[0] != want {
		t.Fatalf("got %q and %q, want %q", alarms, status, want)
	}
	m.Advance(time.Hour)
	later := emit(t, b, model.KindNote, `{"text":"later"}`)
	if later.TS != ahead.TS {
		t.Fatalf("event times went from %s to %s", ahead.TS, later.TS)
	}
	want = "the clock is 23 h 0 m behind the newest event: times run ahead since #6 by tester"
	if alarms, status := look(); len(alarms) != 1 || alarms[0] != want || len(status) != 1 || status[0] != want {
		t.Fatalf("got %q and %q, want %q", alarms, status, want)
	}
	m.Advance(23*time.Hour - model.ClockSlack)
	if alarms, status := look(); len(alarms) != 0 || len(status) != 0 {
		t.Fatalf("within the slack: %q and %q", alarms, status)
	}
}

// TestClockThatIsSet: an alarm while it is off, and none once it is set back.
func TestClockThatIsSet(t *testing.T) {
	m := clocktest.New(noon)
	b := onMachine(t, place(t), m)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.Run(ctx)
	until(t, b, "the first look", func(s desk.Snapshot) bool { return s.Duties.Held })
	m.Suspend(8 * time.Hour) // a machine that slept is none that was set
	m.Step(time.Hour)
	until(t, b, "the alarm", func(s desk.Snapshot) bool {
		a := clockAlarms(s)
		return len(a) == 1 && a[0] == "the clock was set forward by 1 h 0 m"
	})
	m.Step(-time.Hour)
	until(t, b, "its end", func(s desk.Snapshot) bool { return len(clockAlarms(s)) == 0 })
}

// TestDutiesWakeWithTheMachine: after a sleep of eight hours what waits for the
// wall clock comes about at once, though Go's timers slept, too, and the lease
// is left to its holder.
func TestDutiesWakeWithTheMachine(t *testing.T) {
	m := clocktest.New(noon)
	b := onMachine(t, place(t), m)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	held, err := b.Queue.Push(ctx, queue.Push{Body: "held"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Queue.Next(ctx, queue.Next{Consumer: "w", Lease: time.Minute}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Ledger.ClaimWork(ctx, ledger.ClaimRequest{Key: "job", Executor: "w", Lease: time.Minute}); err != nil {
		t.Fatal(err)
	}
	later, err := b.Queue.Push(ctx, queue.Push{Body: "later", NotBefore: noon.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Ledger.Emit(ctx, ledger.EmitRequest{
		Topic: "x", Kind: model.KindSignal, Key: "s", Payload: []byte(`{"summary":"soon over","expires":"2026-06-20T13:00:00Z"}`),
	}); err != nil {
		t.Fatal(err)
	}
	b.Run(ctx)
	until(t, b, "the duties", func(s desk.Snapshot) bool { return s.Duties.Held })
	m.Suspend(8 * time.Hour)
	pending := func(s desk.Snapshot, id int64) bool {
		for _, l := range s.Lanes {
			for _, d := range l.Directives {
				if d.ID == id && d.Status == directive.StatusPending {
					return true
				}
			}
		}
		return false
	}
	s := until(t, b, "what waited for the wall clock", func(s desk.Snapshot) bool {
		return pending(s, later.After.ID) && len(s.Signals) == 0
	})
	if len(s.Taken) != 1 || s.Taken[0].ID != held.After.ID || s.Taken[0].Term().Left(s.Clocks) != time.Minute || len(s.Work) != 1 {
		t.Fatalf("the sleep cost a lease: %+v, %+v", s.Taken, s.Work)
	}
	m.Advance(time.Minute)
	m.Step(-9 * time.Hour) // so that the watch wakes the duties, whatever the clock says
	until(t, b, "the leases' end", func(s desk.Snapshot) bool {
		return len(s.Taken) == 0 && len(s.Work) == 0 && pending(s, held.After.ID)
	})
}
