//go:build unix

package feed_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"binnacle/backend/coord"
	"binnacle/backend/coord/feed"
	"binnacle/backend/parts"
	"binnacle/backend/store/storetest"
	"binnacle/model"
	fed "binnacle/model/feed"
)

const benchReaders = 500

// follow starts n readers that follow until ctx ends, and hands each event to hear.
func follow(b *testing.B, ctx context.Context, f *feed.Feed, n int, hear func(reader int, e *fed.Event)) *sync.WaitGroup {
	b.Helper()
	var all sync.WaitGroup
	for i := range n {
		d, err := f.Follow(ctx, fed.Request{}, coord.Who{Name: fmt.Sprint("agent ", i/feed.MaxPrincipal)})
		must(b, err)
		all.Go(func() {
			defer d.Close()
			for {
				p, err := d.Next(ctx, fed.MaxWait)
				if err != nil {
					return
				}
				for _, e := range p.Events {
					hear(i, e)
				}
			}
		})
	}
	feed.WaitForRing(b, f)
	return &all
}

func heap() float64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc) / (1 << 20)
}

// BenchmarkReaders writes b.N events, 1,000 a second, while 500 readers follow,
// and says how long after the commit was acknowledged each heard of each, and by
// how much the heap grew from the middle to the end.
func BenchmarkReaders(b *testing.B) {
	r := newRig(b, feed.Options{})
	committed := make([]atomic.Int64, b.N+1)
	heard := make([][]time.Duration, benchReaders)
	for i := range heard {
		heard[i] = make([]time.Duration, 0, b.N)
	}
	ctx, cancel := context.WithCancel(bg())
	defer cancel()
	var got atomic.Int64
	all := follow(b, ctx, r.Feed, benchReaders, func(reader int, e *fed.Event) {
		now := time.Now().UnixNano()
		for committed[e.ID.Seq].Load() == 0 {
			runtime.Gosched() // it was heard of before the commit was acknowledged
		}
		heard[reader] = append(heard[reader], time.Duration(max(0, now-committed[e.ID.Seq].Load())))
		got.Add(1)
	})
	d := note("x")
	must(b, d.Check())
	ticks := make(chan struct{}, b.N)
	var writers sync.WaitGroup
	for range 8 {
		writers.Go(func() {
			for range ticks {
				events, err := r.store.Append(bg(), []model.Draft{d})
				if err != nil {
					b.Error(err)
					return
				}
				committed[events[0].Seq].Store(time.Now().UnixNano())
			}
		})
	}
	b.ResetTimer()
	begin, middle := time.Now(), 0.0
	for n := range b.N {
		if wait := time.Until(begin.Add(time.Duration(n) * time.Millisecond)); wait > 0 {
			time.Sleep(wait)
		}
		if n == b.N/2 {
			middle = heap()
		}
		ticks <- struct{}{}
	}
	close(ticks)
	writers.Wait()
	took := time.Since(begin)
	for deadline := time.Now().Add(20 * time.Second); got.Load() < int64(b.N)*benchReaders; {
		if time.Now().After(deadline) {
			b.Fatalf("%d of %d heard", got.Load(), b.N*benchReaders)
		}
		time.Sleep(time.Millisecond)
	}
	b.StopTimer()
	b.ReportMetric(heap()-middle, "MB-grown")
	cancel()
	all.Wait()
	latencies := slices.Concat(heard...)
	slices.Sort(latencies)
	b.ReportMetric(float64(latencies[len(latencies)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(latencies[len(latencies)*99/100].Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(b.N)/took.Seconds(), "events/s")
}

// BenchmarkWaiters has 10,000 readers wait for one commit at a time, and says how
// long after it was acknowledged they heard of it, and what memory the process
// has from the system.
func BenchmarkWaiters(b *testing.B) {
	r := newRig(b, feed.Options{})
	ctx, cancel := context.WithCancel(bg())
	defer cancel()
	heard := make([]time.Time, feed.MaxWaiters)
	var left sync.WaitGroup
	all := follow(b, ctx, r.Feed, feed.MaxWaiters, func(reader int, _ *fed.Event) {
		heard[reader] = time.Now()
		left.Done()
	})
	d := note("x")
	must(b, d.Check())
	var latencies []time.Duration
	b.ResetTimer()
	for range b.N {
		left.Add(feed.MaxWaiters)
		_, err := r.store.Append(bg(), []model.Draft{d})
		must(b, err)
		at := time.Now()
		left.Wait()
		for _, t := range heard {
			latencies = append(latencies, max(0, t.Sub(at)))
		}
	}
	b.StopTimer()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	b.ReportMetric(float64(m.Sys)/(1<<20), "MB")
	slices.Sort(latencies)
	b.ReportMetric(float64(latencies[len(latencies)*99/100].Microseconds())/1000, "p99-ms")
	cancel()
	all.Wait()
}

// BenchmarkOldestPage reads the oldest page of a long ledger that was just
// opened. BINNACLE_BENCH_EVENTS=1000000 is the figure's length.
func BenchmarkOldestPage(b *testing.B) {
	total := 50_000
	if s := os.Getenv("BINNACLE_BENCH_EVENTS"); s != "" {
		n, err := strconv.Atoi(s)
		must(b, err)
		total = n
	}
	r := newRig(b, feed.Options{})
	r.notes(total)
	must(b, r.store.Close())
	b.ResetTimer()
	for range b.N {
		b.StopTimer()
		s, err := storetest.OpenAt(r.place, storetest.Options{Parts: parts.All()})
		must(b, err)
		f := feed.Open(s, feed.Options{})
		b.StartTimer()
		p, err := f.Read(bg(), fed.Request{After: fed.Start}, ada)
		b.StopTimer()
		if err != nil || len(p.Events) != fed.MaxEvents || !p.More {
			b.Fatalf("%d events, %v", len(p.Events), err)
		}
		f.Close()
		must(b, s.Close())
		b.StartTimer()
	}
}

// BenchmarkIdle says how much of a processor 500 readers take while nothing
// happens; an operation is a millisecond.
func BenchmarkIdle(b *testing.B) {
	r := newRig(b, feed.Options{})
	r.notes(10)
	ctx, cancel := context.WithCancel(bg())
	defer cancel()
	all := follow(b, ctx, r.Feed, benchReaders, func(int, *fed.Event) {})
	b.ResetTimer()
	before := processor(b)
	time.Sleep(time.Duration(b.N) * time.Millisecond)
	used := processor(b) - before
	b.StopTimer()
	b.ReportMetric(100*used.Seconds()/(time.Duration(b.N)*time.Millisecond).Seconds(), "%-of-a-core")
	cancel()
	all.Wait()
}

func processor(b *testing.B) time.Duration {
	var u syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
