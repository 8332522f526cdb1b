package notice

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// process is the channels of one process on the folder.
func process(t *testing.T, dir string) *Channels {
	t.Helper()
	w, _, _ := listening(t)
	c := NewChannels(dir, func() *Watcher { return w })
	t.Cleanup(c.Close)
	return c
}

// ear is a function for Listen, and what it was called for.
func ear() (rung chan struct{}, ring func()) {
	rung = make(chan struct{}, 1)
	return rung, func() {
		select {
		case rung <- struct{}{}:
		default:
		}
	}
}

func hears(t *testing.T, rung chan struct{}) {
	t.Helper()
	select {
	case <-rung:
	case <-time.After(20 * time.Second):
		t.Fatal("a ring was not heard")
	}
}

func empty(t *testing.T, dir string) {
	t.Helper()
	for from := time.Now(); time.Since(from) < 20*time.Second; time.Sleep(time.Millisecond) {
		if _, err := os.Stat(dir); err != nil {
			return
		}
	}
	t.Fatal("files of channels stay behind")
}

func TestAChannelWakesWhoListensToIt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "channels")
	a, b := process(t, dir), process(t, dir)
	b.Ring("x") // nobody listens
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	first, ring := ear()
	second, ringToo := ear()
	other, ringOther := ear()
	if !a.Listen(ctx, "x", ring) || !a.Listen(ctx, "x", ringToo) || !b.Listen(ctx, "y", ringOther) {
		t.Fatal("there are notices, and nobody listens")
	}
	for range 100 {
		for _, from := range []*Channels{a, b} {
			from.Ring("x")
			hears(t, first)
			hears(t, second)
		}
	}
	if len(other) > 0 {
		t.Error("another channel was rung")
	}
	a.Ring("y")
	hears(t, other)
	cancel()
	empty(t, dir)
	if NewChannels(dir, func() *Watcher { return nil }).Listen(context.Background(), "x", ring) {
		t.Error("somebody listens without notices")
	}
}

// TestNoRingIsLostWhileOthersComeAndGo: the file of a channel is removed by who
// leaves last only, however many listen for a moment.
func TestNoRingIsLostWhileOthersComeAndGo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "channels")
	ringer := process(t, dir)
	stop := make(chan struct{})
	var all sync.WaitGroup
	for range 2 {
		c := process(t, dir)
		all.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				ctx, cancel := context.WithCancel(context.Background())
				c.Listen(ctx, "x", func() {})
				cancel()
			}
		})
	}
	c := process(t, dir)
	for range 200 {
		ctx, cancel := context.WithCancel(context.Background())
		rung, ring := ear()
		if !c.Listen(ctx, "x", ring) {
			t.Fatal("nobody listens")
		}
		ringer.Ring("x")
		hears(t, rung)
		cancel()
	}
	close(stop)
	all.Wait()
	empty(t, dir)
}

func TestWhatAKilledListenerLeft(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "channels")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	c := process(t, dir)
	write(t, c.path("left behind"))
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	rung, ring := ear()
	if !c.Listen(ctx, "x", ring) {
		t.Fatal("nobody listens")
	}
	names, err := os.ReadDir(dir)
	if err != nil || len(names) != 1 {
		t.Errorf("the folder has %v, %v", names, err)
	}
	c.Ring("x")
	hears(t, rung)
	c.Close()
	empty(t, dir)
	if c.Listen(ctx, "x", ring) {
		t.Error("closed channels can be listened to")
	}
}
