//go:build linux

package command_test

import (
	"context"
	"strings"
	"testing"
	"time"
)

// stormRate is how many events arrive a second while keys are timed.
const stormRate = 20_000

// BenchmarkKeyToFrame is the time from a key to the whole frame that shows what
// it did, on a terminal of 200x60, while 20,000 events a second arrive: written
// by the cockpit's own process, or by another one. The goal is 50 ms for the
// slowest in a hundred. BINNACLE_BENCH_KEYS says how many keys, 200 otherwise.
func BenchmarkKeyToFrame(b *testing.B) {
	for _, c := range []struct {
		name string
		rate int
		own  bool
	}{
		{"calm", 0, false},
		{"storm-of-its-own", stormRate, true},
		{"storm-of-another", stormRate, false},
	} {
		b.Run(c.name, func(b *testing.B) {
			dir := b.TempDir()
			w := workspaceIn(b, dir)
			writer := openIn(b, w, nil)
			fill(b, writer)
			if _, err := writer.Ledger.EmitBatch(context.Background(), stormOf(0, stormBatch)); err != nil {
				b.Fatal(err)
			}
			o := sessionOptions{dir: dir, w: 200, h: 60}
			var s *session
			if c.own {
				s, _ = child(b, "storm:20000", o)
			} else {
				s = begin(b, o)
			}
			s.shows("2 Planes", "compiling package")
			ctx, cancel := context.WithCancel(context.Background())
			done := make(chan error, 1)
			go func() {
				if c.own || c.rate == 0 {
					done <- nil
					return
				}
				done <- storm(ctx, writer, c.rate)
			}()
			defer func() {
				cancel()
				if err := <-done; err != nil {
					b.Error(err)
				}
			}()
			head, err := writer.Snapshot(ctx)
			if err != nil {
				b.Fatal(err)
			}
			begun := time.Now()
			var took []time.Duration
			for b.Loop() {
				took = append(took, keys(b, s, number(b, "BINNACLE_BENCH_KEYS", 200))...)
			}
			after, err := writer.Snapshot(ctx)
			if err != nil {
				b.Fatal(err)
			}
			s.send("q")
			s.leaves()
			p99 := quantile(took, 0.99)
			b.ReportMetric(quantile(took, 0.5), "p50-ms")
			b.ReportMetric(p99, "p99-ms")
			b.ReportMetric(quantile(took, 1), "max-ms")
			b.ReportMetric(p99/50, "p99/goal")
			b.ReportMetric(float64(after.Head.Seq-head.Head.Seq)/time.Since(begun).Seconds(), "events/s")
		})
	}
}

// keys presses keys, with pauses as a person makes them, and times each.
func keys(b *testing.B, s *session, n int) []time.Duration {
	b.Helper()
	top := func(text string, there bool) func() bool {
		return func() bool { return strings.Contains(s.row(1), text) == there }
	}
	bottom := s.bottom
	steps := []struct {
		key  string
		done func() bool
	}{
		{"p", top("paused", true)}, // the events stand still
		{"p", top("paused", false)},
		{"z", top("2 Planes", false)}, // one pane fills the screen
		{"z", top("2 Planes", true)},
		{"3", top("▸1 Events", false)}, // the focus goes
		{"1", top("▸1 Events", true)},
		{"/", bottom("/")}, // a filter is typed
		{"q", bottom("/q")},
		{"u", bottom("/qu")},
	}
	var took []time.Duration
	for len(took) < n {
		for i, step := range steps {
			took = append(took, s.timed(step.key, func() { s.send(step.key) }, step.done))
			time.Sleep(time.Duration(11+7*((len(took)+i)%6)) * time.Millisecond)
		}
		s.timed("esc", func() { s.send("\x1b") }, func() bool { return !s.bottom("/")() && strings.Contains(s.row(s.em.Height()-1), "quit") })
	}
	return took[:n]
}

// bottom says whether one of the last lines begins with a text.
func (s *session) bottom(text string) func() bool {
	return func() bool {
		h := s.em.Height()
		for y := max(0, h-12); y < h; y++ {
			if strings.HasPrefix(s.row(y), text) {
				return true
			}
		}
		return false
	}
}
