package backend

import (
	"context"
	"strconv"

	"binnacle/backend/ledger"
	"binnacle/backend/queue"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/model/directive"
)

// Do does what the operator asked for, in the name of Options.Producer; see
// desk.Desk. The operator's acts are forced: no claim token is asked for, and
// the event says so.
func (b *Backend) Do(ctx context.Context, a desk.Action) (desk.Outcome, error) {
	signalRequest := func(action string) ledger.SignalRequest {
		return ledger.SignalRequest{Action: action, Key: a.Key, By: b.opt.Producer, Reason: a.Why, IfRev: a.Rev}
	}
	switch a.Verb {
	case desk.VerbSignalClaim:
		return b.signal(ctx, signalRequest(ledger.SignalClaim))
	case desk.VerbSignalRelease:
		return b.signal(ctx, signalRequest(ledger.SignalRelease))
	case desk.VerbSignalClear:
		return b.signal(ctx, signalRequest(ledger.SignalClear))
	case desk.VerbWorkExtend:
		w, err := b.Ledger.HeartbeatWork(ctx, ledger.WorkRequest{Key: a.Key, IfRev: a.Rev, Lease: a.For, Force: true, Producer: b.opt.Producer})
		if err != nil {
			return desk.Outcome{}, err
		}
		return desk.Outcome{Did: "extended", Text: "work " + w.Key + " is leased for another " + model.Left(w.Term().Left(b.clock()))}, nil
	case desk.VerbFetch:
		return b.fetch(ctx)
	case desk.VerbPush:
		c, err := b.Queue.Push(ctx, queue.Push{
			Body: a.Body, Priority: a.Priority, Lane: a.Lane, Parent: a.Parent, By: b.opt.Producer, Why: a.Why,
		})
		return queueOutcome(c, b.clock(), err)
	}
	return b.doDirective(ctx, a)
}

// signal takes a signal a step on.
func (b *Backend) signal(ctx context.Context, r ledger.SignalRequest) (desk.Outcome, error) {
	s, err := b.Ledger.Signal(ctx, r)
	if err != nil {
		return desk.Outcome{}, err
	}
	did := map[string]string{
		ledger.SignalClaim: "claimed", ledger.SignalRelease: "released", ledger.SignalClear: "cleared",
	}[r.Action]
	o := desk.Outcome{
		Text: "signal " + s.Key + " is " + s.State, Did: did,
		Record: desk.At{Kind: model.KindSignal, Key: s.Key, Rev: s.Rev}, Before: s.Rev - 1,
	}
	if r.Action != ledger.SignalClear {
		o.Undo = &desk.Undo{Event: s.LastSeq, Record: o.Record}
	}
	return o, nil
}

func (b *Backend) doDirective(ctx context.Context, a desk.Action) (desk.Outcome, error) {
	id, err := directive.ParseKey(a.Key)
	if err != nil {
		return desk.Outcome{}, err
	}
	act := queue.Act{ID: id, Force: true, By: b.opt.Producer, Why: a.Why, IfRev: a.Rev}
	var c queue.Change
	switch a.Verb {
	case desk.VerbRequeue:
		c, err = b.Queue.Requeue(ctx, act)
	case desk.VerbDrop:
		c, err = b.Queue.Drop(ctx, act)
	case desk.VerbPriority:
		c, err = b.Queue.Reprioritize(ctx, act, queue.Order{Priority: &a.Priority})
	case desk.VerbDefer:
		c, err = b.Queue.Defer(ctx, act, queue.Deferral{For: a.For, Until: a.Until, BlockedBy: a.Blocks})
	case desk.VerbExtend:
		c, err = b.Queue.Touch(ctx, act, a.For)
	case desk.VerbPark:
		c, err = b.Queue.Park(ctx, act)
	case desk.VerbUnpark:
		c, err = b.Queue.Unpark(ctx, act)
	default:
		return desk.Outcome{}, model.Errorf(model.CodeUsage, "there is no action %q", clean.Line(string(a.Verb)))
	}
	return queueOutcome(c, b.clock(), err)
}

// queueOutcome says what became of a directive.
func queueOutcome(c queue.Change, now model.Reading, err error) (desk.Outcome, error) {
	if err != nil {
		return desk.Outcome{}, err
	}
	d := c.After
	o := desk.Outcome{
		Text: "#" + strconv.FormatInt(d.ID, 10) + " is " + d.Status, Did: done(c),
		Record: desk.At{Kind: model.KindDirective, Key: directive.Key(d.ID), Rev: d.Rev}, Before: c.Before.Rev,
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
		o.Undo = &desk.Undo{Event: c.Seq, Record: o.Record}
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

// Undo takes an act back; see desk.Desk.
func (b *Backend) Undo(ctx context.Context, u desk.Undo) (desk.Outcome, error) {
	var o desk.Outcome
	var err error
	switch u.Record.Kind {
	case model.KindSignal:
		o, err = b.undoSignal(ctx, u)
	case model.KindDirective:
		o, err = b.undoDirective(ctx, u)
	default:
		err = notUndone()
	}
	if err != nil {
		return desk.Outcome{}, err
	}
	o.Text = "undone: " + o.Text
	return o, nil
}

func notUndone() error { return model.Errorf(model.CodeRefused, "that can't be undone") }

// undoSignal takes a claim back by a release, and a release by a claim.
func (b *Backend) undoSignal(ctx context.Context, u desk.Undo) (desk.Outcome, error) {
	e, err := b.Ledger.Event(ctx, u.Event)
	if err != nil {
		return desk.Outcome{}, err
	}
	h, err := b.Ledger.ShowSignal(ctx, u.Record.Key, 1)
	if err != nil {
		return desk.Outcome{}, err
	}
	r := ledger.SignalRequest{Key: e.Key, By: b.opt.Producer, IfRev: u.Record.Rev}
	switch {
	case e.Kind != model.KindSignal || e.Key != u.Record.Key || e.Seq == h.Record.FirstSeq:
		return desk.Outcome{}, notUndone()
	case e.State == model.SignalClaimed:
		r.Action, r.Reason = ledger.SignalRelease, "undo of "+ledger.SignalClaim
	case e.State == model.SignalPending:
		r.Action, r.Reason = ledger.SignalClaim, "undo of "+ledger.SignalRelease
	default:
		return desk.Outcome{}, notUndone()
	}
	return b.signal(ctx, r)
}

// undoDirective undoes the change that the event recorded; see queue.Undo. The
// directive is the act's own, or the copy that undoing its drop pushed.
func (b *Backend) undoDirective(ctx context.Context, u desk.Undo) (desk.Outcome, error) {
	c, err := b.Queue.ChangeAt(ctx, u.Event)
	if err != nil {
		return desk.Outcome{}, err
	}
	if c.After.ID, err = directive.ParseKey(u.Record.Key); err != nil {
		return desk.Outcome{}, err
	}
	c.After.Rev = u.Record.Rev
	c, err = b.Queue.Undo(ctx, c, b.opt.Producer)
	return queueOutcome(c, b.clock(), err)
}
