package queue

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"binnacle/backend/guard"
	"binnacle/backend/lease"
	"binnacle/backend/queue/receipt"
	"binnacle/backend/store"
	"binnacle/backend/wake"
	"binnacle/model"
)

// Waiting for work costs nothing while nothing happens in the lane. One goroutine
// a Queue stands watch while somebody waits: when a commit (of any process) gave
// one of the lanes something, and at the next instant at which a lease ends or a
// deferral is due, it looks once, and wakes as many waiters of a lane as the lane
// has directives. Each of them then tries Next, where one wins and the others go
// back to wait.
//
// What holds: a waiter is in its lane's list, and the lane is listened to, from
// before it was told "empty" for the last time until it is woken; whoever enters
// the list pokes the watch. So no directive can slip in between.

// waitRoom holds who waits.
type waitRoom struct {
	store store.Store
	// look says how many directives the lanes have of those wanted, and when to
	// look again at the latest.
	look func(ctx context.Context, want map[string]int) (have map[string]int, next time.Duration, err error)

	mu    sync.Mutex
	lanes map[string]*waitLane
	stop  context.CancelFunc // of the watch, nil while nobody waits
	poke  wake.Bell
	deaf  bool // a lane could not be listened to: the watch looks after each commit
}

// waitLane is one lane that is waited for.
type waitLane struct {
	list   []wake.Bell        // who was not woken yet
	n      int                // who has entered and not left
	silent context.CancelFunc // ends the listening
}

// watchEvery spaces the looks of the watch.
const watchEvery = 2 * time.Millisecond

// channel is what is notified when a directive of the lane becomes pending, or
// becomes due at another time than before. A claim is not told: whoever waits
// was told of what was claimed.
func channel(lane string) string { return "lane " + lane }

// NextWait is Next that waits for at most the given time for work to arrive,
// and then says CodeEmpty.
func (q *Queue) NextWait(ctx context.Context, n Next, wait time.Duration) (Claim, error) {
	return q.NextOf(ctx, n, []string{n.Lane}, wait)
}

// NextOf is NextWait over several lanes, in place of n.Lane: what stands in an
// earlier lane goes first.
func (q *Queue) NextOf(ctx context.Context, n Next, lanes []string, wait time.Duration) (Claim, error) {
	c, err := q.nextOf(ctx, n, lanes)
	if wait <= 0 || model.CodeOf(err) != model.CodeEmpty || err == nil {
		return c, err
	}
	over := time.NewTimer(wait)
	defer over.Stop()
	gone := q.store.Gone()
	for {
		woken := wake.NewBell()
		q.room.enter(lanes, woken)
		c, err := q.nextOf(ctx, n, lanes)
		if model.CodeOf(err) != model.CodeEmpty || err == nil {
			q.room.leave(lanes, woken)
			return c, err
		}
		select {
		case <-woken:
			q.room.leave(lanes, woken)
		case <-over.C:
			q.room.leave(lanes, woken)
			return Claim{}, err
		case <-gone:
			q.room.leave(lanes, woken)
			return Claim{}, q.store.Health().Gone
		case <-ctx.Done():
			q.room.leave(lanes, woken)
			return Claim{}, model.Errorf(model.CodeCancelled, "waiting for lane %s was given up: %w", strings.Join(lanes, ", "), ctx.Err())
		}
	}
}

// nextOf tries the lanes in their order, and names them in place.
func (q *Queue) nextOf(ctx context.Context, n Next, lanes []string) (c Claim, err error) {
	for i := range lanes {
		if lanes[i], err = laneOr(lanes[i]); err != nil {
			return Claim{}, err
		}
	}
	for _, n.Lane = range lanes {
		if c, err = q.Next(ctx, n); err == nil || model.CodeOf(err) != model.CodeEmpty {
			return c, err
		}
	}
	return Claim{}, errEmpty(strings.Join(lanes, ", "))
}

// enter puts a waiter into the lanes' lists and begins the watch for the first.
func (w *waitRoom) enter(lanes []string, woken wake.Bell) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop == nil {
		w.poke, w.lanes, w.deaf = wake.NewBell(), map[string]*waitLane{}, false
	}
	for _, lane := range lanes {
		l := w.lanes[lane]
		if l == nil {
			l = w.open(lane)
		}
		l.list = append(l.list, woken)
		l.n++
	}
	if w.stop == nil {
		ctx, stop := context.WithCancel(context.Background())
		w.stop = stop
		poke, deaf := w.poke, w.deaf
		guard.Go("queue watch", func() { w.watch(ctx, poke, deaf) })
	}
	w.poke.Ring()
}

