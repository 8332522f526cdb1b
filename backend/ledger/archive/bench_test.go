package archive_test

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"binnacle/backend/ledger/archive"
	"binnacle/backend/ledger/ledgertest"
)

// BenchmarkSweep seals and sheds 50,000 events (BINNACLE_BENCH_EVENTS) while four
// writers append 200 events a second each, and reports how long their appends
// take at the 99th percentile, beside the same writers without a sweep. The goal
// is a ratio of at most 1.5, and a minute's share of work for 50,000 events of at
// most archive.Budget.
func BenchmarkSweep(b *testing.B) {
	events := 50_000
	if n, err := strconv.Atoi(os.Getenv("BINNACLE_BENCH_EVENTS")); err == nil {
		events = n
	}
	for b.Loop() {
		f := ledgertest.Open(b)
		for left := events; left > 0; left -= 2500 {
			f.Notes(min(left, 2500))
		}
		f.Clock.Advance(2 * time.Hour)
		f.Note("a", "new")
		quiet := writersP99(b, f, func() { time.Sleep(3 * time.Second) })
		var rep archive.Report
		swept := writersP99(b, f, func() {
			var err error
			if rep, err = archive.Sweep(context.Background(), f.Store(), f.Clock.Read, archive.Options{Keep: time.Hour, Now: true}); err != nil {
				b.Error(err)
			}
		})
		if rep.Shed != int64(events) {
			b.Fatalf("%+v", rep)
		}
		b.ReportMetric(quiet.Seconds()*1000, "p99-ms")
		b.ReportMetric(swept.Seconds()*1000, "p99-ms-swept")
		b.ReportMetric(swept.Seconds()/quiet.Seconds(), "ratio")
		b.ReportMetric(float64(events)/rep.Took.Seconds()*archive.Budget.Seconds(), "events/minute")
	}
}

// writersP99 is the 99th percentile of appends while fn runs.
func writersP99(b *testing.B, f *ledgertest.Fixture, fn func()) time.Duration {
	const writers, each = 4, 5 * time.Millisecond
	var stop atomic.Bool
	var all sync.WaitGroup
	took := make([][]time.Duration, writers)
	for w := range writers {
		all.Go(func() {
			for i := 0; !stop.Load(); i++ {
				begin := time.Now()
				f.Note("bench", fmt.Sprint(w, i))
				took[w] = append(took[w], time.Since(begin))
				time.Sleep(max(0, each-time.Since(begin)))
			}
		})
	}
	fn()
	stop.Store(true)
	all.Wait()
	list := slices.Concat(took...)
	slices.Sort(list)
	return list[len(list)*99/100]
}
