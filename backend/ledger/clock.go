package ledger

import (
	"sort"
	"strconv"

	"binnacle/backend/store"
	"binnacle/model"
)

// ClockBehind says by how much the clock on the wall is behind the newest event,
// and since which event the ledger's times run ahead of it; "" when it is not.
// Event times never go back, so one event written with a clock that was ahead
// gives its time to all that follow it until the clocks have caught up.
func ClockBehind(r store.Reader, head model.Head, now model.Time) (string, error) {
	behind := head.TS.Sub(now)
	if head.Seq == 0 || behind <= model.ClockSlack {
		return "", nil
	}
	// The events' times grow along seq: the first that is ahead is found by halving.
	var failed error
	first := int64(sort.Search(int(head.Seq-1), func(i int) bool {
		e, err := r.Event(int64(i) + 1)
		if err != nil && model.CodeOf(err) != model.CodeNotFound {
			failed = err
		}
		return err == nil && e.TS.Sub(now) > model.ClockSlack
	})) + 1
	if failed != nil {
		return "", failed
	}
	e, err := r.Event(first)
	if err != nil {
		return "", err
	}
	text := "the clock is " + model.Span(behind) + " behind the newest event"
	if first != head.Seq {
		text += ": times run ahead since"
	}
	return text + " #" + strconv.FormatInt(first, 10) + " by " + e.Producer, nil
}
