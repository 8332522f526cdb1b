package ledger_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"binnacle/backend/ledger"
	"binnacle/backend/ledger/ledgertest"
	"binnacle/backend/ledger/query"
	"binnacle/model"
	"binnacle/model/filter"
)

// drain reads until the subscription has dealt with the event last. It checks
// that events come in order, each once, and that notices stand where the gaps
// are, and returns how many events came, how many were missed and how many were
// said to come late.
func drain(t testing.TB, s *ledger.Subscription, from, last int64, match func(*model.Event) bool, slow func()) (delivered, missed, late int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	at := from
	for at < last {
		items, err := s.Next(ctx)
		if err != nil {
			t.Fatalf("at event %d of %d: %v", at, last, err)
		}
		for _, it := range items {
			if n := it.Gap; n != nil {
				if n.From <= at || n.To < n.From || n.Next.Seq != n.From-1 {
					t.Fatalf("after event %d: %+v", at, n)
				}
				missed += n.Missed
				late += n.Late
				if n.Missed > 0 {
					at = n.To
				}
				continue
			}
			if it.Event.Seq <= at {
				t.Fatalf("event %d after event %d", it.Event.Seq, at)
			}
			if match != nil && !match(&it.Event) {
				t.Fatalf("event %d does not match", it.Event.Seq)
			}
			at = it.Event.Seq
			delivered++
		}
		if slow != nil {
			slow()
		}
	}
	return delivered, missed, late
}

