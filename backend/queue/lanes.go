package queue

import (
	"cmp"
	"slices"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/directive"
)

// Front is what the cockpit shows of the queue, read in one transaction.
type Front struct {
	Lanes  []desk.Lane           // those with open directives first, then by name; at most desk.MaxLanes
	Taken  []directive.Directive // the next to lapse first, at most desk.MaxTaken
	Parked []directive.Directive // the longest wait first, at most desk.MaxParked
}

// frontRows bounds the pending directives of all lanes together, for a
// snapshot is made many times a second.
const frontRows = 2_000

// frontDeferred bounds the deferred directives, the next to become due first.
const frontDeferred = 500

const (
	restDeferred = `WHERE status = 'deferred'` +
		` ORDER BY not_before, id LIMIT $1`
	restParked = `WHERE status = 'parked' ORDER BY since, id LIMIT $1`
	restFront  = `WHERE lane = $1 AND status = 'pending'` +
		` ORDER BY priority, id LIMIT $2`
)

// Front reads the lanes' fronts: counts from the planes, and of each lane the
// taken directives (the next to lapse first), the pending ones as next takes
// them, the deferred ones (the next to become due first) and the parked ones,
// at most desk.MaxPerLane together. It costs the same with a million waiting.
// Bodies are cut to CutBody. counts are those of the same snapshot.
func (v *view) Front(r store.Reader, counts model.Counts) (Front, error) {
	var f Front
	f.Lanes = lanesOf(counts)
	var err error
	if f.Taken, err = nextTaken(r, v.clock(), desk.MaxTaken); err != nil {
		return f, err
	}
	if f.Parked, err = directives(r, restParked, desk.MaxParked); err != nil {
		return f, err
	}
	deferred, err := directives(r, restDeferred, frontDeferred)
	if err != nil {
		return f, err
	}
	cutAll(f.Taken)
	cutAll(f.Parked)
	cutAll(deferred)
	each := desk.MaxPerLane
	if open := countOpen(f.Lanes); open > 0 {
		each = max(1, min(each, frontRows/open))
	}
	for i := range f.Lanes {
		l := &f.Lanes[i]
		if l.Open() == 0 {
			continue
		}
		l.Directives = ofLane(nil, f.Taken, l.Name, each)
		if l.Pending[0]+l.Pending[1]+l.Pending[2] > 0 && len(l.Directives) < each {
			rows, err := v.front(r, l.Name, each-len(l.Directives))
			if err != nil {
				return f, err
			}
			l.Directives = append(l.Directives, rows...)
		}
		l.Directives = ofLane(l.Directives, deferred, l.Name, each)
		l.Directives = ofLane(l.Directives, f.Parked, l.Name, each)
		l.More = l.Open() - int64(len(l.Directives))
	}
	return f, nil
}

// front returns the lane's next pending directives.
func (v *view) front(r store.Reader, lane string, limit int) ([]directive.Directive, error) {
	rows, err := directives(r, restFront, lane, limit)
	if err != nil {
		return nil, err
	}
	cutAll(rows)
	if !v.ageing.On() {
		return rows, nil
	}
	now, err := v.now(r)
	if err != nil {
		return nil, err
	}
	line, _, err := v.line(r, lane)
	if err != nil {
		return nil, err
	}
	v.ageing.Sort(line, now.line)
	rows = rows[:0]
	for _, x := range line[:min(limit, len(line))] {
		d, err := readOne(r, x.ID)
		if err != nil {
			return nil, err
		}
		rows = append(rows, item(d, false).Directive)
	}
	return rows, nil
}

func cutAll(ds []directive.Directive) {
	for i := range ds {
		ds[i] = item(ds[i], false).Directive
	}
}

func ofLane(dst, from []directive.Directive, lane string, most int) []directive.Directive {
	for _, d := range from {
		if len(dst) == most {
			break
		}
		if d.Lane == lane {
			dst = append(dst, d)
		}
	}
	return dst
}

func countOpen(lanes []desk.Lane) (n int) {
	for _, l := range lanes {
		if l.Open() > 0 {
			n++
		}
	}
	return n
}

// lanesOf makes the lanes with their counts.
func lanesOf(c model.Counts) []desk.Lane {
	at := map[string]*desk.Lane{}
	for k, n := range c {
		if k.Plane != model.PlaneQueue || n == 0 {
			continue
		}
		name, p, status, ok := directive.LaneCounter(k.Name)
		if !ok {
			continue
		}
		l := at[name]
		if l == nil {
			l = &desk.Lane{Name: name}
			at[name] = l
		}
		switch status {
		case directive.StatusPending:
			l.Pending[p] += n
		case directive.StatusTaken:
			l.Taken += n
		case directive.StatusDeferred:
			l.Deferred += n
		case directive.StatusParked:
			l.Parked += n
		case directive.StatusDone:
			l.Done += n
		case directive.StatusDropped:
			l.Dropped += n
		}
	}
	out := make([]desk.Lane, 0, len(at))
	for _, l := range at {
		out = append(out, *l)
	}
	slices.SortFunc(out, func(a, b desk.Lane) int {
		return cmp.Or(-cmp.Compare(min(a.Open(), 1), min(b.Open(), 1)), cmp.Compare(a.Name, b.Name))
	})
	return out[:min(len(out), desk.MaxLanes)]
}
