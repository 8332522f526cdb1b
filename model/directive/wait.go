package directive

import (
	"slices"
	"strconv"
	"strings"

	"binnacle/model"
)

// Blocker is one directive that another waits for.
type Blocker struct {
	ID     int64  `json:"id"`
	Status string `json:"status"` // "" when there is no such directive
}

// Satisfied says whether nothing waits for the blocker any more: it is done or
// dropped. One that does not exist is never satisfied, for nobody can say what
// it was to be.
func (b Blocker) Satisfied() bool { return FinalStatus(b.Status) }

// Ready says whether a deferred directive is due at now: its time has come and
// every blocker is satisfied. blockers are those of d.BlockedBy, as they are
// now.
func (d Directive) Ready(blockers []Blocker, now model.Time) bool {
	if d.Status != StatusDeferred || now < d.NotBefore {
		return false
	}
	for _, b := range blockers {
		if !b.Satisfied() {
			return false
		}
	}
	return true
}

// MaxCycleWalk bounds how many directives FindCycle looks at.
const MaxCycleWalk = 10_000

// FindCycle looks for a way from any of the new edges' targets back to start:
// if start is given those edges, there would be a cycle. It returns the cycle
// as it would be walked, start first and start last, or nil. edges returns
// where the edges of an existing directive lead. A graph in which more than
// MaxCycleWalk directives can be reached is refused.
func FindCycle(start int64, targets []int64, edges func(id int64) ([]int64, error)) ([]int64, error) {
	from := map[int64]int64{} // where the walk came from
	var todo []int64
	add := func(id, by int64) bool {
		if id == start {
			from[start] = by
			return true
		}
		if _, seen := from[id]; !seen {
			from[id] = by
			todo = append(todo, id)
		}
		return false
	}
	walk := func() bool {
		for _, t := range targets {
			if add(t, start) {
				return true
			}
		}
		return false
	}
	found := walk()
	for next := 0; !found && next < len(todo); next++ {
		if len(todo) > MaxCycleWalk {
			return nil, model.Errorf(model.CodeRefused, "more than %d directives stand behind #%d, too many to look for a cycle",
				MaxCycleWalk, start)
		}
		out, err := edges(todo[next])
		if err != nil {
			return nil, err
		}
		for _, id := range out {
			if found = add(id, todo[next]); found {
				break
			}
		}
	}
	if !found {
		return nil, nil
	}
	path := []int64{start}
	for at := from[start]; at != start; at = from[at] {
		path = append(path, at)
	}
	path = append(path, start)
	slices.Reverse(path)
	return path, nil
}

// CyclePath writes a cycle: "#4 -> #9 -> #4". A long one is cut in the middle.
func CyclePath(path []int64) string {
	const ends = 8
	parts := make([]string, 0, len(path))
	for i, id := range path {
		if len(path) > 2*ends+1 && i == ends {
			parts = append(parts, "… "+strconv.Itoa(len(path)-2*ends)+" more …")
		}
		if len(path) <= 2*ends+1 || i < ends || i >= len(path)-ends {
			parts = append(parts, "#"+strconv.FormatInt(id, 10))
		}
	}
	return strings.Join(parts, " -> ")
}

// RefuseCycle is the refusal of a dependency that would close the cycle;
// relation is "blocked by" or "child of".
func RefuseCycle(path []int64, relation string) *model.Error {
	if len(path) <= 2 {
		return model.Errorf(model.CodeInvalid, "#%d can't be %s itself", path[0], relation)
	}
	return model.Errorf(model.CodeInvalid, "that would be a cycle (%s): %s", relation, CyclePath(path)).
		WithHint("leave out one of these dependencies")
}
