package backend

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"time"

	"binnacle/backend/coord"
	"binnacle/backend/ledger"
	"binnacle/backend/notice"
	"binnacle/backend/queue"
	"binnacle/backend/queue/receipt"
	"binnacle/backend/scratch"
	"binnacle/backend/store"
	"binnacle/backend/wake"
	"binnacle/backend/workspace"
	"binnacle/model"
	"binnacle/model/desk"
)

// Rhythm of the duties.
const (
	dutyRetry = 400 * time.Millisecond // how soon a free lock is noticed where the system does not tell of it
	dutyAsked = 5 * time.Second        // and for what it did not tell where it does
	dutyLook  = time.Minute            // how long a timer is trusted
	dutyLeast = 50 * time.Millisecond  // between two rounds
)

// LockName is the file whose lock says who holds the duties, beside the
// database.
const LockName = "serve.lock"

// dutyLoop waits for the lock, does the duties while it is held, and gives
// them up at once when it is lost.
func (b *Backend) dutyLoop(ctx context.Context) {
	path := filepath.Join(b.opt.Dir, LockName)
	bell := wake.NewBell()
	b.listen.Do(func() {
		if notice.Closes {
			b.notices, _ = notice.New()
		}
	})
	rung := false
	for b.gone() == "" {
		retry := dutyRetry
		if b.notices != nil &&
			b.notices.Add(path, notice.Closed, func(string, notice.What) { bell.Ring() }) == nil && !rung {
			retry = dutyAsked // once told it is looked at twice: the next holder may not have signed yet
		}
		told := bell
		lock, err := workspace.TryLock(path)
		if err == nil && b.gone() != "" {
			// The folder was exchanged between the two: the lock is another database's.
			_ = lock.Release()
			return
		}
		switch {
		case err == nil:
			b.settle("duties")
			b.setDuties(desk.Duties{Held: true, Holder: os.Getpid()})
			b.hold(ctx, lock)
			_ = lock.Release()
			b.setDuties(desk.Duties{})
			told, retry = nil, dutyRetry // others first; and why it ended is to be seen
		case model.CodeOf(err) == model.CodeBusy:
			b.settle("duties")
			b.setDuties(desk.Duties{Holder: workspace.LockHolder(path)})
		default:
			b.raise("duties", err.Error())
			retry = dutyRetry
		}
		waits := time.Now()
		if !told.Wait(ctx, retry) {
			return
		}
		rung = time.Since(waits) < retry
	}
}

// hold does the duties until ctx ends or the lock is lost. What killed processes
// left in the workspace goes first.
func (b *Backend) hold(ctx context.Context, lock *workspace.Lock) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	scratch.Clean(b.opt.Dir)
	var all sync.WaitGroup
	duty := func(name string, run func()) {
		all.Add(1)
		b.spawn(name, func() {
			defer all.Done()
			run()
		})
	}
	duty("reap", func() { b.reapLoop(ctx) })
	if keep := b.opt.Config.Ledger.Keep(); keep > 0 {
		duty("retention", func() { b.retentionLoop(ctx, keep) })
	}
	if f := b.fleet.engine; f != nil {
		duty("fleet duties", func() { b.fleetAlarm("fleet", f.Run(ctx)) })
	}
	select {
	case <-ctx.Done():
	case <-b.Store.Gone():
	case <-lock.Lost():
		b.raise("duties", "the lock file was taken away: the duties ended here")
	}
	cancel()
	all.Wait()
}

func (b *Backend) setDuties(d desk.Duties) {
	b.mu.Lock()
	changed := b.duty != d
	b.duty = d
	b.mu.Unlock()
	if changed {
		b.nudge.Ring()
	}
}

// duties says who holds the duties.
func (b *Backend) duties() desk.Duties {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.duty
}

// reapLoop takes back what ran out, when it runs out: after a commit it looks
// when something is due next, and sleeps until then.
func (b *Backend) reapLoop(ctx context.Context) {
	jumps := wake.NewBell()
	b.jumps.Add(ctx, jumps)
	l := wake.Loop{Heads: b.Store.Watch(ctx), Bell: jumps, Least: dutyLeast, Most: dutyLook}
	l.Run(ctx, func(wake.Why) time.Duration {
		next, err := b.reapDue(ctx)
		switch {
		case ctx.Err() != nil:
		case err != nil:
			b.raise("reap", err.Error())
			next = 5 * time.Second
		default:
			b.settle("reap")
		}
		return next
	})
}

// reapDue writes down what is due, if anything is, and returns how long it is
// until something else is.
func (b *Backend) reapDue(ctx context.Context) (time.Duration, error) {
	if _, err := b.Queue.Undelivered(ctx); err != nil {
		return 0, err
	}
	look := dutyLook
	if b.Queue.Receipts().Pending() {
		look = receipt.Look
	}
	left, none, err := b.nextDue(ctx)
	if err != nil || none {
		return look, err
	}
	if left > 0 {
		return min(look, left), nil
	}
	if _, err := b.Ledger.Reap(ctx, ledger.ReapOptions{}); err != nil {
		return 0, err
	}
	if _, err := b.Queue.Reap(ctx, queue.Reap{}); err != nil {
		return 0, err
	}
	if _, err := b.Coord.Reap(ctx); err != nil {
		return 0, err
	}
	if left, none, err = b.nextDue(ctx); err != nil || none {
		return look, err
	}
	return min(look, max(left, 0)), nil
}

// nextDue is how long it is until something runs out or becomes due, none when
// nothing will.
func (b *Backend) nextDue(ctx context.Context) (left time.Duration, none bool, err error) {
	err = b.Store.Read(ctx, func(r store.Reader) error {
		left, none = 0, true
		now := b.clock()
		for _, ask := range []func(store.Reader, model.Reading) (time.Duration, bool, error){ledger.NextDue, queue.NextDue, coord.NextDue} {
			d, nothing, err := ask(r, now)
			if err != nil {
				return err
			}
			if !nothing && (none || d < left) {
				left, none = d, false
			}
		}
		return nil
	})
	return left, none, err
}
