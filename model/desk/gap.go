package desk

import (
	"context"

	"binnacle/model"
	"binnacle/model/filter"
)

// FollowRequest asks for the matching events from some place on, as they come.
type FollowRequest struct {
	Filter filter.Filter `json:"filter,omitzero"`
	After  *model.Cursor `json:"after,omitempty"` // nil: after the newest
	// CatchUp gives a reader that is slow every event, late; without it events
	// that find the stream full are left out, counted.
	CatchUp bool `json:"catch_up,omitzero"`
	Room    int  `json:"room,omitzero"` // how many events may wait for the reader; 0 is the ledger's default
}

// Feed is a stream of events, in order, each once. Next is for one goroutine;
// Close may be called from any.
type Feed interface {
	// Next waits for items and returns at least one, or an error: the context's
	// when that ended.
	Next(ctx context.Context) ([]Item, error)
	Close()
}

// Item is an event, or a gap when Gap is not nil.
type Item struct {
	Event model.Event `json:"event,omitzero"`
	Gap   *Gap        `json:"gap,omitempty"`
}

// Gap tells a reader that it was too slow. It stands in the stream exactly where
// the gap is: Missed matching events between From and To, both included, were
// left out, and reading on from Next gets them. Where the reader catches up,
// Missed is 0 and Late events, from From to To and counted when the gap was
// handed over, follow it. The events delivered plus the sum of Missed are the
// matching events committed.
type Gap struct {
	Missed int64        `json:"missed"`
	Late   int64        `json:"late,omitempty"`
	From   int64        `json:"from"`
	To     int64        `json:"to"`
	Next   model.Cursor `json:"next"`
}

// Add widens the gap by a later one.
func (g *Gap) Add(later Gap) {
	if g.Missed == 0 {
		g.From, g.Next = later.From, later.Next
	}
	g.Missed += later.Missed
	g.To = later.To
}
