package wake_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"binnacle/backend/wake"
	"binnacle/model"
)

// looks runs the loop within a bubble of time and notes when it looks, and why.
type looks struct {
	at    []time.Duration
	moved []bool
}

func (l *looks) run(t *testing.T, loop wake.Loop, next func(n int) time.Duration, act func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	begin := time.Now()
	go func() {
		defer close(ended)
		loop.Run(ctx, func(why wake.Why) time.Duration {
			l.at, l.moved = append(l.at, time.Since(begin)), append(l.moved, why.Moved)
			return next(len(l.at))
		})
	}()
	act()
	synctest.Wait()
	cancel()
	<-ended
}

func want(t *testing.T, l looks, at ...time.Duration) {
	t.Helper()
	if len(l.at) != len(at) {
		t.Fatalf("it looked at %v, want %v", l.at, at)
	}
	for i := range at {
		if l.at[i] != at[i] {
			t.Fatalf("it looked at %v, want %v", l.at, at)
		}
	}
}

func never(int) time.Duration { return wake.Never }

// Whatever happens while a look is too near comes together in the next one.
func TestWakeUpsAreCoalesced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bell, heads := wake.NewBell(), make(chan model.Head)
		var l looks
		l.run(t, wake.Loop{Bell: bell, Heads: heads, Least: 50 * time.Millisecond}, never, func() {
			for range 10 {
				bell.Ring()
				heads <- model.Head{}
				time.Sleep(time.Millisecond)
			}
			time.Sleep(time.Second)
			bell.Ring()
			time.Sleep(time.Second)
		})
		want(t, l, 0, 50*time.Millisecond, 1010*time.Millisecond)
	})
}

// A look comes at the instant that the one before asked for, but not later than
// it is trusted, and one that something else woke asks anew.
func TestInstants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bell := wake.NewBell()
		var l looks
		l.run(t, wake.Loop{Bell: bell, Most: 3 * time.Second}, func(n int) time.Duration {
			return []time.Duration{2 * time.Second, time.Hour, time.Hour, wake.Never}[min(n, 4)-1]
		}, func() {
			time.Sleep(4 * time.Second)
			bell.Ring() // at 4 s, before the 5 s that the second look is trusted for
			time.Sleep(4 * time.Second)
		})
		want(t, l, 0, 2*time.Second, 4*time.Second, 7*time.Second)
		for i, moved := range []bool{true, false, true, false} {
			if l.moved[i] != moved {
				t.Errorf("look %d: moved %v", i, l.moved[i])
			}
		}
	})
}

// A look that takes long is followed by a rest that is longer.
func TestTheRestGrowsWithTheCost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bell := wake.NewBell()
		var l looks
		l.run(t, wake.Loop{Bell: bell, Least: time.Millisecond, Share: 8}, func(int) time.Duration {
			time.Sleep(100 * time.Millisecond)
			return wake.Never
		}, func() {
			time.Sleep(150 * time.Millisecond)
			bell.Ring()
			time.Sleep(5 * time.Second)
		})
		want(t, l, 0, 900*time.Millisecond)
	})
}

// The end of the heads ends the loop; a workspace that is gone is one more look.
func TestEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		heads, gone := make(chan model.Head), make(chan struct{})
		n := 0
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			wake.Loop{Heads: heads, Gone: gone}.Run(context.Background(), func(wake.Why) time.Duration {
				n++
				return wake.Never
			})
		}()
		synctest.Wait()
		close(gone)
		synctest.Wait()
		if n != 2 {
			t.Errorf("%d looks", n)
		}
		close(heads)
		<-ended
	})
}

// Bells reach whom they were given, until its context ends, and never block.
func TestBells(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all wake.Bells
		ctx, cancel := context.WithCancel(context.Background())
		a, b := wake.NewBell(), wake.NewBell()
		all.Add(ctx, a)
		all.Add(context.Background(), b)
		all.Ring()
		all.Ring()
		cancel()
		synctest.Wait()
		<-a
		all.Ring()
		if len(a) != 0 || len(b) != 1 {
			t.Errorf("%d and %d rings wait", len(a), len(b))
		}
	})
}
