package bench

import (
	"context"
	"slices"
	"strconv"
	"sync/atomic"
	"time"

	"binnacle/backend/guard"
	"binnacle/backend/ledger"
)

// subscribers: the time from a commit's acknowledgement until each of four
// subscribers has the event, at 1,000 events a second.
func (b *suite) subscribers(ctx context.Context) error {
	l, _, shut, err := b.open(ctx, "subscribers")
	if err != nil {
		return err
	}
	defer shut()
	const readers = 4
	n := b.size.pushes
	committed := make([]atomic.Int64, n+1) // by seq: when Emit returned
	seen := make([][]int64, readers)       // by seq: when it came
	begin := time.Now()
	var wg guard.Group
	errs := make(chan error, readers)
	for r := range readers {
		s, err := l.Subscribe(ctx, ledger.SubscribeOptions{})
		if err != nil {
			return err
		}
		defer s.Close()
		seen[r] = make([]int64, n+1)
		wg.Go("bench reader", func() {
			for last := int64(0); last < int64(n); {
				items, err := s.Next(ctx)
				if err != nil {
					errs <- err
					return
				}
				now := time.Since(begin).Nanoseconds()
				for _, it := range items {
					if it.Gap == nil {
						last = it.Event.Seq
						seen[r][last] = now
					}
				}
			}
		})
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for i := range n {
		<-tick.C
		e, err := l.Emit(ctx, request(i))
		if err != nil {
			return err
		}
		committed[e.Seq].Store(time.Since(begin).Nanoseconds())
	}
	wg.Wait()
	select {
	case err := <-errs:
		return err
	default:
	}
	var lags []int64
	for r := range readers {
		for seq := 1; seq <= n; seq++ {
			lags = append(lags, max(0, seen[r][seq]-committed[seq].Load()))
		}
	}
	slices.Sort(lags)
	b.limit(Result{Name: "commit to subscriber, p50", Value: float64(lags[len(lags)/2]) / 1e6, Unit: "ms"}, 1)
	b.limit(Result{Name: "commit to subscriber, p99", Value: float64(lags[len(lags)*99/100]) / 1e6, Unit: "ms"}, 5)
	return nil
}

// work: claim and complete by 16 workers.
func (b *suite) work(ctx context.Context) error {
	l, _, shut, err := b.open(ctx, "work")
	if err != nil {
		return err
	}
	defer shut()
	begin := time.Now()
	err = parallel(16, b.size.work, func(i int) error {
		c, err := l.ClaimWork(ctx, ledger.ClaimRequest{Key: "job-" + strconv.Itoa(i), Executor: "bench"})
		if err != nil {
			return err
		}
		_, err = l.CompleteWork(ctx, ledger.WorkRequest{Key: c.Key, Executor: "bench", Token: c.Token, Evidence: []byte(`{"ok":true}`)})
		return err
	})
	b.add(Result{Name: "work claimed and completed, 16 workers", Value: float64(b.size.work) / time.Since(begin).Seconds(), Unit: "records/s"}, 0, true)
	return err
}
