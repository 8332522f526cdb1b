package desk

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"binnacle/model"
	"binnacle/model/fleetmap"
	"binnacle/model/session"
)

// NeedsOf lists what asks for an operator now, the longest wait
// first: pending signals, those that me has claimed and not cleared, parked
// directives, and leases about to lapse.
func NeedsOf(s Snapshot, now model.Reading, me string) []Need {
	var out []Need
	for _, x := range s.Signals {
		if x.State == model.SignalPending {
			out = append(out, Need{Kind: NeedSignal, Key: x.Key, Rev: x.Rev, Text: x.Summary, State: x.State, Since: x.Since})
		}
		if x.State == model.SignalClaimed && me != "" && x.Holder == me {
			out = append(out, Need{Kind: NeedMine, Key: x.Key, Rev: x.Rev, Text: x.Summary, State: x.State, Since: x.Since})
		}
	}
	for _, d := range s.Parked {
		out = append(out, Need{
			Kind: NeedParked, Key: strconv.FormatInt(d.ID, 10), Rev: d.Rev, Text: d.Reason, State: d.Status, Since: d.Since,
		})
	}
	for _, d := range s.Taken {
		if model.AboutToLapse(d.Term(), d.LeaseLength(), now) {
			out = append(out, Need{
				Kind: NeedLapsing, Key: strconv.FormatInt(d.ID, 10), Rev: d.Rev, Text: d.TakenBy, State: d.Status,
				Since: lapsingSince(d.Term(), d.LeaseLength(), now),
			})
		}
	}
	for _, w := range s.Work {
		if model.AboutToLapse(w.Term(), w.LeaseLength(), now) {
			out = append(out, Need{
				Kind: NeedLapsing, Key: w.Key, Rev: w.Rev, Text: w.Executor, State: "work",
				Since: lapsingSince(w.Term(), w.LeaseLength(), now),
			})
		}
	}
	if s.Fleet != nil {
		out = append(out, fleetNeeds(*s.Fleet)...)
	}
	slices.SortFunc(out, func(a, b Need) int {
		return cmp.Or(cmp.Compare(a.Since, b.Since), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Key, b.Key))
	})
	return out
}

// fleetNeeds are the sessions that wait for an answer, and those of which
// nothing is heard any more.
func fleetNeeds(v fleetmap.Picture) []Need {
	var out []Need
	for _, x := range v.Map.Sessions {
		if x.LiveRow == nil {
			continue
		}
		n := Need{Key: fleetmap.KeyOf(x), State: x.State, Since: v.At.Add(-x.RowAge), Text: x.Actor}
		switch {
		case x.State == session.Waiting:
			n.Kind, n.Text = NeedQuestion, x.Actor+" ("+x.Agent+") waits for an answer"
			if x.Asks != "" {
				n.Text += ": " + x.Asks
			}
		case x.State == session.Unknown && x.Machine == v.Map.Machine:
			n.Kind, n.Text = NeedStalled, x.Reason
		default:
			continue
		}
		out = append(out, n)
	}
	return out
}

// lapsingSince is when AboutToLapse became true, by the clock on the wall.
func lapsingSince(l model.Lease, length time.Duration, now model.Reading) model.Time {
	return l.Ends(now).Add(-length * model.ExpiresSoonPct / 100)
}
