package backend

import (
	"context"
	"slices"
	"time"

	"binnacle/backend/wake"
	"binnacle/model"
	"binnacle/model/desk"
)

// Bounds on how often a snapshot is taken: a storm of commits costs at most
// this share of a core, and a single commit is seen at once.
const (
	snapshotEvery = 40 * time.Millisecond // at the most
	snapshotShare = 8                     // rest at least so many times as long as the last one took
)

// Snapshots delivers the newest instant of the workspace until ctx ends, and
// then closes the channel. It holds one snapshot: a slow reader finds the
// newest, never a queue of old ones. A snapshot comes when something was
// committed by any process, when the background verification went on, when an
// alarm comes or goes, when a lease or a deferral changes with time, and once a
// second while the rate moves; otherwise nothing runs.
func (b *Backend) Snapshots(ctx context.Context) <-chan desk.Snapshot {
	out := make(chan desk.Snapshot, 1)
	b.spawnUntil(ctx, "snapshots", func(ctx context.Context) {
		defer close(out)
		b.live(ctx, out)
	})
	return out
}

func (b *Backend) live(ctx context.Context, out chan desk.Snapshot) {
	nudges := wake.NewBell()
	b.nudge.Add(ctx, nudges)
	var meter rateMeter
	failed := false
	var before desk.Snapshot // the last that could be read
	l := wake.Loop{Heads: b.Store.Watch(ctx), Gone: b.Store.Gone(), Bell: nudges, Least: snapshotEvery, Share: snapshotShare}
	l.Run(ctx, func(wake.Why) time.Duration {
		s, err := b.Snapshot(ctx)
		if ctx.Err() != nil {
			return wake.Never
		}
		if err != nil {
			failed = true
			if model.CodeOf(err) != model.CodeGone {
				b.raise("store", "the workspace can't be read: "+err.Error())
			}
			if before.At != 0 || b.gone() != "" {
				// What was seen last stays, with the reason.
				before.Health, before.Gone, before.Duties = b.alarms(), b.gone(), b.duties()
				newest(out, before)
			}
			return time.Second
		}
		if failed {
			failed = false
			b.settle("store")
			s.Health = slices.DeleteFunc(s.Health, func(a desk.Alarm) bool { return a.Engine == "store" })
		}
		s.Rate = meter.observe(s.At, s.Head.Seq)
		before = s
		newest(out, s)
		return b.nextChange(s, meter.moving())
	})
}

// gone says why the workspace is not where it was opened, "" while it is.
func (b *Backend) gone() string {
	if err := b.Store.Health().Gone; err != nil {
		return err.Error()
	}
	return ""
}

// newest puts s into the channel in place of an older one.
func newest(out chan desk.Snapshot, s desk.Snapshot) {
	select {
	case <-out:
	default:
	}
	out <- s // the channel has one place and one sender
}

// nextChange is how long nothing changes by itself.
func (b *Backend) nextChange(s desk.Snapshot, moving bool) time.Duration {
	next := time.Hour
	if moving {
		next = time.Second
	}
	until := func(t model.Time) {
		if d := t.Sub(s.At); t != 0 && d > 0 && d < next {
			next = d
		}
	}
	lease := func(l model.Lease, length time.Duration) {
		end := l.Ends(s.Clocks)
		until(end)
		until(end.Add(-length * model.ExpiresSoonPct / 100))
	}
	for _, d := range s.Taken {
		lease(d.Term(), d.LeaseLength())
	}
	for _, w := range s.Work {
		lease(w.Term(), w.LeaseLength())
	}
	if caught := s.Head.TS.Add(-model.ClockSlack); caught > s.At {
		until(caught) // a clock that is behind catches up
		until(s.At.Add(time.Minute))
	}
	for _, x := range s.Signals {
		until(x.Expires)
	}
	for _, l := range s.Lanes {
		for _, d := range l.Directives {
			until(d.NotBefore)
		}
	}
	return max(next, 10*time.Millisecond)
}

// rateMeter counts events by the second.
type rateMeter struct {
	begun  bool
	second int64 // of the newest slot, seconds since 1970
	seq    int64
	slots  [desk.RateSeconds]int64 // a ring; slot of a second is second modulo its length
}

// observe notes that the head was seq at the instant at, and returns the rate.
func (m *rateMeter) observe(at model.Time, seq int64) desk.Rate {
	second := int64(at) / 1e6
	if !m.begun {
		m.begun, m.second, m.seq = true, second, seq
	}
	if second-m.second > desk.RateSeconds || second < m.second {
		m.slots = [desk.RateSeconds]int64{}
		m.second = second
	}
	for m.second < second {
		m.second++
		m.slots[m.second%desk.RateSeconds] = 0
	}
	if d := seq - m.seq; d > 0 {
		m.slots[second%desk.RateSeconds] += d
	}
	m.seq = seq
	var r desk.Rate
	for i := range r.History {
		r.History[i] = float64(m.slots[(second+1+int64(i))%desk.RateSeconds])
	}
	// The second under way is not over: the rate is of the three before it.
	const over = 3
	for i := range over {
		r.PerSecond += r.History[desk.RateSeconds-2-i] / over
	}
	return r
}

// moving says whether the history is not all zero.
func (m *rateMeter) moving() bool {
	for _, n := range m.slots {
		if n != 0 {
			return true
		}
	}
	return false
}
