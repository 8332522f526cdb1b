package feed

import (
	"time"

	"binnacle/model"
)

// Bounds of reading.
const (
	MaxEvents = 500              // of a page
	MaxBytes  = 256 << 10        // of a page's events as JSON; one event is served however long
	MaxWait   = 30 * time.Second // of a read that waits
)

// Start is the cursor's word for: from the oldest event that is kept.
const Start = "start"

// Request is what a reader asks for.
type Request struct {
	After   string // a cursor, Start, or "": from now
	Session string // one of the reader's own sessions, by its key or id, or ""
	Paths   []string
	Kinds   []string      // see ParseKinds
	Wait    time.Duration // how long to wait for the first event, 0 to MaxWait
}

// Page is what a reader is served: events in order, and where to go on. It may
// be empty, with More: much was looked at, and nothing chosen.
type Page struct {
	Events []*Event     `json:"events"`
	Next   model.Cursor `json:"next"`
	More   bool         `json:"more"` // there is more behind Next already
}

// Expired says that a cursor can't be gone on from, and from where a reader can.
type Expired struct {
	Cursor model.Cursor // as it was given
	Oldest model.Cursor // from which the oldest event that is kept follows
	Why    string       // which of the ways it is, for people
}

func (e *Expired) Error() string { return e.Unwrap().Error() }

// Unwrap is the same with a code and a hint.
func (e *Expired) Unwrap() error {
	return model.Errorf(model.CodeStale, "the cursor %s %s", e.Cursor, e.Why).
		WithHint("read again after %s, the oldest place there is", e.Oldest)
}

// Expiry returns why the ledger that now keeps what follows oldest, up to head,
// can't be read after c; nil when it can.
func Expiry(c, oldest, head model.Cursor) *Expired {
	x := &Expired{Cursor: c, Oldest: oldest}
	switch {
	case c.Epoch != "" && c.Epoch != head.Epoch:
		x.Why = "is of another epoch of this ledger, which was restored from a backup since"
	case c.Seq > head.Seq:
		x.Why = "is past the newest event"
	case c.Seq < oldest.Seq:
		x.Why = "is before the oldest event that is kept"
	default:
		return nil
	}
	return x
}
