package queue

import (
	"cmp"
	"slices"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/directive"
)

// maxDue bounds how many due directives one read reckons with.
const maxDue = 1_000

// dueIDs returns the directives that the next write would move at now: lapsed
// claims and deferrals that wait for nothing any more. It changes nothing.
func dueIDs(r store.Reader, now model.Reading) (lapsed, deferred []int64, err error) {
	if lapsed, err = lapsedIDs(r, now, maxDue); err != nil {
		return nil, nil, err
	}
	if deferred, err = idsOf(r, sqlDue, int64(now.Wall), maxDue); err != nil {
		return nil, nil, err
	}
	left, err := idsOf(r, sqlDueAlways, maxDue)
	return lapsed, append(deferred, left...), err
}

// due returns the directives that the next write in the lane ("" is any) would
// make pending, as next would then see them, in no order. What would be parked
// instead is not among them.
func (v *view) due(r store.Reader, lane string, now model.Reading) ([]directive.Directive, error) {
	lapsed, deferred, err := dueIDs(r, now)
	if err != nil {
		return nil, err
	}
	out := make([]directive.Directive, 0, len(lapsed)+len(deferred))
	for i, id := range append(lapsed, deferred...) {
		d, err := readOne(r, id)
		if err != nil {
			return nil, err
		}
		if lane != "" && d.Lane != lane || i < len(lapsed) && v.poisoned(d) {
			continue
		}
		out = append(out, d)
	}
	return out, nil
}

// dueByLane counts what due returns.
func (v *view) dueByLane(r store.Reader, now model.Reading) (map[string]int, error) {
	all, err := v.due(r, "", now)
	if err != nil || len(all) == 0 {
		return nil, err
	}
	n := map[string]int{}
	for _, d := range all {
		n[d.Lane]++
	}
	return n, nil
}

// asPending is a due directive as it will stand in the line: it has waited for
// nothing yet.
func asPending(d directive.Directive, now model.Time) directive.Directive {
	if d.Status != directive.StatusPending {
		d.Status, d.Since = directive.StatusPending, now
	}
	return d
}

// byLine orders directives as they stand in laneq's lists: by priority, then
// by id.
func byLine(a, b directive.Directive) int {
	return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.ID, b.ID))
}

func sortByLine(ds []directive.Directive) { slices.SortFunc(ds, byLine) }
