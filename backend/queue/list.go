package queue

import (
	"context"
	"slices"
	"strings"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/directive"
)

// List asks for a page of directives, in the order of laneq's lists: by
// priority, then by id.
type List struct {
	All    bool   // also those that are not pending
	Status string // only those in this status; wins over All
	Lane   string // only those of this lane; "" is any
	After  Place  // go on behind this place
	Limit  int    // 1 to MaxPage; 0 is MaxPage
}

// Place is where a directive stands in a list. The zero Place is the beginning.
type Place struct {
	Priority directive.Priority `json:"priority"`
	ID       int64              `json:"id"`
}

// Page is one page of a list. A body longer than CutBody is cut.
type Page struct {
	Items []Item `json:"items"`
	Next  Place  `json:"next"` // where to go on, when there is more
	More  bool   `json:"more"`
}

// Bounds of a list.
const (
	MaxPage = 500
	CutBody = 1 << 10 // bytes of a body that a list shows
)

// A list is made of queries each of which an index serves in the list's order,
// so that a page costs what it shows.
const (
	restListLane = `WHERE lane = $1 AND status = 'pending'` +
		` AND (priority, id) > ($2, $3) ORDER BY priority, id LIMIT $4`
	restListPriority = `WHERE priority = $1 AND id > $2` +
		` AND ($3 = '' OR lane = $3) AND ($4 = '' OR status = $4) ORDER BY id LIMIT $5`
	restListTaken = `WHERE status = 'taken' AND ($1 = '' OR lane = $1)` +
		` AND (priority, id) > ($2, $3) ORDER BY priority, id LIMIT $4`
	restListDeferred = `WHERE status = 'deferred' AND ($1 = '' OR lane = $1)` +
		` AND (priority, id) > ($2, $3) ORDER BY priority, id LIMIT $4`
	restListParked = `WHERE status = 'parked' AND ($1 = '' OR lane = $1)` +
		` AND (priority, id) > ($2, $3) ORDER BY priority, id LIMIT $4`
)

// List returns one page. Without All it shows what stands in the line,
// including what the next write brings back into it (Item.Due).
func (v *view) List(ctx context.Context, l List) (Page, error) {
	if l.Lane != "" {
		if err := directive.CheckLane(l.Lane); err != nil {
			return Page{}, err
		}
	}
	if l.Status != "" && !directive.IsStatus(l.Status) {
		return Page{}, model.Errorf(model.CodeInvalid, "%q is not a status", clean.Line(l.Status)).
			WithHint("the statuses are pending, taken, deferred, parked, done and dropped")
	}
	if l.Limit < 1 || l.Limit > MaxPage {
		l.Limit = MaxPage
	}
	var out Page
	err := v.read(ctx, func(r store.Reader, now instant) (err error) {
		out, err = v.list(r, l, now.Reading)
		return err
	})
	return out, err
}

func (v *view) list(r store.Reader, l List, now model.Reading) (Page, error) {
	found, err := v.listRows(r, l, now)
	if err != nil {
		return Page{}, err
	}
	sortByLine(found)
	p := Page{Items: []Item{}}
	if len(found) > l.Limit {
		found, p.More = found[:l.Limit], true
	}
	for _, d := range found {
		due, err := isDue(r, d, now)
		if err != nil {
			return Page{}, err
		}
		p.Items = append(p.Items, item(d, due))
		p.Next = Place{d.Priority, d.ID}
	}
	return p, nil
}

// listRows returns at least the first l.Limit+1 rows behind l.After, and maybe
// others.
func (v *view) listRows(r store.Reader, l List, now model.Reading) ([]directive.Directive, error) {
	limit, after := l.Limit+1, l.After
	switch {
	case l.Status == directive.StatusTaken:
		return directives(r, restListTaken, l.Lane, int64(after.Priority), after.ID, limit)
	case l.Status == directive.StatusDeferred:
		return directives(r, restListDeferred, l.Lane, int64(after.Priority), after.ID, limit)
	case l.Status == directive.StatusParked:
		return directives(r, restListParked, l.Lane, int64(after.Priority), after.ID, limit)
	case l.All || directive.FinalStatus(l.Status):
		var found []directive.Directive
		for p := after.Priority; p <= directive.P2 && len(found) < limit; p++ {
			from := int64(0)
			if p == after.Priority {
				from = after.ID
			}
			rows, err := directives(r, restListPriority, int64(p), from, l.Lane, l.Status, limit-len(found))
			if err != nil {
				return nil, err
			}
			found = append(found, rows...)
		}
		return found, nil
	}
	lanes := []string{l.Lane}
	if l.Lane == "" {
		counts, err := r.Counts()
		if err != nil {
			return nil, err
		}
		lanes = lanesWith(counts, directive.StatusPending)
	}
	var found []directive.Directive
	for _, lane := range lanes {
		rows, err := directives(r, restListLane, lane, int64(after.Priority), after.ID, limit)
		if err != nil {
			return nil, err
		}
		found = append(found, rows...)
	}
	if l.Status == directive.StatusPending {
		return found, nil
	}
	due, err := v.due(r, l.Lane, now)
	for _, d := range due {
		if byLine(d, directive.Directive{Priority: after.Priority, ID: after.ID}) > 0 {
			found = append(found, d)
		}
	}
	return found, err
}

// item cuts a long body at a whole character.
func item(d directive.Directive, due bool) Item {
	it := Item{Directive: d, Due: due}
	if len(d.Body) > CutBody {
		it.Cut, it.Body = true, strings.ToValidUTF8(d.Body[:CutBody], "")
	}
	return it
}

// lanesWith lists the lanes that have directives in the status, by name.
func lanesWith(c model.Counts, status string) []string {
	seen := map[string]bool{}
	for k, n := range c {
		if k.Plane == model.PlaneQueue && n > 0 {
			if lane, _, s, ok := directive.LaneCounter(k.Name); ok && s == status {
				seen[lane] = true
			}
		}
	}
	out := make([]string, 0, len(seen))
	for lane := range seen {
		out = append(out, lane)
	}
	slices.Sort(out)
	return out
}
