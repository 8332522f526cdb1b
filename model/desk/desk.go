package desk

import "context"

// Desk is a workspace as who looks at it sees it. Its methods may be called from
// any goroutine, and each ends with its context.
type Desk interface {
	// Snapshot reads one instant.
	Snapshot(ctx context.Context) (Snapshot, error)
	// Snapshots delivers the newest instant, coalesced, until ctx ends; then it
	// closes the channel. A slow reader finds the newest, never a queue of old ones.
	Snapshots(ctx context.Context) <-chan Snapshot
	// Follow opens the stream of matching events.
	Follow(ctx context.Context, r FollowRequest) (Feed, error)
	// Page reads the ledger.
	Page(ctx context.Context, r PageRequest) (Page, error)
	// Detail reads all that is shown of one event, record, session or machine.
	// CodeNotFound says that there is no such one.
	Detail(ctx context.Context, of Ref) (Detail, error)
	// Values lists values of a filter's field, for completion.
	Values(ctx context.Context, field string) []string
	// Do acts, on the record as it was on screen. CodeStale says that the record
	// moved on, and what it is now.
	Do(ctx context.Context, a Action) (Outcome, error)
	// Undo takes an act back by its opposite, as long as its record is what
	// u.Record says: what the act left, or what undoing later acts left of it.
	// CodeStale says what it is otherwise, CodeRefused that it can't be undone.
	Undo(ctx context.Context, u Undo) (Outcome, error)
}
