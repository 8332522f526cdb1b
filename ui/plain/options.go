package plain

import (
	"time"

	"binnacle/model"
	"binnacle/model/filter"
)

// Options say what is written.
type Options struct {
	Workspace string // the path of the project, for people
	Filter    filter.Filter
	After     *model.Cursor // first what came after this place; nil: only what comes from now on
	Replay    int           // where After is nil: first the newest so many matching events
	Once      bool          // no more than what is there
	// CatchUp never leaves events out; a slow reader falls behind instead.
	CatchUp bool
	Every   time.Duration // a snapshot each time this has passed; 0 is only the first
}
