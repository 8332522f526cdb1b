package desk

import (
	"binnacle/model"
	"binnacle/model/filter"
)

// PageRequest asks the ledger for events that match a filter: those after a
// sequence number in ascending order, or those before one, of which the page
// holds the nearest, also in ascending order.
type PageRequest struct {
	Filter filter.Filter `json:"filter,omitzero"`
	After  int64         `json:"after,omitzero"`  // used when Before is 0
	Before int64         `json:"before,omitzero"` // > 0: events with a smaller seq
	Limit  int           `json:"limit,omitzero"`
}

// Page is what came. Exhausted says that nothing further matches in that
// direction; otherwise the page goes on from Next (as After or Before), which
// may lie far beyond the last event when a rare filter was searched for.
type Page struct {
	Events    []model.Event `json:"events,omitempty"`
	Exhausted bool          `json:"exhausted,omitzero"`
	Next      int64         `json:"next,omitzero"`
}