// open begins to listen to a lane.
func (w *waitRoom) open(lane string) *waitLane {
	ctx, silent := context.WithCancel(context.Background())
	l := &waitLane{silent: silent}
	w.lanes[lane] = l
	if !w.store.Listen(ctx, channel(lane), w.poke.Ring) && !w.deaf {
		w.deaf = true
		if w.stop != nil {
			w.stop()
			w.stop = nil
		}
	}
	return l
}

// leave takes a waiter out, woken or not, and ends the watch after the last.
func (w *waitRoom) leave(lanes []string, woken wake.Bell) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, lane := range lanes {
		l := w.lanes[lane]
		if i := slices.Index(l.list, woken); i >= 0 {
			l.list = slices.Delete(l.list, i, i+1)
		}
		if l.n--; l.n == 0 {
			l.silent()
			delete(w.lanes, lane)
		}
	}
	if len(w.lanes) == 0 {
		w.stop()
		w.stop = nil
	}
}

// watch looks when a lane was rung for, or where it hears nothing of the lanes
// after each commit, and at each instant at which something is due, until ctx
// ends.
func (w *waitRoom) watch(ctx context.Context, poke wake.Bell, deaf bool) {
	l, again := wake.Loop{Bell: poke, Least: watchEvery}, lookUnrung
	if deaf {
		l.Heads, again = w.store.Watch(ctx), lookAgain
	}
	l.Run(ctx, func(wake.Why) time.Duration { return min(w.wake(ctx), wake.Beat(again)) })
}

// lookAgain bounds how long the watch trusts its timer: a deferral waits for the
// wall clock, which can be set.
const lookAgain = 5 * time.Second

// lookUnrung is lookAgain where the lanes are listened to: so late comes what
// nobody rang for, a commit of a process that died right after it, or of another
// program.
const lookUnrung = 2 * time.Second

// wake wakes the waiters for which there is something, and returns how long it
// is until something else is due.
func (w *waitRoom) wake(ctx context.Context) time.Duration {
	w.mu.Lock()
	want := make(map[string]int, len(w.lanes))
	for lane, l := range w.lanes {
		if len(l.list) > 0 {
			want[lane] = len(l.list)
		}
	}
	w.mu.Unlock()
	have, next, err := w.look(ctx, want)
	if err != nil {
		return watchEvery * 50 // a busy database: look again soon
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for lane, n := range have {
		l := w.lanes[lane]
		if l == nil {
			continue // all have left
		}
		n = min(n, len(l.list))
		for _, c := range l.list[:n] {
			c.Ring()
		}
		l.list = slices.Delete(l.list, 0, n)
	}
	return next
}

// lookAhead says how many directives each lane has for those who wait, of at
// most as many pending ones as are wanted, and how long to trust that.
func (q *Queue) lookAhead(ctx context.Context, want map[string]int) (have map[string]int, next time.Duration, err error) {
	// A process that died before its claim was delivered makes no commit.
	if _, err := q.Undelivered(ctx); err != nil {
		return nil, 0, err
	}
	have, next = make(map[string]int, len(want)), lookAgain
	if q.receipts.Pending() {
		next = receipt.Look
	}
	now := q.clock()
	err = q.store.Read(ctx, func(r store.Reader) error {
		due, err := q.dueByLane(r, now)
		if err != nil {
			return err
		}
		for lane, n := range want {
			ready, err := idsOf(r, sqlSomePending, lane, n)
			if err != nil {
				return err
			}
			have[lane] = len(ready) + due[lane]
		}
		left, none, err := nextInstant(r, now)
		if !none {
			next = min(next, left)
		}
		return err
	})
	return have, next, err
}

const (
	sqlSomePending = `SELECT id FROM directives WHERE lane = $1 AND status = 'pending' LIMIT $2`
	sqlNextDue     = `SELECT coalesce(min(not_before), 0) FROM directives WHERE status = 'deferred' AND not_before > $1`
)

// nextInstant is how long it is until a lease that still runs ends, or the time
// of a deferral comes; none when neither will.
func nextInstant(r store.Reader, now model.Reading) (left time.Duration, none bool, err error) {
	if left, none, err = lease.First(r, claims.Running, lease.Clocks(now)...); err != nil {
		return 0, true, err
	}
	var due model.Time
	if err := r.QueryRow(sqlNextDue, int64(now.Wall)).Scan(&due); err != nil {
		return 0, true, store.Explain("look for the next deferral", err)
	}
	if d := due.Sub(now.Wall); due != 0 && (none || d < left) {
		left, none = d, false
	}
	return left, none, nil
}
