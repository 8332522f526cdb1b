package backend

import (
	"context"
	"strconv"

	"binnacle/backend/ledger"
	"binnacle/backend/queue"
	"binnacle/model"
)

// Do does what an operator asked for, on the record as it was on screen. The
// operator's acts are forced: no claim token is asked for, and the event says
// so. CodeStale says that the record moved on, and what it is now.
func (b *Backend) Do(ctx context.Context, a model.Action) (model.Outcome, error) {
	switch a.Verb {
	case model.VerbSignalClaim:
		return b.doSignal(ctx, a, ledger.SignalClaim)
	case model.VerbSignalRelease:
		return b.doSignal(ctx, a, ledger.SignalRelease)
	case model.VerbSignalClear:
		return b.doSignal(ctx, a, ledger.SignalClear)
	case model.VerbWorkExtend:
		w, err := b.Ledger.HeartbeatWork(ctx, ledger.WorkRequest{Key: a.Key, IfRev: a.Rev, Lease: a.For, Force: true, Producer: a.By})
		if err != nil {
			return model.Outcome{}, err
		}
		return model.Outcome{Did: "extended", Text: "work " + w.Key + " is leased for another " + model.Left(w.Term().Left(b.clock()))}, nil
	case model.VerbPush:
		c, err := b.Queue.Push(ctx, queue.Push{
			Body: a.Body, Priority: a.Priority, Lane: a.Lane, Parent: a.Parent, By: a.By, Why: a.Why,
		})
		return queueOutcome(c, b.clock(), err)
	}
	return b.doDirective(ctx, a)
}

func (b *Backend) doSignal(ctx context.Context, a model.Action, action string) (model.Outcome, error) {
	s, err := b.Ledger.Signal(ctx, ledger.SignalRequest{Action: action, Key: a.Key, By: a.By, Reason: a.Why, IfRev: a.Rev})
	if err != nil {
		return model.Outcome{}, err
	}
	o := signalOutcome(s.Signal, action)
	o.Text = "signal " + s.Key + " is " + s.State
	back := map[string]string{ledger.SignalClaim: ledger.SignalRelease, ledger.SignalRelease: ledger.SignalClaim}[action]
	if back != "" {
		o.Undo = signalUndo{ledger.SignalRequest{Action: back, Key: s.Key, By: a.By, Reason: "undo of " + action}}
	}
	return o, nil
}

// signalOutcome is what a step left of a signal.
func signalOutcome(s model.Signal, action string) model.Outcome {
	did := map[string]string{
		ledger.SignalClaim: "claimed", ledger.SignalRelease: "released", ledger.SignalClear: "cleared",
	}[action]
	return model.Outcome{Did: did, Record: model.At{Kind: model.KindSignal, Key: s.Key, Rev: s.Rev}, Before: s.Rev - 1}
}

// signalUndo takes a step of a signal back.
type signalUndo struct{ request ledger.SignalRequest }

func (b *Backend) doDirective(ctx context.Context, a model.Action) (model.Outcome, error) {
	id, err := model.ParseDirectiveKey(a.Key)
	if err != nil {
		return model.Outcome{}, err
	}
	act := queue.Act{ID: id, Force: true, By: a.By, Why: a.Why, IfRev: a.Rev}
	var c queue.Change
	switch a.Verb {
	case model.VerbRequeue:
		c, err = b.Queue.Requeue(ctx, act)
	case model.VerbDrop:
		c, err = b.Queue.Drop(ctx, act)
	case model.VerbPriority:
		c, err = b.Queue.Reprioritize(ctx, act, queue.Order{Priority: &a.Priority})
	case model.VerbDefer:
		c, err = b.Queue.Defer(ctx, act, queue.Deferral{For: a.For, Until: a.Until, BlockedBy: a.Blocks})
	case model.VerbExtend:
		c, err = b.Queue.Touch(ctx, act, a.For)
	case model.VerbPark:
		c, err = b.Queue.Park(ctx, act)
	case model.VerbUnpark:
		c, err = b.Queue.Unpark(ctx, act)
	default:
		return model.Outcome{}, model.Errorf(model.CodeUsage, "there is no action %q", model.Clean(string(a.Verb)))
	}
	return queueOutcome(c, b.clock(), err)
}

// queueOutcome says what became of a directive.
func queueOutcome(c queue.Change, now model.Reading, err error) (model.Outcome, error) {
	if err != nil {
		return model.Outcome{}, err
	}
	d := c.After
	o := model.Outcome{
		Text: "#" + strconv.FormatInt(d.ID, 10) + " is " + d.Status, Did: done(c),
		Record: model.At{Kind: model.KindDirective, Key: model.DirectiveKey(d.ID), Rev: d.Rev}, Before: c.Before.Rev,
	}
	switch c.Action {
	case "reprioritize":
		o.Text = "#" + strconv.FormatInt(d.ID, 10) + " is " + d.Priority.String() + " now"
	case "push", "push-deferred":
		o.Text = "#" + strconv.FormatInt(d.ID, 10) + " is in lane " + d.Lane + ", " + d.Priority.String() + ", " + d.Status
	case "touch":
		o.Text = "#" + strconv.FormatInt(d.ID, 10) + " is leased for another " + model.Left(d.Term().Left(now))
	}
	if n := len(c.Promoted); n > 0 {
		o.Text += ", and " + strconv.Itoa(n) + " that waited for it can go on"
	}
	if c.Undoable() {
		o.Undo = c
	}
	return o, nil
}

// done is what was done to a directive, as it goes behind a number.
func done(c queue.Change) string {
	switch c.Action {
	case "drop":
		return "dropped"
	case "defer":
		return "deferred"
	case "park":
		return "parked"
	case "push", "push-deferred":
		return "pushed"
	case "touch":
		return "extended"
	case "reprioritize":
		return "set to " + c.After.Priority.String()
	}
	return "requeued"
}

// Undo takes an outcome back by its opposite, as long as the record is what at
// says: what the action left, or what undoing later actions left of it.
// CodeStale says what it is otherwise.
func (b *Backend) Undo(ctx context.Context, undo any, at model.At) (model.Outcome, error) {
	switch u := undo.(type) {
	case signalUndo:
		u.request.IfRev = at.Rev
		s, err := b.Ledger.Signal(ctx, u.request)
		if err != nil {
			return model.Outcome{}, err
		}
		o := signalOutcome(s.Signal, u.request.Action)
		o.Text = "undone: signal " + s.Key + " is " + s.State
		return o, nil
	case queue.Change:
		id, err := model.ParseDirectiveKey(at.Key)
		if err != nil {
			return model.Outcome{}, err
		}
		u.After.ID, u.After.Rev = id, at.Rev
		c, err := b.Queue.Undo(ctx, u, b.opt.Producer)
		o, err := queueOutcome(c, b.clock(), err)
		o.Text = "undone: " + o.Text
		return o, err
	}
	return model.Outcome{}, model.Errorf(model.CodeRefused, "that can't be undone")
}
