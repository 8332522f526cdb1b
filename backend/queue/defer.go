package queue

import (
	"context"
	"slices"
	"time"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/directive"
)

// Deferral says what a directive waits for: a time, others, or both.
type Deferral struct {
	For       time.Duration // from now on
	Until     model.Time    // instead of For
	BlockedBy []int64       // until these are done or dropped
}

// Defer takes a directive out of the line until its time has come and every
// blocker is done or dropped. A claim is given up by that. Itself, a missing id
// and a cycle are refused, the cycle by its names. What is due already becomes
// pending at once.
func (q *Queue) Defer(ctx context.Context, a Act, f Deferral) (Change, error) {
	switch {
	case f.For != 0 && f.Until != 0:
		return Change{}, model.Errorf(model.CodeInvalid, "use either --until or --for, not both")
	case f.For == 0 && f.Until == 0 && len(f.BlockedBy) == 0:
		return Change{}, model.Errorf(model.CodeInvalid, "defer requires --until, --for, or --blocked-by")
	case f.For < 0 || f.For > model.MaxDuration:
		return Change{}, model.Errorf(model.CodeInvalid, "a deferral for %s is out of range", f.For)
	}
	return q.act(ctx, a, func(tx store.Tx) (Change, error) {
		d, forced, err := q.permit(tx, a, "defer")
		if err != nil {
			return q.already(tx, a, "defer", err)
		}
		until := f.Until
		if f.For != 0 {
			until = tx.Clocks().Wall.Add(f.For)
		}
		ids, blockers, err := blockersOf(tx, f.BlockedBy)
		if err != nil {
			return Change{}, err
		}
		cycle, err := directive.FindCycle(d.ID, ids, func(id int64) ([]int64, error) { return waitsFor(tx, id) })
		if err != nil {
			return Change{}, err
		}
		if cycle != nil {
			return Change{}, directive.RefuseCycle(cycle, "blocked by")
		}
		p := q.payload(a, "defer", d, forced)
		p.NotBefore, p.BlockedBy = deferral(until, ids)
		c, err := q.write(tx, d, directive.StatusDeferred, p, 0)
		if err != nil || !c.After.Ready(blockers, tx.Clocks().Wall) {
			return c, err
		}
		if err := q.promote(tx, []int64{d.ID}, c.Seq); err != nil {
			return c, err
		}
		c.After, err = readOne(tx, d.ID)
		return c, err
	})
}

// deferral puts what a directive waits for into a payload's form.
func deferral(until model.Time, ids []int64) (*model.Time, *[]int64) {
	var t *model.Time
	if until != 0 {
		t = &until
	}
	if len(ids) == 0 {
		return t, nil
	}
	return t, &ids
}

// blockersOf reads what a directive is to wait for: sorted, each once. A missing
// one is refused.
func blockersOf(r store.Reader, ids []int64) ([]int64, []directive.Blocker, error) {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	if len(ids) > directive.MaxBlockers {
		return nil, nil, model.Errorf(model.CodeInvalid, "there are %d blockers; at most %d fit", len(ids), directive.MaxBlockers).
			WithHint("put a directive in between that waits for some of them")
	}
	out := make([]directive.Blocker, 0, len(ids))
	for _, id := range ids {
		d, err := readOne(r, id)
		if model.CodeOf(err) == model.CodeNotFound {
			return nil, nil, model.Errorf(model.CodeNotFound, "no dependency #%d", id)
		}
		if err != nil {
			return nil, nil, err
		}
		out = append(out, directive.Blocker{ID: id, Status: d.Status})
	}
	return ids, out, nil
}

// waitsFor returns the blockers of a directive that is deferred still; others
// wait for nothing.
func waitsFor(r store.Reader, id int64) ([]int64, error) {
	d, err := readOne(r, id)
	if err != nil && model.CodeOf(err) != model.CodeNotFound {
		return nil, err
	}
	return d.BlockedBy, nil
}
