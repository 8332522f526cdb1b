package queue_test

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"binnacle/backend/parts"
	"binnacle/backend/queue"
	"binnacle/backend/store/storetest"
	"binnacle/model/directive"
)

func benchQueue(b *testing.B) *queue.Queue {
	b.Helper()
	s, err := storetest.OpenAt(storetest.Place(b), storetest.Options{Parts: parts.All()})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	q, err := queue.Open(s, queue.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return q
}

func fill(b *testing.B, q *queue.Queue, n int) {
	b.Helper()
	for n > 0 {
		batch := make([]queue.Push, min(n, 10_000))
		for i := range batch {
			batch[i] = queue.Push{Body: "directive " + strconv.Itoa(i), Priority: directive.Priority(i % 3)}
		}
		if _, err := q.PushMany(background(), batch); err != nil {
			b.Fatal(err)
		}
		n -= len(batch)
	}
}

// BenchmarkClaimDone claims and finishes directives from 16 workers, each pair
// durable (synchronous=FULL).
func BenchmarkClaimDone(b *testing.B) {
	q := benchQueue(b)
	fill(b, q, b.N)
	b.ResetTimer()
	before := processorTime()
	pairs(b, q, 16, b.N)
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pairs/s")
	b.ReportMetric(float64((processorTime()-before).Microseconds())/float64(b.N), "cpu-µs/pair")
}

func pairs(b testing.TB, q *queue.Queue, workers, n int) {
	b.Helper()
	var left atomic.Int64
	left.Store(int64(n))
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			name := fmt.Sprintf("worker-%d", w)
			for left.Add(-1) >= 0 {
				c, err := q.Next(background(), queue.Next{Consumer: name})
				if err != nil {
					b.Error(err)
					return
				}
				if _, err := q.Done(background(), queue.Act{ID: c.Directive.ID, Token: c.Token}); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// BenchmarkClaimDepth says what a claim costs with many pending against few:
// the ratio of the medians. BINNACLE_BENCH_PENDING sets how many; 1000000 is
// the figure wanted.
func BenchmarkClaimDepth(b *testing.B) {
	deep := 100_000
	if s := os.Getenv("BINNACLE_BENCH_PENDING"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			b.Fatal(err)
		}
		deep = n
	}
	few, many := benchQueue(b), benchQueue(b)
	fill(b, few, 1_000)
	fill(b, many, deep)
	b.ResetTimer()
	var a, z []time.Duration
	for range b.N {
		a = append(a, claimRound(b, few))
		z = append(z, claimRound(b, many))
	}
	b.ReportMetric(float64(median(z))/float64(median(a)), "ratio")
	b.ReportMetric(float64(median(z).Microseconds()), "µs/claim")
}

// claimRound times one claim, and puts the directive back.
func claimRound(b *testing.B, q *queue.Queue) time.Duration {
	b.Helper()
	begin := time.Now()
	c, err := q.Next(background(), queue.Next{})
	took := time.Since(begin)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := q.Requeue(background(), queue.Act{ID: c.Directive.ID, Token: c.Token}); err != nil {
		b.Fatal(err)
	}
	return took
}

func median(d []time.Duration) time.Duration {
	s := slices.Sorted(slices.Values(d))
	return s[len(s)/2]
}

// processorTime is what this process has used of the processors: it says more
// than the wall clock on a machine that others use, too.
func processorTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
