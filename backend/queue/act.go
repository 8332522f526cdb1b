package queue

import (
	"context"
	"time"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/directive"
)

// act is one operation on one directive, in one write.
func (q *Queue) act(ctx context.Context, a Act, fn func(tx store.Tx) (Change, error)) (Change, error) {
	if err := q.checkAct(a); err != nil {
		return Change{}, err
	}
	var out Change
	err := q.store.Write(ctx, func(tx store.Tx) (err error) {
		if out, err = fn(tx); err != nil {
			return err
		}
		return q.settle(tx)
	})
	if err != nil {
		return Change{}, err
	}
	return out, nil
}

// payload begins the payload of an act.
func (q *Queue) payload(a Act, action string, d directive.Directive, forced bool) *directive.Payload {
	p := &directive.Payload{Action: action, By: a.By, Why: a.Why, Forced: forced}
	if p.By == "" && !forced {
		p.By = d.TakenBy
	}
	q.clean(p, "", a.Secrets)
	return p
}

// Done finishes a claim. What waited for the directive is promoted with it.
func (q *Queue) Done(ctx context.Context, a Act) (Change, error) {
	return q.finish(ctx, a, "done", directive.StatusDone)
}

// Drop ends a directive that will not be done, in any open state. What waited
// for it is promoted with it.
func (q *Queue) Drop(ctx context.Context, a Act) (Change, error) {
	return q.finish(ctx, a, "drop", directive.StatusDropped)
}

func (q *Queue) finish(ctx context.Context, a Act, action, state string) (Change, error) {
	c, err := q.act(ctx, a, func(tx store.Tx) (Change, error) {
		d, forced, err := q.permit(tx, a, action)
		if err != nil {
			return q.already(tx, a, action, err)
		}
		// Asked before the event is appended: the store then need not write it
		// out first.
		waiting, err := q.dependants(tx, d.ID)
		if err != nil {
			return Change{}, err
		}
		c, err := q.write(tx, d, state, q.payload(a, action, d, forced), 0)
		if err != nil {
			return Change{}, err
		}
		c.Promoted = waiting
		return c, q.promote(tx, waiting, c.Seq)
	})
	if err != nil || c.Already {
		return c, err
	}
	return c, q.promoteRest(ctx, &c)
}

// Requeue hands a claim back: the directive is pending again, at its old place.
// Forced by an operator it also ends a deferral or a parking.
func (q *Queue) Requeue(ctx context.Context, a Act) (Change, error) {
	return q.act(ctx, a, func(tx store.Tx) (Change, error) {
		d, err := q.look(tx, a)
		if err != nil {
			return q.already(tx, a, "requeue", err)
		}
		action := "requeue"
		if a.Force {
			switch d.Status {
			case directive.StatusDeferred:
				action = "promote"
			case directive.StatusParked:
				action = "unpark"
			}
		}
		d, forced, err := q.permit(tx, a, action)
		if err != nil {
			return q.already(tx, a, action, err)
		}
		return q.write(tx, d, directive.StatusPending, q.payload(a, action, d, forced), 0)
	})
}

// Park sets a directive aside until an operator unparks it.
func (q *Queue) Park(ctx context.Context, a Act) (Change, error) {
	return q.act(ctx, a, func(tx store.Tx) (Change, error) {
		d, forced, err := q.permit(tx, a, "park")
		if err != nil {
			return q.already(tx, a, "park", err)
		}
		return q.write(tx, d, directive.StatusParked, q.payload(a, "park", d, forced), 0)
	})
}

// Unpark puts a parked directive back into the line, its lapses forgotten.
// Nobody holds a parked one, so it takes no token.
func (q *Queue) Unpark(ctx context.Context, a Act) (Change, error) {
	return q.act(ctx, a, func(tx store.Tx) (Change, error) {
		d, err := q.look(tx, a)
		if err != nil {
			return Change{}, err
		}
		if err := possible(d, "unpark"); err != nil {
			return Change{}, err
		}
		return q.write(tx, d, directive.StatusPending, q.payload(a, "unpark", d, false), 0)
	})
}

// Touch extends the lease of a claim: it runs for the given time from now on.
// 0 is the queue's default. An operator may revive a lapsed claim by force as
// long as no write has taken it back.
func (q *Queue) Touch(ctx context.Context, a Act, lease time.Duration) (Change, error) {
	if lease == 0 {
		lease = q.lease
	}
	if err := checkLease(lease); err != nil {
		return Change{}, err
	}
	return q.act(ctx, a, func(tx store.Tx) (Change, error) {
		d, forced, err := q.permit(tx, a, "touch")
		if err != nil {
			return Change{}, err
		}
		p := q.payload(a, "touch", d, forced)
		p.SetLease(model.NewLease(tx.Clocks(), lease))
		return q.write(tx, d, directive.StatusTaken, p, 0)
	})
}

// Order is what Reprioritize changes; nil leaves a thing as it is.
type Order struct {
	Priority   *directive.Priority
	Importance *int64
	Deadline   *model.Time // a pointer to 0 takes the deadline away
}

// Reprioritize changes where a directive stands, in any open state. It takes no
// token: it does not touch the claim.
func (q *Queue) Reprioritize(ctx context.Context, a Act, o Order) (Change, error) {
	if o.Priority == nil && o.Importance == nil && o.Deadline == nil {
		return Change{}, model.Errorf(model.CodeUsage, "nothing to change").WithHint("name a priority, P0, P1 or P2")
	}
	if p := o.Priority; p != nil && (*p < directive.P0 || *p > directive.P2) {
		return Change{}, model.Errorf(model.CodeInvalid, "%d is not a priority", int(*p)).
			WithHint("the priorities are P0, P1 and P2")
	}
	if o.Importance != nil {
		if err := directive.CheckImportance(*o.Importance); err != nil {
			return Change{}, err
		}
	}
	return q.act(ctx, a, func(tx store.Tx) (Change, error) {
		d, err := q.look(tx, a)
		if err != nil {
			return Change{}, err
		}
		if err := possible(d, "reprioritize"); err != nil {
			return Change{}, err
		}
		p := &directive.Payload{
			Action: "reprioritize", By: a.By, Why: a.Why, Priority: o.Priority, Importance: o.Importance,
		}
		q.clean(p, "", a.Secrets)
		if o.Deadline != nil {
			if *o.Deadline == 0 {
				p.NoDeadline = true
			} else {
				p.Deadline = o.Deadline
			}
		}
		return q.write(tx, d, d.Status, p, 0)
	})
}
