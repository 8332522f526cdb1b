package fleet

import (
	"context"
	"slices"
	"time"

	"binnacle/backend/fleet/statefile"
	"binnacle/backend/guard"
	"binnacle/backend/notice"
	"binnacle/backend/wake"
	"binnacle/model"
	"binnacle/model/fleetmap"
)

// How often files are looked at. One stat each costs little, but each look wakes
// the process: where the system tells of changes they make sure of it alone.
const (
	lookForPokes = 500 * time.Millisecond
	watchSpool   = 200 * time.Millisecond
	lookUntold   = 2 * time.Second
	lookForFetch = 2 * time.Second // one may be due, or another process's was
	sweepEvery   = 10 * time.Second
)

// follow returns a bell that rings when one of the files changes, until ctx
// ends, and how often to look all the same: every, where nothing tells of it.
func follow(ctx context.Context, every time.Duration, paths ...string) (wake.Bell, time.Duration) {
	bell := wake.NewBell()
	w, err := notice.New()
	if err != nil {
		return bell, every
	}
	context.AfterFunc(ctx, w.Close)
	if err := w.Follow(paths, bell.Ring); err != nil {
		return bell, every
	}
	return bell, max(every, lookUntold)
}

// Run does what belongs to whoever holds the workspace's duties, until ctx
// ends: it publishes when something happened, fetches now and then, ends the
// sessions whose process is gone, and brings landings into the ledger. It
// starts no git process while none of that is due, and leaves a remote that
// fails alone for longer and longer. Failures go to Options.Alarm. When Run
// returns, all that it started has ended.
func (f *Fleet) Run(ctx context.Context) error {
	if f.repo.Common == "" {
		<-ctx.Done()
		return nil
	}
	// Hooks look at this lock to see whether they must start a publisher.
	l, err := statefile.Lock(ctx, f.dutiesPath())
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	defer l.Unlock()
	var all guard.Group
	all.Go("taking", func() { f.taking(ctx) })
	all.Go("publishing", func() { f.publishing(ctx) })
	all.Go("fetching", func() { f.fetching(ctx) })
	all.Go("sweeping", func() { f.sweeping(ctx) })
	all.Wait()
	return nil
}

func (f *Fleet) publishing(ctx context.Context) {
	m, err := f.loadMet()
	if err != nil {
		f.alarm(err)
	}
	alarmed := false
	var looked model.Reading
	bell, every := follow(ctx, lookForPokes, f.pokePath(), f.endPath())
	wake.Loop{Bell: bell, Least: lookForPokes}.Run(ctx, func(wake.Why) time.Duration {
		wait, due := dueIn(f.demand(), m, f.now(), f.opts.Heartbeat)
		if due && wait > 0 {
			return min(wait, wake.Beat(every))
		}
		if !due && !f.refreshDue(ctx, m, &looked) {
			return wake.Beat(every)
		}
		err := f.pushDemand(ctx, &m)
		if ctx.Err() != nil {
			return wake.Never
		}
		if err != nil || alarmed {
			f.alarm(err)
			alarmed = err != nil
		}
		if stopped(m.Code) {
			m.Fails = max(m.Fails, 8) // looked at again after the longest pause
		}
		return 0
	})
}

// refreshDue says whether the summary is to be published again without any
// event, so that the others keep showing sessions that live and are quiet: once
// in half a window, and after a failure as soon as that lets the remote be asked
// again. The database is asked once a heartbeat at the most.
func (f *Fleet) refreshDue(ctx context.Context, m met, looked *model.Reading) bool {
	now, wait := f.now(), f.opts.Window/2
	if m.Fails > 0 {
		wait = pause(m.Fails)
	}
	if m.At == nil || fleetmap.Elapsed(*m.At, now) < wait {
		return false
	}
	if looked.Boot != "" && fleetmap.Elapsed(*looked, now) < f.opts.Heartbeat {
		return false
	}
	*looked = now
	list, err := f.Sessions(ctx)
	if err != nil {
		return false // what reads it next says so
	}
	return slices.ContainsFunc(list, func(s Session) bool { return s.Alive && s.Parent == "" })
}

func (f *Fleet) fetching(ctx context.Context) {
	if f.opts.FetchEvery < 0 {
		return
	}
	alarmed := false
	wake.Every(ctx, min(lookForFetch, f.opts.FetchEvery), func() {
		if !f.fetchDue() {
			return
		}
		_, err := f.Fetch(ctx)
		if err == nil {
			_, err = f.NoteLandings(ctx)
		}
		if ctx.Err() != nil {
			return
		}
		if err != nil || alarmed {
			f.alarm(err)
			alarmed = err != nil
		}
	})
}

// taking takes in what hooks write, at once. Hooks look at its lock, and leave
// their reports to it.
func (f *Fleet) taking(ctx context.Context) {
	if f.opts.Store == nil || f.opts.Store.ReadOnly() || f.opts.Spool == "" {
		return
	}
	l, err := statefile.Lock(ctx, f.watchPath())
	if err != nil {
		if ctx.Err() == nil {
			f.alarm(err)
		}
		return
	}
	defer l.Unlock()
	var before []statefile.Stamp
	alarmed := false
	bell, every := follow(ctx, watchSpool, f.spools()...)
	wake.Loop{Bell: bell, Least: watchSpool}.Run(ctx, func(wake.Why) time.Duration {
		now := f.spoolStamps()
		if slices.Equal(now, before) {
			return wake.Beat(every)
		}
		_, err := f.TakeSpool(ctx)
		if ctx.Err() != nil {
			return wake.Never
		}
		if err == nil {
			before = now
		}
		if err != nil || alarmed {
			f.alarm(err)
			alarmed = err != nil
		}
		return 0 // it may have grown meanwhile
	})
}

func (f *Fleet) spoolStamps() []statefile.Stamp {
	var out []statefile.Stamp
	for _, path := range f.spools() {
		out = append(out, statefile.StampOf(path))
	}
	return out
}

func (f *Fleet) sweeping(ctx context.Context) {
	wake.Every(ctx, sweepEvery, func() {
		if _, err := f.SweepGone(ctx); err != nil && ctx.Err() == nil {
			f.alarm(err)
		}
	})
}
