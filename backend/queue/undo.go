package queue

import (
	"context"
	"encoding/json"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/directive"
	"binnacle/model/redact"
)

// Undo takes a change back by a compensating change, as long as the directive
// is still what the change left (the id and revision of c.After; who undid what
// came later puts there what that left); otherwise CodeStale says what it is
// now.
//
//	push                     the new one is dropped
//	drop                     dropped is final, so a copy is pushed (a new id), caused by the drop
//	requeue, defer, park     from taken: the claim is given back, with its token, while its lease lasts
//	                         from pending, deferred, parked: back to that
//	unpark, promote          parked or deferred again
//	touch                    the lease ends when it ended before
//	reprioritize             the former priority, importance and deadline
//
// A claim and a finished directive can't be undone: others may have built on
// them.
func (q *Queue) Undo(ctx context.Context, c Change, by string) (Change, error) {
	a := Act{ID: c.After.ID, By: by, Why: "undo of " + c.Action, IfRev: c.After.Rev}
	if !c.Undoable() {
		return Change{}, model.Errorf(model.CodeRefused, "%s of #%d can't be undone", c.Action, c.After.ID)
	}
	if c.Action == "drop" {
		return q.undrop(ctx, a, c)
	}
	return q.act(ctx, a, func(tx store.Tx) (Change, error) {
		d, err := q.look(tx, a)
		if err != nil {
			return Change{}, err
		}
		return q.undo(tx, a, c, d)
	})
}

// Undoable says whether Undo knows how to take the change back, as far as can
// be said without looking at the directive.
func (c Change) Undoable() bool {
	if c.After.ID == 0 || c.Before.ID == 0 && c.Action != "push" && c.Action != "push-deferred" {
		return false
	}
	switch c.Action {
	case "push", "push-deferred", "drop", "requeue", "defer", "park", "unpark", "promote", "touch", "reprioritize":
		return true
	}
	return false
}

// restChangeAt chooses the events of the directive that the event $1 is about, up to
// that event.
const restChangeAt = `WHERE key = (SELECT key FROM events WHERE seq = $1 AND kind = 'directive')` +
	` AND kind = 'directive' AND seq <= $1 ORDER BY seq`

// ChangeAt reads back the change that the event seq recorded, from the
// directive's own events: what Undo needs of it.
func (v *view) ChangeAt(ctx context.Context, seq int64) (Change, error) {
	var c Change
	err := v.snapshots.Read(ctx, func(r store.Reader) error {
		c = Change{Seq: seq}
		events, err := store.SelectEvents(r, restChangeAt, seq)
		for _, e := range events {
			var p directive.Payload
			if err := json.Unmarshal(e.Payload, &p); err != nil {
				return model.Errorf(model.CodeCorrupt, "the event %d can't be read: %s", e.Seq, model.JSONFault(nil, err))
			}
			c.Action, c.Forced, c.Before = p.Action, p.Forced, c.After
			if err := c.After.Apply(e); err != nil {
				return err
			}
		}
		return store.Explain("read the queue", err)
	})
	if err == nil && c.After.ID == 0 {
		err = model.Errorf(model.CodeNotFound, "the event %d is not a directive's", seq)
	}
	return c, err
}

// undo is Undo inside of a transaction; d is what the change left.
func (q *Queue) undo(tx store.Tx, a Act, c Change, d directive.Directive) (Change, error) {
	b := c.Before
	pay := func(action string) *directive.Payload {
		p := &directive.Payload{Action: action, By: a.By, Why: a.Why, Forced: true}
		return p
	}
	switch c.Action {
	case "push", "push-deferred":
		return q.write(tx, d, directive.StatusDropped, pay("drop"), c.Seq)
	case "reprioritize":
		p := pay("reprioritize")
		p.Priority, p.Importance = &b.Priority, &b.Importance
		if p.Deadline = &b.Deadline; b.Deadline == 0 {
			p.Deadline, p.NoDeadline = nil, true
		}
		return q.write(tx, d, d.Status, p, c.Seq)
	case "touch":
		p := pay("touch")
		p.SetLease(b.Term())
		p.TakenAwake = b.TakenAwake
		return q.write(tx, d, directive.StatusTaken, p, c.Seq)
	}
	switch b.Status {
	case directive.StatusTaken:
		if b.Lapsed(tx.Clocks()) {
			return Change{}, model.Errorf(model.CodeStale, "#%d can't be given back: the lease of %s ran out %s",
				d.ID, clean.Line(holder(b)), model.Ago(-b.Term().Left(tx.Clocks())))
		}
		p := pay("restore")
		p.TakenBy, p.TakenAt, p.TokenHash, p.TakenAwake = b.TakenBy, b.TakenAt, b.TokenHash, b.TakenAwake
		p.SetLease(b.Term())
		return q.write(tx, d, directive.StatusTaken, p, c.Seq)
	case directive.StatusDeferred:
		p := pay("defer")
		p.Why = b.Reason // as it stood there before
		p.NotBefore, p.BlockedBy = deferral(b.NotBefore, b.BlockedBy)
		return q.write(tx, d, directive.StatusDeferred, p, c.Seq)
	case directive.StatusParked:
		p := pay("park")
		p.Why, p.Lapses = b.Reason, b.Lapses
		return q.write(tx, d, directive.StatusParked, p, c.Seq)
	}
	action := "promote"
	if d.Status == directive.StatusParked {
		action = "unpark"
	}
	if d.Status == directive.StatusPending {
		return Change{}, Moved(d) // promoted at once, for what it waited for had come
	}
	return q.write(tx, d, directive.StatusPending, pay(action), c.Seq)
}

// sqlCopies finds what was pushed because of an event.
const sqlCopies = `SELECT d.id FROM events e JOIN directives d ON d.id = CASE WHEN e.kind = 'directive' THEN CAST(e.key AS BIGINT) END AND d.first_seq = e.seq` +
	` WHERE e.causation = $1 AND e.kind = 'directive' ORDER BY e.seq LIMIT 1`

// undrop pushes a copy of a dropped directive.
func (q *Queue) undrop(ctx context.Context, a Act, c Change) (Change, error) {
	b := c.Before
	p := Push{
		Body: b.Body, Priority: b.Priority, Lane: b.Lane, Parent: b.Parent, By: a.By,
		Why: "instead of #" + directive.Key(b.ID) + ", which was dropped", Importance: b.Importance, Deadline: b.Deadline,
		NotBefore: b.NotBefore, BlockedBy: b.BlockedBy, Causation: c.Seq,
		Secrets: redact.SecretsAllow, // it was taken before
	}
	if err := q.checkPush(&p); err != nil {
		return Change{}, err
	}
	return q.act(ctx, a, func(tx store.Tx) (Change, error) {
		if _, err := q.look(tx, a); err != nil {
			return Change{}, err
		}
		copies, err := idsOf(tx, sqlCopies, c.Seq)
		if err != nil {
			return Change{}, err
		}
		if len(copies) > 0 {
			return Change{}, model.Errorf(model.CodeStale, "#%d was pushed again already, as #%d", b.ID, copies[0])
		}
		return q.push(tx, p)
	})
}
