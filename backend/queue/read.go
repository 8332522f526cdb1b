package queue

import (
	"cmp"
	"context"
	"slices"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/directive"
)

// Item is a directive as a read shows it.
type Item struct {
	directive.Directive
	// Due: the next write brings it back into the line, for its lease has run out
	// or what it waited for has come.
	Due bool `json:"due,omitempty"`
	Cut bool `json:"cut,omitempty"` // Body is only the body's beginning
}

// view is the side of a queue that reads: what its directives are at one instant,
// and what the next write would do. It never writes.
type view struct {
	snapshots interface {
		Read(context.Context, func(store.Reader) error) error
	}
	clock       model.Clock
	ageing      directive.Ageing
	maxAttempts int64
}

// instant is when a read looks.
type instant struct {
	model.Reading            // the machine's clocks: what is due is judged by them
	line          model.Time // never before the newest event: what ages of records are counted to
}

// read runs fn on a snapshot.
func (v *view) read(ctx context.Context, fn func(r store.Reader, now instant) error) error {
	return v.snapshots.Read(ctx, func(r store.Reader) error {
		now, err := v.now(r)
		if err != nil {
			return err
		}
		return fn(r, now)
	})
}

func (v *view) now(r store.Reader) (instant, error) {
	h, err := r.Head()
	now := v.clock()
	return instant{now, max(now.Wall, h.TS)}, err
}

// Peek shows what next would give from the lane, without taking it. It may be
// due only (see Item.Due). An empty lane is CodeEmpty.
func (v *view) Peek(ctx context.Context, lane string) (Item, error) {
	lane, err := laneOr(lane)
	if err != nil {
		return Item{}, err
	}
	var out Item
	err = v.read(ctx, func(r store.Reader, now instant) error {
		candidates, err := v.due(r, lane, now.Reading)
		if err != nil {
			return err
		}
		id, err := v.first(r, lane, now.line)
		if err != nil {
			return err
		}
		if id != 0 {
			d, err := readOne(r, id)
			if err != nil {
				return err
			}
			candidates = append(candidates, d)
		}
		if len(candidates) == 0 {
			return errEmpty(lane)
		}
		best := slices.MinFunc(candidates, func(a, b directive.Directive) int {
			return v.ageing.Compare(asPending(a, now.line), asPending(b, now.line), now.line)
		})
		out = Item{Directive: best, Due: best.Status != directive.StatusPending}
		return nil
	})
	return out, err
}

// Detail is all about one directive.
type Detail struct {
	Item
	Thread  []directive.Directive `json:"thread,omitempty"` // its family, itself included; none when it stands alone
	Blocks  []int64               `json:"blocks,omitempty"` // what waits for it
	History []model.Event         `json:"history"`          // its events, the oldest first
	Older   bool                  `json:"older,omitempty"`  // History begins later than the directive
}

const (
	restHistory = `WHERE key = $1 AND kind = 'directive' ORDER BY seq DESC LIMIT $2`
	sqlBlocks   = `SELECT b.id FROM directive_blocks b JOIN directives d ON d.id = b.id` +
		` WHERE b.blocked_by = $1 AND d.status = 'deferred' ORDER BY b.id LIMIT $2`
)

// Show returns a directive with its thread and its history.
func (v *view) Show(ctx context.Context, id int64) (Detail, error) {
	var out Detail
	err := v.read(ctx, func(r store.Reader, now instant) (err error) {
		out, err = v.show(r, id, now.Reading)
		return err
	})
	return out, err
}

func (v *view) show(r store.Reader, id int64, now model.Reading) (Detail, error) {
	d, err := find(r, id)
	if err != nil {
		return Detail{}, err
	}
	out := Detail{Item: Item{Directive: d}}
	if out.Due, err = isDue(r, d, now); err != nil {
		return out, err
	}
	if out.History, out.Older, err = history(r, id); err != nil {
		return out, err
	}
	if out.Blocks, err = idsOf(r, sqlBlocks, id, directive.MaxThread); err != nil {
		return out, err
	}
	t, err := thread(r, id)
	if err == nil && t.Total > 1 {
		out.Thread = t.Items
	}
	return out, err
}

func isDue(r store.Reader, d directive.Directive, now model.Reading) (bool, error) {
	switch d.Status {
	case directive.StatusTaken:
		return d.Lapsed(now), nil
	case directive.StatusDeferred:
		blockers, err := statusOf(r, d.BlockedBy)
		return d.Ready(blockers, now.Wall), err
	}
	return false, nil
}

// statusOf reads blockers as they are now; a missing one has no status.
func statusOf(r store.Reader, ids []int64) ([]directive.Blocker, error) {
	out := make([]directive.Blocker, 0, len(ids))
	for _, id := range ids {
		d, err := readOne(r, id)
		if err != nil && model.CodeOf(err) != model.CodeNotFound {
			return nil, err
		}
		out = append(out, directive.Blocker{ID: id, Status: d.Status})
	}
	return out, nil
}

// history returns the newest events of a directive, the oldest of them first.
func history(r store.Reader, id int64) (events []model.Event, older bool, err error) {
	events, err = store.SelectEvents(r, restHistory, directive.Key(id), desk.MaxHistory+1)
	if len(events) > desk.MaxHistory {
		events, older = events[:desk.MaxHistory], true
	}
	slices.SortFunc(events, func(a, b model.Event) int { return cmp.Compare(a.Seq, b.Seq) })
	return events, older, store.Explain("read the queue", err)
}

// directives reads the directives that the rest of a query chooses, of their bodies
// one byte more than CutBody at most, so that a cut can be told.
func directives(r store.Reader, rest string, args ...any) ([]directive.Directive, error) {
	out, err := Directives.SelectCut(r, CutBody+1, rest, args...)
	return out, store.Explain("read the queue", err)
}
