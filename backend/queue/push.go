package queue

import (
	"context"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/directive"
	"binnacle/model/redact"
)

// Push is one directive to be put into a lane.
type Push struct {
	Body       string             // see model.CheckBody
	Priority   directive.Priority // model.P1 is the usual one
	Lane       string             // "" is the default lane
	Parent     int64              // 0 is none
	By         string             // who pushes; default the queue's producer
	Why        string
	Importance int64      // see model.Ageing
	Deadline   model.Time // see model.Ageing
	NotBefore  model.Time // deferred until then
	BlockedBy  []int64    // deferred until these are done or dropped
	Causation  int64      // the event because of which it is pushed, 0 is none
	// Secrets says what is done with a body or a reason that looks like it holds one.
	Secrets redact.Secrets
}

func (q *Queue) checkPush(p *Push) error {
	lane, err := laneOr(p.Lane)
	if err != nil {
		return err
	}
	p.Lane = lane
	if p.Priority < directive.P0 || p.Priority > directive.P2 {
		return model.Errorf(model.CodeInvalid, "%d is not a priority", int(p.Priority)).
			WithHint("the priorities are P0, P1 and P2")
	}
	if p.By != "" {
		if err := model.CheckName("name of who pushes", p.By, model.MaxProducer); err != nil {
			return err
		}
	}
	if err := directive.CheckWhy(p.Why); err != nil {
		return err
	}
	if err := directive.CheckImportance(p.Importance); err != nil {
		return err
	}
	if p.Parent < 0 {
		return noParent(p.Parent)
	}
	if err := directive.CheckBody(p.Body); err != nil {
		return err
	}
	return q.checkSecrets(p.Secrets,
		[]redact.Named{{Name: "the lane", Text: p.Lane}, {Name: "the name of who pushes", Text: p.By}},
		[]redact.Named{{Name: "the body", Text: p.Body}, {Name: "the reason", Text: p.Why}})
}

func noParent(id int64) error { return model.Errorf(model.CodeNotFound, "no parent #%d", id) }

// Push puts one directive into its lane. Ids grow and are never used twice.
func (q *Queue) Push(ctx context.Context, p Push) (Change, error) {
	if err := q.checkPush(&p); err != nil {
		return Change{}, err
	}
	var out Change
	err := q.store.Write(ctx, func(tx store.Tx) (err error) {
		if err := q.settle(tx); err != nil {
			return err
		}
		out, err = q.push(tx, p)
		return err
	})
	if err != nil {
		return Change{}, err
	}
	return out, nil
}

// pushBatch bounds one transaction of PushMany.
const (
	pushBatch      = 512
	pushBatchBytes = 4 << 20
)

// PushMany pushes many directives in their order, some hundreds a transaction,
// and returns the ids. Every directive is checked before the first is pushed.
// When a transaction fails the ids of those before it are returned with the
// error, and they stay.
func (q *Queue) PushMany(ctx context.Context, all []Push) ([]int64, error) {
	all = append([]Push(nil), all...)
	for i := range all {
		if err := q.checkPush(&all[i]); err != nil {
			return nil, model.Errorf(model.CodeOf(err), "directive %d of %d: %w", i+1, len(all), err).
				WithHint("%s", model.HintOf(err))
		}
	}
	ids := make([]int64, 0, len(all))
	for len(all) > 0 {
		n, bytes := 0, 0
		for n < len(all) && n < pushBatch && (n == 0 || bytes+len(all[n].Body) <= pushBatchBytes) {
			bytes += len(all[n].Body)
			n++
		}
		done := len(ids)
		err := q.store.Write(ctx, func(tx store.Tx) error {
			ids = ids[:done]
			for _, p := range all[:n] {
				c, err := q.push(tx, p)
				if err != nil {
					return err
				}
				ids = append(ids, c.After.ID)
			}
			return nil
		})
		if err != nil {
			return ids[:done], err
		}
		all = all[n:]
	}
	return ids, nil
}

// push is one checked push inside of a transaction.
func (q *Queue) push(tx store.Tx, p Push) (Change, error) {
	if p.Parent != 0 {
		if _, err := readOne(tx, p.Parent); model.CodeOf(err) == model.CodeNotFound {
			return Change{}, noParent(p.Parent)
		} else if err != nil {
			return Change{}, err
		}
	}
	pay := &directive.Payload{
		Action: "push", By: p.By, Why: p.Why, Priority: &p.Priority, Lane: p.Lane, Parent: p.Parent,
	}
	q.clean(pay, p.Body, p.Secrets)
	if p.Importance != 0 {
		pay.Importance = &p.Importance
	}
	if p.Deadline != 0 {
		pay.Deadline = &p.Deadline
	}
	state := directive.StatusPending
	if p.NotBefore != 0 || len(p.BlockedBy) > 0 {
		ids, blockers, err := blockersOf(tx, p.BlockedBy)
		if err != nil {
			return Change{}, err
		}
		d := directive.Directive{Status: directive.StatusDeferred, NotBefore: p.NotBefore, BlockedBy: ids}
		if !d.Ready(blockers, tx.Clocks().Wall) {
			pay.Action, state = "push-deferred", directive.StatusDeferred
			pay.NotBefore, pay.BlockedBy = deferral(p.NotBefore, ids)
		}
	}
	return q.write(tx, directive.Directive{Lane: p.Lane}, state, pay, p.Causation)
}
