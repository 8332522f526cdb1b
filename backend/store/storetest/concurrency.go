package storetest

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"binnacle/backend/store"
	"binnacle/model"
)

// storm appends from many goroutines and returns what was acknowledged.
func storm(t testing.TB, s store.Store, name string, writers, each int) map[int64]string {
	t.Helper()
	var mu sync.Mutex
	acked := map[int64]string{}
	var wg sync.WaitGroup
	for w := range writers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range each {
				out, err := s.Append(context.Background(), []model.Draft{note(fmt.Sprintf("%s %d %d", name, w, i))})
				if err != nil {
					t.Errorf("append: %v", err)
					return
				}
				mu.Lock()
				acked[out[0].Seq] = out[0].Hash
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	return acked
}

func concurrent(t *testing.T, h harness) {
	s := h.New(t, ticking())
	acked := storm(t, s, "one", 32, 25)
	events := allEvents(t, s)
	if len(acked) != 32*25 || len(events) != len(acked) {
		t.Fatalf("%d acknowledged, %d there", len(acked), len(events))
	}
	for _, e := range events {
		if acked[e.Seq] != e.Hash {
			t.Fatalf("event %d was acknowledged with another hash", e.Seq)
		}
	}
	CheckWhole(t, s)
}

func twoStores(t *testing.T, h harness) {
	a := h.New(t, ticking())
	b := h.Again(t, a, ticking())
	var fromA, fromB map[int64]string
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); fromA = storm(t, a, "a", 8, 25) }()
	go func() { defer wg.Done(); fromB = storm(t, b, "b", 8, 25) }()
	wg.Wait()
	if len(fromA) != 200 || len(fromB) != 200 {
		t.Fatalf("%d and %d acknowledged", len(fromA), len(fromB))
	}
	for seq := range fromA {
		if _, twice := fromB[seq]; twice {
			t.Fatalf("event %d was given to two writers", seq)
		}
	}
	if state := CheckWhole(t, a); state.Head.Seq != 400 {
		t.Fatalf("%d events, want 400", state.Head.Seq)
	}
}

func oneWinner(t *testing.T, h harness) {
	a := h.New(t, ticking())
	b := h.Again(t, a, ticking())
	for round := range 5 {
		key := fmt.Sprint("s", round)
		appendOne(t, a, draft(model.KindSignal, key, "pending", map[string]any{"summary": "x"}))
		var wins atomic.Int64
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				s := []store.Store{a, b}[i%2]
				d := draft(model.KindSignal, key, "claimed", map[string]any{"by": fmt.Sprint(i)})
				_, err := s.Append(context.Background(), []model.Draft{d})
				switch {
				case err == nil:
					wins.Add(1)
				case model.CodeOf(err) != model.CodeRefused:
					t.Errorf("a losing claim ended with %v", err)
				}
			}()
		}
		wg.Wait()
		if wins.Load() != 1 {
			t.Fatalf("%d claims won", wins.Load())
		}
	}
	CheckWhole(t, a)
}

// held blocks the store's committer until release is closed.
func held(t testing.TB, s store.Store) (release func()) {
	t.Helper()
	running, gate, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		var once sync.Once
		_ = s.Write(context.Background(), func(store.Tx) error {
			once.Do(func() { close(running) })
			<-gate
			return nil
		})
	}()
	<-running
	return func() { close(gate); <-done }
}

func cancelWaiting(t *testing.T, h harness) {
	s := h.New(t, ticking())
	release := held(t, s)
	ctx, cancel := context.WithCancel(context.Background())
	var ran atomic.Bool
	result := make(chan error, 1)
	go func() {
		result <- s.Write(ctx, func(store.Tx) error { ran.Store(true); return nil })
	}()
	eventually(t, "the write waits", func() bool { return s.Health().Waiting == 1 })
	cancel()
	wantCode(t, <-result, model.CodeCancelled)
	release()
	appendOne(t, s, note("after"))
	if ran.Load() {
		t.Fatal("a cancelled write ran")
	}
	if err := s.Write(ctx, func(store.Tx) error { ran.Store(true); return nil }); err == nil || ran.Load() {
		t.Fatalf("a write that was cancelled before it began: %v", err)
	}
}

func cancelRunning(t *testing.T, h harness) {
	s := h.New(t, ticking())
	ctx, cancel := context.WithCancel(context.Background())
	err := s.Write(ctx, func(tx store.Tx) error {
		cancel()
		_, err := tx.Append(note("there"))
		return err
	})
	n := len(allEvents(t, s))
	if err != nil || n != 1 {
		t.Fatalf("it ended with %v, and %d events are there", err, n)
	}
}