func TestSubscribe(t *testing.T) {
	f := ledgertest.Open(t)
	ctx := context.Background()
	f.Notes(100)
	cursor := f.Cursor(40)
	since, err := f.Subscribe(ctx, ledger.SubscribeOptions{Since: &cursor})
	if err != nil {
		t.Fatal(err)
	}
	defer since.Close()
	topic := func(e *model.Event) bool { return e.Topic == "t/1" }
	replay, err := f.Subscribe(ctx, ledger.SubscribeOptions{Replay: 5, Match: topic})
	if err != nil {
		t.Fatal(err)
	}
	defer replay.Close()
	now, err := f.Subscribe(ctx, ledger.SubscribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer now.Close()
	f.Notes(10)
	if n, _, _ := drain(t, since, 40, 110, nil, nil); n != 70 {
		t.Errorf("%d events since event 40", n)
	}
	last, err := query.All(ctx, f.Store(), query.Query{Topic: "t/1", Newest: true, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	if n, _, _ := drain(t, replay, 0, last[0].Seq, topic, nil); n != 7 {
		t.Errorf("%d events by replay", n)
	}
	if n, _, _ := drain(t, now, 100, 110, nil, nil); n != 10 {
		t.Errorf("%d events from now on", n)
	}
	if c := now.Cursor(); c != f.Cursor(110) {
		t.Errorf("cursor %v", c)
	}

	for name, c := range map[string]model.Cursor{"past the newest": f.Cursor(111), "another epoch": {Epoch: "other", Seq: 1}} {
		_, err := f.Subscribe(ctx, ledger.SubscribeOptions{Since: &c})
		if err == nil || model.CodeOf(err) != model.CodeStale {
			t.Errorf("%s: %v", name, err)
		}
	}
	expired, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := now.Next(expired); err == nil {
		t.Error("Next outlived its context")
	}
	bounded, stop := context.WithTimeout(ctx, 20*time.Second)
	defer stop()
	done := make(chan error, 1)
	go func() { _, err := now.Next(bounded); done <- err }()
	now.Close()
	ledgertest.WantCode(t, <-done, model.CodeCancelled)
}

func TestCloseEndsSubscriptions(t *testing.T) {
	f := ledgertest.Open(t)
	s, err := f.Subscribe(context.Background(), ledger.SubscribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	bounded, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	done := make(chan error, 1)
	go func() { _, err := s.Next(bounded); done <- err }()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	ledgertest.WantCode(t, <-done, model.CodeCancelled)
	_, err = f.Subscribe(context.Background(), ledger.SubscribeOptions{})
	ledgertest.WantCode(t, err, model.CodeCancelled)
}

// A storm against readers of every speed: delivered and missed add up to what
// was committed, nothing comes twice or out of order, and a reader that takes
// nothing does not slow a writer.
func TestSubscribersUnderStorm(t *testing.T) {
	f := ledgertest.Open(t)
	rapid.Check(t, func(rt *rapid.T) {
		f.Notes(rapid.IntRange(1, 50).Draw(rt, "before"))
		head, err := query.Count(context.Background(), f.Store(), query.Query{})
		if err != nil {
			rt.Fatal(err)
		}
		type reader struct {
			sub   *ledger.Subscription
			match func(*model.Event) bool
			mode  ledger.LagMode
			pause time.Duration
			from  int64
		}
		var readers []reader
		for i := range rapid.IntRange(1, 5).Draw(rt, "readers") {
			r := reader{
				mode:  rapid.SampledFrom([]ledger.LagMode{ledger.CatchUp, ledger.Skip}).Draw(rt, "mode"),
				pause: time.Duration(rapid.IntRange(0, 3).Draw(rt, "pause")) * time.Millisecond,
				from:  rapid.Int64Range(max(0, head-100), head).Draw(rt, "from"),
			}
			if rapid.Bool().Draw(rt, "filtered") {
				topic := fmt.Sprintf("t/%d", i)
				r.match = func(e *model.Event) bool { return e.Topic == topic || e.Topic == "end" }
			}
			c := f.Cursor(r.from)
			r.sub, err = f.Subscribe(context.Background(), ledger.SubscribeOptions{
				Match: r.match, Since: &c, Lag: r.mode, Outbox: rapid.IntRange(1, 40).Draw(rt, "outbox"),
			})
			if err != nil {
				rt.Fatal(err)
			}
			defer r.sub.Close()
			readers = append(readers, r)
		}
		idle, err := f.Subscribe(context.Background(), ledger.SubscribeOptions{Outbox: 1})
		if err != nil {
			rt.Fatal(err)
		}
		defer idle.Close()

		commits := rapid.SliceOfN(rapid.IntRange(1, 60), 1, 20).Draw(rt, "commits")
		total := head
		for _, n := range commits {
			total += int64(n)
		}
		last := total + 1
		var wg sync.WaitGroup
		for _, r := range readers {
			wg.Add(1)
			go func() {
				defer wg.Done()
				got, missed, late := drain(t, r.sub, r.from, last, r.match, func() { time.Sleep(r.pause) }) //nolint // a slow reader
				var want int64
				err := query.Each(context.Background(), f.Store(), query.Query{After: r.from, Before: last + 1}, func(e *model.Event) error {
					if r.match == nil || r.match(e) {
						want++
					}
					return nil
				})
				if err != nil || got+missed != want {
					t.Errorf("delivered %d, missed %d, committed %d (%v)", got, missed, want, err)
				}
				if r.mode == ledger.CatchUp && missed > 0 || r.mode == ledger.Skip && late > 0 {
					t.Errorf("mode %d: missed %d, late %d", r.mode, missed, late)
				}
			}()
		}
		for _, n := range commits {
			f.Notes(n)
		}
		f.Note("end", "end") // passes every filter: each reader sees it, or sees it missed
		finished := make(chan struct{})
		go func() { wg.Wait(); close(finished) }()
		select {
		case <-finished:
		case <-time.After(30 * time.Second):
			rt.Fatal("a reader hangs")
		}
	})
}

// Two ledgers on one file: what the other process commits comes, too.
func TestSubscribeAcrossProcesses(t *testing.T) {
	f := ledgertest.Open(t)
	other := ledgertest.OpenAt(t, f.Path, f.Clock)
	s, err := f.Subscribe(context.Background(), ledger.SubscribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 20 {
		other.Notes(3)
		f.Notes(2)
	}
	if n, _, _ := drain(t, s, 0, 100, nil, nil); n != 100 {
		t.Fatalf("%d events", n)
	}
}

func TestLateIsExact(t *testing.T) {
	f := ledgertest.Open(t)
	s, err := f.Subscribe(context.Background(), ledger.SubscribeOptions{Outbox: 10})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	// Join the tailer first, by reading one event.
	f.Notes(1)
	drain(t, s, 0, 1, nil, nil)
	f.Notes(100)
	ledgertest.Eventually(t, "the outbox overflowed", func() bool { return s.Behind() })
	got, missed, late := drain(t, s, 1, 101, nil, nil)
	if got != 100 || missed != 0 || late != 90 {
		t.Fatalf("delivered %d, missed %d, late %d", got, missed, late)
	}
	f.Notes(5)
	if got, _, late := drain(t, s, 101, 106, nil, nil); got != 5 || late != 0 {
		t.Fatalf("after catching up: delivered %d, late %d", got, late)
	}
}

func TestFilterServesSubscribers(t *testing.T) {
	f := ledgertest.Open(t)
	filter, err := filter.Parse("topic:t/3 note", f.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	s, err := f.Subscribe(context.Background(), ledger.SubscribeOptions{Match: filter.Match})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	f.Notes(70)
	if n, _, _ := drain(t, s, 0, 67, filter.Match, nil); n != 10 {
		t.Fatalf("%d events", n)
	}
	if !strings.HasPrefix(s.Cursor().String(), "e"+f.Epoch()+".") {
		t.Fatal(s.Cursor())
	}
}
