package work

import (
	"context"
	"slices"
	"sync"
	"time"

	"binnacle/backend/guard"
	"binnacle/backend/queue"
	"binnacle/backend/wake"
	"binnacle/model"
)

// watchLeast spaces the looks at the claims: so long at most a command lives on
// when an operator dropped its directive.
const watchLeast = 50 * time.Millisecond

// watch looks after each commit, of any process, whether the claims of the
// commands that run still stand, all in one read.
type watch struct {
	queue *queue.Queue
	stop  context.CancelFunc
	done  guard.Group
	bell  wake.Bell

	mu   sync.Mutex
	runs []*run
}

func newWatch(o Options) *watch {
	ctx, stop := context.WithCancel(context.Background())
	w := &watch{queue: o.Queue, stop: stop, bell: wake.NewBell()}
	w.done.Go("queue claims", func() {
		l := wake.Loop{Heads: o.Store.Watch(ctx), Gone: o.Store.Gone(), Bell: w.bell, Least: watchLeast}
		l.Run(ctx, func(wake.Why) time.Duration { return w.look(ctx) })
	})
	return w
}

func (w *watch) close() {
	w.stop()
	w.done.Wait()
}

func (w *watch) add(r *run) {
	w.mu.Lock()
	w.runs = append(w.runs, r)
	w.mu.Unlock()
	w.bell.Ring() // it may have been lost before it came here
}

func (w *watch) remove(r *run) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.runs = slices.DeleteFunc(w.runs, func(other *run) bool { return other == r })
}

// look tells the runs whose claims ended. A run that its command finished itself is
// told, too: it renews no more.
func (w *watch) look(ctx context.Context) time.Duration {
	w.mu.Lock()
	runs := slices.Clone(w.runs)
	w.mu.Unlock()
	if len(runs) == 0 {
		return wake.Never
	}
	claims := make([]queue.Claim, len(runs))
	for i, r := range runs {
		claims[i] = r.claim
	}
	all, err := w.queue.Standing(ctx, claims...)
	if model.CodeOf(err) == model.CodeGone && err != nil {
		for _, r := range runs {
			r.learn(queue.Standing{Action: "gone"})
		}
		return wake.Never
	}
	if err != nil {
		return time.Second
	}
	for i, s := range all {
		if !s.Held {
			runs[i].learn(s)
			w.remove(runs[i])
		}
	}
	return wake.Never
}
