package model

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// NeedsOf lists what asks for an operator at the instant now, the longest wait
// first: pending signals, parked directives, and leases about to lapse.
func NeedsOf(s Snapshot, now Time) []Need {
	var out []Need
	for _, x := range s.Signals {
		if x.State == SignalPending {
			out = append(out, Need{Kind: NeedSignal, Key: x.Key, Rev: x.Rev, Text: x.Summary, State: x.State, Since: x.Since})
		}
	}
	for _, d := range s.Parked {
		out = append(out, Need{
			Kind: NeedParked, Key: strconv.FormatInt(d.ID, 10), Rev: d.Rev, Text: d.Reason, State: d.Status, Since: d.Since,
		})
	}
	for _, d := range s.Taken {
		if AboutToLapse(d.TakenAt, d.LeaseUntil, now) {
			out = append(out, Need{
				Kind: NeedLapsing, Key: strconv.FormatInt(d.ID, 10), Rev: d.Rev, Text: d.TakenBy, State: d.Status,
				Since: lapsingSince(d.TakenAt, d.LeaseUntil),
			})
		}
	}
	for _, w := range s.Work {
		begin := w.LeaseUntil.Add(-time.Duration(w.Lease) * time.Second)
		if AboutToLapse(begin, w.LeaseUntil, now) {
			out = append(out, Need{
				Kind: NeedLapsing, Key: w.Key, Rev: w.Rev, Text: w.Executor, State: "work",
				Since: lapsingSince(begin, w.LeaseUntil),
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
		case x.State == SessionUnknown && x.Machine == v.Map.Machine:
			n.Kind, n.Text = NeedStalled, x.Reason
		default:
			continue
		}
		out = append(out, n)
	}
	return out
}

// LeaseShare is how much of a lease is left at now: 1 at its begin, 0 at its
// end and after.
func LeaseShare(begin, until, now Time) float64 {
	if until <= now || until <= begin {
		return 0
	}
	return min(1, float64(until-now)/float64(until-begin))
}

// AboutToLapse says whether less than ExpiresSoonPct of the lease is left,
// or nothing.
func AboutToLapse(begin, until, now Time) bool {
	return until != 0 && LeaseShare(begin, until, now)*100 < ExpiresSoonPct
}

func lapsingSince(begin, until Time) Time {
	return until - (until-begin)*ExpiresSoonPct/100
}
