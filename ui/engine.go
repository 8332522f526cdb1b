package ui

import (
	"context"

	"binnacle/model"
)

// Engine is what the cockpit asks of the backend. Every method may be called
// from any goroutine, and none is called from Update.
type Engine interface {
	// Snapshots delivers the newest instant, coalesced, until ctx ends.
	Snapshots(ctx context.Context) <-chan model.Snapshot
	// Follow delivers matching events from now on, in order, to take; it returns
	// when ctx ends or the subscription fails. missed events came before the
	// batch and are not in it.
	Follow(ctx context.Context, f model.Filter, after int64, take func(events []model.Event, missed, from, to int64)) error
	// Page reads the ledger.
	Page(ctx context.Context, r model.PageRequest) (model.Page, error)
	// EventDetail and RecordDetail read all that the detail shows.
	EventDetail(ctx context.Context, seq int64) (model.Detail, error)
	RecordDetail(ctx context.Context, kind model.Kind, key string) (model.Detail, error)
	// FleetDetail reads a row of the fleet map, or a machine.
	FleetDetail(ctx context.Context, key string) (model.Detail, error)
	// Fetch fetches the fleet's refs now.
	Fetch(ctx context.Context) (model.Outcome, error)
	// Do acts on a record.
	Do(ctx context.Context, a model.Action) (model.Outcome, error)
	// Undo takes an outcome back, as long as the record is what at says.
	Undo(ctx context.Context, undo any, at model.At) (model.Outcome, error)
	// Values lists values of a filter's field, for completion.
	Values(ctx context.Context, field string) []string
}

// Place says what the cockpit is open on.
type Place struct {
	Workspace string // the project's folder, as it is shown
	ReadOnly  string // why changes are refused; "" when they are not
	CrashDir  string
	Operator  string // the name under which the operator acts
	// Redactor finds secrets in what is typed, so that a form can refuse them
	// while it is open; nil finds none.
	Redactor *model.Redactor
}
