package queue

import (
	"context"
	"slices"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/directive"
)

const (
	sqlAheadEqual = `SELECT count(*) FROM directives WHERE lane = $1 AND status = 'pending' AND priority = $2 AND id < $3`
	sqlAheadIDs   = `SELECT id FROM directives WHERE lane = $1 AND status = 'pending' AND (priority, id) < ($2, $3)` +
		` ORDER BY priority, id LIMIT $4`
)

// Why says why a directive is where it is.
func (v *view) Why(ctx context.Context, id int64) (directive.Why, error) {
	var out directive.Why
	err := v.read(ctx, func(r store.Reader, now instant) (err error) {
		out, err = v.why(r, id, now)
		return err
	})
	return out, err
}

func (v *view) why(r store.Reader, id int64, now instant) (directive.Why, error) {
	d, err := find(r, id)
	if err != nil {
		return directive.Why{}, err
	}
	w := directive.Why{
		Directive: item(d, false).Directive, At: now.line, Now: now.Reading, Effective: v.ageing.Effective(d, now.line), MaxAttempts: v.maxAttempts,
	}
	if v.ageing.On() {
		w.Interval = v.ageing.Interval
	}
	if w.Due, err = isDue(r, d, now.Reading); err != nil {
		return w, err
	}
	if w.Blocks, err = idsOf(r, sqlBlocks, id, directive.MaxAhead); err != nil {
		return w, err
	}
	switch d.Status {
	case directive.StatusPending:
		err = v.rank(r, &w, d, now.line)
	case directive.StatusDeferred:
		w.Blockers, err = statusOf(r, d.BlockedBy)
	}
	return w, err
}

// rank fills in where a pending directive stands.
func (v *view) rank(r store.Reader, w *directive.Why, d directive.Directive, now model.Time) error {
	counts, err := r.Counts()
	if err != nil {
		return err
	}
	var higher int64
	for p := directive.P0; p <= directive.P2; p++ {
		n := counts.Get(model.PlaneQueue, d.Lane+"/"+p.String()+"/"+directive.StatusPending)
		w.Line += n
		if p < d.Priority {
			higher += n
		}
	}
	if v.ageing.On() {
		line, whole, err := v.line(r, d.Lane)
		if err != nil {
			return err
		}
		if whole {
			v.ageing.Sort(line, now)
			at := slices.IndexFunc(line, func(x directive.Directive) bool { return x.ID == d.ID })
			w.Rank = int64(at) + 1
			for _, x := range line[:min(max(at, 0), directive.MaxAhead)] {
				w.Ahead = append(w.Ahead, x.ID)
			}
			return nil
		}
		w.Approximate = true
	}
	var equal int64
	if err := r.QueryRow(sqlAheadEqual, d.Lane, int64(d.Priority), d.ID).Scan(&equal); err != nil {
		return store.Explain("count what is ahead", err)
	}
	w.Rank = higher + equal + 1
	w.Ahead, err = idsOf(r, sqlAheadIDs, d.Lane, int64(d.Priority), d.ID, directive.MaxAhead)
	return err
}
