package plain

import (
	"context"
	"time"

	"binnacle/model"
)

// Source is the workspace as this package needs it.
type Source interface {
	// Workspace is the path of the project, for people.
	Workspace() string
	// Snapshot reads one instant.
	Snapshot(ctx context.Context) (model.Snapshot, error)
	// Fleet is the map of who works where; there is false outside of a repository.
	Fleet(ctx context.Context) (m model.FleetMap, there bool, err error)
	// Cursor is the place after the event seq.
	Cursor(seq int64) model.Cursor
	// Check refuses a cursor that can't be gone on from: one of another epoch,
	// or past the newest event.
	Check(ctx context.Context, c model.Cursor) error
	// Read hands the matching events with after < seq <= to over, in order and
	// in pages, and ends at fn's first error. last > 0 leaves all but the newest
	// so many out.
	Read(ctx context.Context, f model.Filter, after, to int64, last int, fn func([]model.Event) error) error
	// Subscribe opens the stream of matching events after the event seq. With
	// catchUp a reader that is slow gets everything, late; without it events that
	// find the stream full are left out, counted.
	Subscribe(ctx context.Context, f model.Filter, after int64, catchUp bool) (Feed, error)
}

// Feed is a stream of events, in order, each once.
type Feed interface {
	// Next waits for items and returns at least one, or an error: the context's
	// when it ended.
	Next(ctx context.Context) ([]Item, error)
	Close() error
}

// Item is an event, or (when Lagged is not nil) a notice.
type Item struct {
	Event  model.Event
	Lagged *Lagged
}

// Lagged says that the reader was slow: Missed matching events with From <= seq
// <= To were left out, and reading on from Next gets them; or (with catchUp)
// Late events follow later than they could have.
type Lagged struct {
	Missed   int64
	Late     int64
	From, To int64
	Next     model.Cursor
}

// Options say what is written.
type Options struct {
	Filter model.Filter
	After  *model.Cursor // first what came after this place; nil: only what comes from now on
	Replay int           // where After is nil: first the newest so many matching events
	Once   bool          // no more than what is there
	// CatchUp never leaves events out; a slow reader falls behind instead.
	CatchUp bool
	Every   time.Duration // a snapshot each time this has passed; 0 is only the first
}
