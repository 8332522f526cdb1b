package query

import (
	"slices"
	"sort"

	"binnacle/backend/store"
	"binnacle/model"
)

// sealedSpan is how many sequence numbers of sealed events one read looks at:
// their segments are unpacked for it.
const sealedSpan = 8192

// readSealed is read for events that are not rows any more.
func (s *scan) readSealed(r store.Reader, place run) (enough bool, err error) {
	events, err := sealedEvents(r, place)
	if err != nil {
		return false, err
	}
	s.at = place.to
	if s.down {
		s.at = place.from
		slices.Reverse(events)
	}
	for i := range events {
		if !s.filter.Match(&events[i]) {
			continue
		}
		if s.found = append(s.found, events[i]); len(s.found) == s.limit {
			s.at = events[i].Seq
			return true, nil
		}
	}
	return false, nil
}

// countSealed counts those that pass.
func (s *scan) countSealed(r store.Reader, place run) (n int64, err error) {
	events, err := sealedEvents(r, place)
	for i := range events {
		if s.filter.Match(&events[i]) {
			n++
		}
	}
	return n, err
}

func sealedEvents(r store.Reader, place run) (events []model.Event, err error) {
	for after := place.from - 1; after < place.to; after = events[len(events)-1].Seq {
		page, err := r.Events(after, int(place.to-after))
		if err != nil || len(page) == 0 {
			return events, err
		}
		events = append(events, page...)
	}
	return events, nil
}

// firstSealedAt returns the first sealed event that is not before t, 0 when all
// are.
func firstSealedAt(r store.Reader, t model.Time) (seq int64, err error) {
	all, err := r.Segments()
	i := sort.Search(len(all), func(i int) bool { return all[i].End >= t })
	if i == len(all) || err != nil {
		return 0, err
	}
	low, high := all[i].First, all[i].Last
	for low < high {
		mid := low + (high-low)/2
		e, err := r.Event(mid)
		if err != nil {
			return 0, err
		}
		if e.TS >= t {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low, nil
}
