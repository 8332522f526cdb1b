package queue_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"binnacle/backend/parts"
	"binnacle/backend/queue"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/backend/wake"
	"binnacle/model"
)

// live opens a queue that runs on the machine's clock.
func live(t testing.TB, path string, o queue.Options) *queue.Queue {
	t.Helper()
	return on(t, opened(t, path), o)
}

func opened(t testing.TB, path string) store.Store {
	t.Helper()
	s, err := storetest.OpenAt(path, storetest.Options{Parts: parts.All()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func on(t testing.TB, s store.Store, o queue.Options) *queue.Queue {
	t.Helper()
	q, err := queue.Open(s, o)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// deaf is a store that nobody can listen to, as where the system gives no notices.
type deaf struct{ store.Store }

func (deaf) Listen(context.Context, string, func()) bool { return false }

// TestWaitersWinOnce: many wait in two processes' queues, one of which hears of
// commits alone; each directive that arrives wakes its lane and goes to exactly
// one.
func TestWaitersWinOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "binnacle.db")
	qs := []*queue.Queue{live(t, path, queue.Options{}), on(t, deaf{opened(t, path)}, queue.Options{})}
	const waiters = 12
	got := make(chan queue.Claim, waiters)
	var wg sync.WaitGroup
	for i := range waiters {
		wg.Go(func() {
			c, err := qs[i%2].NextWait(background(), queue.Next{Lane: "work"}, 20*time.Second)
			if err != nil {
				t.Error(err)
				return
			}
			got <- c
		})
	}
	seen := map[int64]bool{}
	for i := range waiters {
		if _, err := qs[i%2].Push(background(), queue.Push{Body: "noise", Lane: "other"}); err != nil {
			t.Fatal(err)
		}
		if _, err := qs[(i+1)%2].Push(background(), queue.Push{Body: fmt.Sprint(i), Lane: "work"}); err != nil {
			t.Fatal(err)
		}
		select {
		case c := <-got:
			if seen[c.Directive.ID] {
				t.Fatalf("#%d was given twice", c.Directive.ID)
			}
			seen[c.Directive.ID] = true
		case <-time.After(20 * time.Second):
			t.Fatal("nobody was woken")
		}
	}
	wg.Wait()
}

// TestAWaiterHearsThroughNoise: while others are busy in another lane, each
// directive is claimed by a waiting process soon after it was pushed, at whatever
// moment that is.
func TestAWaiterHearsThroughNoise(t *testing.T) {
	path := filepath.Join(t.TempDir(), "binnacle.db")
	waiting, noisy, pushing := live(t, path, queue.Options{}), live(t, path, queue.Options{}), live(t, path, queue.Options{})
	ctx, cancel := context.WithCancel(background())
	var all sync.WaitGroup
	defer all.Wait()
	defer cancel()
	all.Go(func() {
		for ctx.Err() == nil {
			if _, err := noisy.Push(background(), queue.Push{Body: "noise", Lane: "other"}); err != nil {
				t.Error(err)
				return
			}
			wake.Sleep(ctx, rand.N(20*time.Millisecond))
		}
	})
	const pushes = 30
	claimed := make(chan time.Time, pushes)
	all.Go(func() {
		for range pushes {
			if _, err := waiting.NextWait(ctx, queue.Next{Lane: "work"}, time.Minute); err != nil {
				t.Error(err)
				return
			}
			claimed <- time.Now()
		}
	})
	late := 0
	for range pushes {
		wake.Sleep(ctx, rand.N(50*time.Millisecond))
		if _, err := pushing.Push(background(), queue.Push{Body: "x", Lane: "work"}); err != nil {
			t.Fatal(err)
		}
		pushed := time.Now()
		select {
		case at := <-claimed:
			// Without being told of it a waiter looks every two seconds.
			if at.Sub(pushed) > time.Second/2 {
				late++
			}
		case <-time.After(20 * time.Second):
			t.Fatal("it was never claimed")
		}
	}
	if late > pushes/4 {
		t.Errorf("%d of %d were claimed late", late, pushes)
	}
}

// TestWaitForAnInstant: a waiter is woken by a deferral that becomes due and by
// a lease that runs out, without any commit.
func TestWaitForAnInstant(t *testing.T) {
	q := live(t, filepath.Join(t.TempDir(), "binnacle.db"), queue.Options{})
	soon := model.WallClock().Add(150 * time.Millisecond)
	c, err := q.Push(background(), queue.Push{Body: "soon", NotBefore: soon})
	if err != nil {
		t.Fatal(err)
	}
	first, err := q.NextWait(background(), queue.Next{Lease: 150 * time.Millisecond}, 20*time.Second)
	if err != nil || first.Directive.ID != c.After.ID || first.Directive.TakenAt < soon {
		t.Fatalf("got %+v, %v", first, err)
	}
	again, err := q.NextWait(background(), queue.Next{}, 20*time.Second)
	if err != nil || again.Directive.Attempt != 2 || again.Directive.TakenAt < first.Directive.LeaseUntil {
		t.Fatalf("got %+v, %v", again, err)
	}
}

func TestWaitEnds(t *testing.T) {
	before := goleak.IgnoreCurrent()
	s, err := storetest.OpenAt(storetest.Place(t), storetest.Options{Parts: parts.All()})
	if err != nil {
		t.Fatal(err)
	}
	q, err := queue.Open(s, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	begin := time.Now()
	_, err = q.NextWait(background(), queue.Next{}, 50*time.Millisecond)
	wantCode(t, err, model.CodeEmpty)
	if took := time.Since(begin); took < 50*time.Millisecond {
		t.Fatalf("waited for %s only", took)
	}
	ctx, cancel := context.WithCancel(background())
	done := make(chan error, 1)
	go func() {
		_, err := q.NextWait(ctx, queue.Next{}, time.Minute)
		done <- err
	}()
	cancel()
	if err := <-done; model.CodeOf(err) != model.CodeCancelled {
		t.Fatalf("got %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	goleak.VerifyNone(t, before)
}

// TestWaitingIsQuiet: who waits causes no commit and only a few looks, however
// busy the other lanes are.
func TestWaitingIsQuiet(t *testing.T) {
	path := filepath.Join(t.TempDir(), "binnacle.db")
	q := live(t, path, queue.Options{})
	ctx, cancel := context.WithCancel(background())
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { _, _ = q.NextWait(ctx, queue.Next{Lane: "idle"}, time.Minute) })
	}
	for i := range 100 {
		if _, err := q.Push(background(), queue.Push{Body: fmt.Sprint(i), Lane: "busy"}); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	wg.Wait()
	s, err := q.Stats(background(), "")
	if err != nil || len(s.ByStatus) != 1 || s.ByStatus[0].Count != 100 {
		t.Fatalf("%+v, %v", s, err)
	}
}
