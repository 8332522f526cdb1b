//go:build linux

package command_test

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// BenchmarkSoak runs the cockpit with the demo's fleet working without a pause,
// while keys are pressed, and compares what the process holds at the end with
// what it held after a quarter of the time. BINNACLE_BENCH_SOAK is how long, in
// seconds, 20 otherwise. The goal is that nothing grows.
func BenchmarkSoak(b *testing.B) {
	long := time.Duration(number(b, "BINNACLE_BENCH_SOAK", 20)) * time.Second
	for b.Loop() {
		dir := b.TempDir()
		workspaceIn(b, dir)
		file := filepath.Join(dir, "held")
		s, status := child(b, "soak:"+file, sessionOptions{dir: dir, w: 200, h: 60})
		s.shows("1 Events")
		end := time.Now().Add(long)
		for i := 0; time.Now().Before(end); i++ {
			// What a person does in an hour: looks around, opens, closes, scrolls.
			for _, key := range []string{"3", "j", "j", "\r", "\x1b", "1", "p", "k", "k", "\r", "\x1b", "G", "z", "z", "4", "2", "6", "t", "1"} {
				s.send(key)
				s.quietly(80 * time.Millisecond) // after which an escape is one
			}
		}
		s.send("\x03")
		if got := status(); got != 0 {
			b.Errorf("it ends with %d", got)
		}
		f, err := os.Open(file)
		if err != nil {
			b.Fatal(err)
		}
		var goroutines []int
		var heap, rss []float64
		for in := bufio.NewScanner(f); in.Scan(); {
			var n int
			var h, r float64
			if _, err := fmt.Sscan(in.Text(), &n, &h, &r); err != nil {
				b.Fatal(err)
			}
			goroutines, heap, rss = append(goroutines, n), append(heap, h/(1<<20)), append(rss, r)
		}
		_ = f.Close()
		if len(heap) < 8 {
			b.Fatalf("only %d lines were written", len(heap))
		}
		middle := func(from, to int) (n, h, r float64) {
			for i := from; i < to; i++ {
				n += float64(goroutines[i]) / float64(to-from)
				h += heap[i] / float64(to-from)
				r += rss[i] / float64(to-from)
			}
			return n, h, r
		}
		q := len(heap) / 4
		n1, h1, r1 := middle(q, 2*q)
		n2, h2, r2 := middle(len(heap)-q, len(heap))
		b.ReportMetric(n1, "goroutines-early")
		b.ReportMetric(n2, "goroutines-late")
		b.ReportMetric(h1, "heap-early-MiB")
		b.ReportMetric(h2, "heap-late-MiB")
		b.ReportMetric(r1, "rss-early-MiB")
		b.ReportMetric(r2, "rss-late-MiB")
	}
}

// quietly waits a while, whatever comes.
func (s *session) quietly(long time.Duration) {
	select {
	case <-s.drained:
	case <-time.After(long):
	}
}
