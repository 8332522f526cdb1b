package demo

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"binnacle/backend/ledger"
	"binnacle/backend/queue"
	"binnacle/model"
	"binnacle/model/directive"
)

// lost says whether the engine refused because somebody else (the clock, an
// operator) was faster, which is part of the story.
func lost(err error) bool {
	switch model.CodeOf(err) {
	case model.CodeRefused, model.CodeToken, model.CodeStale, model.CodeNotFound, model.CodeEmpty:
		return err != nil
	}
	return false
}

// claimWork: an executor begins something.
func (f *Fleet) claimWork(ctx context.Context) error {
	f.jobs++
	h := held{key: fmt.Sprintf("job-%d", f.jobs), executor: pick(f, builders()), dead: f.jobs%5 == 0}
	c, err := f.ledger.ClaimWork(ctx, ledger.ClaimRequest{Key: h.key, Executor: h.executor, Topic: "build/work", Lease: workLease, Producer: h.executor})
	if err != nil {
		return err
	}
	h.token = c.Token
	f.claims = append(f.claims, h)
	return nil
}

// beat: an executor shows that it lives, finishes, fails, or is dead.
func (f *Fleet) beat(ctx context.Context) error {
	if len(f.claims) < 3 {
		return f.claimWork(ctx)
	}
	i := f.rng.IntN(len(f.claims))
	h := &f.claims[i]
	r := ledger.WorkRequest{Key: h.key, Executor: h.executor, Token: h.token, Lease: workLease, Producer: h.executor}
	var err error
	h.beats++
	switch {
	case h.dead:
		if h.beats < 6 {
			return nil
		}
		f.claims = append(f.claims[:i], f.claims[i+1:]...)
		return nil
	case h.beats < 4:
		_, err = f.ledger.HeartbeatWork(ctx, r)
	case f.rng.IntN(6) == 0:
		r.Reason = "exit status 2"
		_, err = f.ledger.FailWork(ctx, r)
		f.claims = append(f.claims[:i], f.claims[i+1:]...)
	default:
		r.Evidence = json.RawMessage(`{"artifact":"dist/app.tar.gz","exit_status":0}`)
		_, err = f.ledger.CompleteWork(ctx, r)
		f.claims = append(f.claims[:i], f.claims[i+1:]...)
	}
	if lost(err) {
		return nil
	}
	return err
}

// maxWaiting bounds a lane: beyond it nobody pushes.
const maxWaiting = 14

// push: somebody asks for something.
func (f *Fleet) push(ctx context.Context) error {
	s, err := f.queue.Stats(ctx, "")
	if err != nil {
		return err
	}
	waiting := int64(0)
	for _, c := range s.ByStatus {
		if c.Status == directive.StatusPending {
			waiting += c.Count
		}
	}
	if waiting >= maxWaiting {
		return f.work(ctx)
	}
	all := chores()
	c := all[f.chore%len(all)]
	f.chore++
	p := queue.Push{Body: c.body, Lane: c.lane, Priority: directive.Priority(f.rng.IntN(3)), By: "planner"}
	change, err := f.queue.Push(ctx, p)
	if err != nil || f.chore%6 != 0 {
		return err
	}
	// Now and then the next one waits for this one.
	_, err = f.queue.Push(ctx, queue.Push{
		Body: "announce it: " + c.body, Lane: c.lane, Priority: directive.P2, By: "planner", BlockedBy: []int64{change.After.ID},
	})
	return err
}

// work: a worker takes a directive, keeps it, finishes it, or dies with it.
func (f *Fleet) work(ctx context.Context) error {
	w := &f.workers[f.rng.IntN(len(f.workers))]
	if w.away > 0 {
		if w.away--; w.away == 0 {
			return f.say(ctx, w.name, "back again")
		}
		return nil
	}
	if w.busy == 0 {
		c, err := f.queue.Next(ctx, queue.Next{Lane: w.lane, Consumer: w.name, Lease: directiveLease})
		if lost(err) {
			return nil // nothing there
		}
		if err != nil {
			return err
		}
		w.claim, w.busy = c, 3+f.rng.IntN(6)
		return nil
	}
	a := queue.Act{ID: w.claim.Directive.ID, Token: w.claim.Token}
	w.busy--
	var err error
	switch n := f.rng.IntN(30); {
	case n == 0: // it dies, and its lease runs out
		w.busy, w.away = 0, 25
		return nil
	case n == 1:
		w.busy = 0
		a.Why = "not mine"
		_, err = f.queue.Requeue(ctx, a)
	case n == 2:
		w.busy = 0
		a.Why = "waits for the review"
		_, err = f.queue.Defer(ctx, a, queue.Deferral{For: time.Duration(5+f.rng.IntN(30)) * time.Second})
	case w.busy > 0:
		_, err = f.queue.Touch(ctx, a, directiveLease)
	default:
		_, err = f.queue.Done(ctx, a)
	}
	if lost(err) {
		w.busy = 0 // the operator or the clock took it
		return nil
	}
	return err
}

func (f *Fleet) say(ctx context.Context, who, text string) error {
	_, err := f.emit(ctx, "fleet/log", who, model.KindNote, "", map[string]any{"text": text})
	return err
}
