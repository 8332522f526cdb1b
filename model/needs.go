package model

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// NeedsOf lists what asks for an operator now, the longest wait
// first: pending signals, those that me has claimed and not cleared, parked
// directives, and leases about to lapse.
func NeedsOf(s Snapshot, now Reading, me string) []Need {
	var out []Need
	for _, x := range s.Signals {
		if x.State == SignalPending {
			out = append(out, Need{Kind: NeedSignal, Key: x.Key, Rev: x.Rev, Text: x.Summary, State: x.State, Since: x.Since})
		}
		if x.State == SignalClaimed && me != "" && x.Holder == me {
			out = append(out, Need{Kind: NeedMine, Key: x.Key, Rev: x.Rev, Text: x.Summary, State: x.State, Since: x.Since})
		}
	}
	for _, d := range s.Parked {
		out = append(out, Need{
			Kind: NeedParked, Key: strconv.FormatInt(d.ID, 10), Rev: d.Rev, Text: d.Reason, State: d.Status, Since: d.Since,
		})
	}
	for _, d := range s.Taken {
		if AboutToLapse(d.Term(), d.LeaseLength(), now) {
			out = append(out, Need{
				Kind: NeedLapsing, Key: strconv.FormatInt(d.ID, 10), Rev: d.Rev, Text: d.TakenBy, State: d.Status,
				Since: lapsingSince(d.Term(), d.LeaseLength(), now),
			})
		}
	}
	for _, w := range s.Work {
		if AboutToLapse(w.Term(), w.LeaseLength(), now) {
			out = append(out, Need{
				Kind: NeedLapsing, Key: w.Key, Rev: w.Rev, Text: w.Executor, State: "work",
				Since: lapsingSince(w.Term(), w.LeaseLength(), now),
			})
		}
	}
	if s.Fleet != nil {
		out = append(out, s.Fleet.needs()...)
	}
	slices.SortFunc(out, func(a, b Need) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Key, b.Key))
	})
	return out
}

// needs are the sessions that wait for an answer, and those of which nothing is
// heard any more.
func (v FleetView) needs() []Need {
	var out []Need
	for _, x := range v.Map.Sessions {
		if x.LiveRow == nil {
			continue
		}
		n := Need{Key: FleetKey(x), State: x.State, Since: v.At.Add(-x.RowAge), Text: x.Actor}
		switch {
		case x.State == SessionWaiting:
			n.Kind, n.Text = NeedQuestion, x.Actor+" ("+x.Agent+") waits for an answer"
			if x.Asks != "" {
				n.Text += ": " + x.Asks
			}
		case x.State == SessionUnknown && x.Machine == v.Map.Machine:
			n.Kind, n.Text = NeedStalled, x.Reason
		default:
			continue
		}
		out = append(out, n)
	}
	return out
}

// LeaseShare is how much of a lease of that length is left: 1 at its begin, 0 at
// its end and after.
func LeaseShare(l Lease, length time.Duration, now Reading) float64 {
	left := l.Left(now)
	if l.Until == 0 || left <= 0 || length <= 0 {
		return 0
	}
	return min(1, float64(left)/float64(length))
}

// AboutToLapse says whether less than ExpiresSoonPct of the lease is left,
// or nothing.
func AboutToLapse(l Lease, length time.Duration, now Reading) bool {
	return l.Until != 0 && LeaseShare(l, length, now)*100 < ExpiresSoonPct
}

// lapsingSince is when AboutToLapse became true, by the clock on the wall.
func lapsingSince(l Lease, length time.Duration, now Reading) Time {
	return l.Ends(now).Add(-length * ExpiresSoonPct / 100)
}
