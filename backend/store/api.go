package store

import (
	"context"
	"database/sql"

	"binnacle/model"
)

// Store is one workspace's database, as the engines see it. Any implementation
// passes the suite in storetest.
//
// What holds for every implementation:
//   - Write's and Append's effects are durable when they return nil, and none of
//     them is there when they return an error.
//   - Each Write runs in a savepoint of its own: one that fails leaves nothing
//     behind and does not disturb the others that share its transaction.
//   - Sequence numbers follow commit order without a gap.
//   - An appended event that a projection of the schema owns moves its record and
//     the counts in the same transaction; a step that the record's state machine
//     does not have refuses the Append.
//   - A read never writes, and sees one instant.
type Store interface {
	// Write queues fn for the committer and waits until it is durable or refused.
	// fn may run again from the start after a transient conflict, so it must have
	// no effect outside of tx. ctx bounds the waiting: once fn is being committed
	// the result is the commit's.
	Write(ctx context.Context, fn func(tx Tx) error) error
	// Append commits drafts as consecutive events, all or none. The drafts were
	// checked (model.Draft.Check). It is Write with less work.
	Append(ctx context.Context, drafts []model.Draft) ([]model.Event, error)
	// Read runs fn on a snapshot. Keep it short: a long one stops checkpoints.
	Read(ctx context.Context, fn func(r Reader) error) error
	// Watch sends the newest head after each commit by any process, coalesced
	// (the channel holds one), until ctx ends, and then closes it. The present
	// head is sent at once.
	Watch(ctx context.Context) <-chan model.Head
	// Listen calls ring after each commit, of any process, that notified the
	// channel (see Tx.Notify), until ctx ends; commits in quick succession may ring
	// once. It spares those who wait for one thing the commits that are about
	// others. false: nothing tells of them here, and only Watch does. A process that
	// dies right after its commit notifies nobody, so whoever listens looks now and
	// then, too. ring must not block.
	Listen(ctx context.Context, channel string, ring func()) bool
	// Changes counts what was seen of the file's changes; it moves while somebody
	// watches.
	Changes() Changes
	// Gone is closed when the database was deleted, replaced or moved while it was
	// open here. From then on every write and every read is refused with CodeGone,
	// and what waits in Watch is woken, to find that out.
	Gone() <-chan struct{}
	// Health says how the database is.
	Health() Health
	// Epoch names this incarnation of the ledger; a restore renews it.
	Epoch() string
	// Parts are what the engines keep in this store, as it was opened.
	Parts() *Parts
	// ReadOnly says whether writes are refused.
	ReadOnly() bool
	// Close waits for what was accepted, checkpoints and releases everything.
	Close() error
}

// Changes counts how often a look at the file found it changed, by whatever
// process: several commits between two looks are one change.
type Changes struct {
	All   int64
	Quiet int64 // of these, without a newer event: telemetry, or somebody's hand
}

// Reader reads one instant of the database.
type Reader interface {
	Head() (model.Head, error)
	Counts() (model.Counts, error)
	// Event returns one event; CodeNotFound when there is none.
	Event(seq int64) (model.Event, error)
	// Events returns at most limit events with seq > after, in order. Sealed ones
	// come from their segments, fewer at a time; none means that there are no more.
	Events(after int64, limit int) ([]model.Event, error)
	// Segments lists what was sealed away, the oldest first.
	Segments() ([]Segment, error)
	// Oldest is the first event that stands as a row; the head's successor when
	// none does.
	Oldest() (int64, error)
	// Record returns a projection's record (see Records.Get); CodeNotFound when
	// there is none.
	Record(p Projection, key string) (any, error)
	// Query and QueryRow are for the engine that owns the tables it names.
	// Placeholders are $1, $2 … A Tx's own appends are visible to the query.
	Query(query string, args ...any) (*sql.Rows, error)
	QueryRow(query string, args ...any) *sql.Row
	// Dialect writes what of such a query is not the same for every store.
	Dialect() Dialect
	// Inspect looks at the database itself, at the reader's instant.
	Inspect() Inspection
}

// Tx is a Reader that sees its own writes, and can write.
type Tx interface {
	Reader
	// Now is the time of the events that it appends: never before the head's
	// timestamp, whatever the clocks say. It decides nothing.
	Now() model.Time
	// Clocks is the transaction's instant, as the machine's clocks have it: by
	// them leases, deferrals and expiries are judged.
	Clocks() model.Reading
	// Append links a checked draft onto the chain and moves its record and the
	// counts. The event's seq is final only when the transaction commits. A record
	// without a key gets one (see Naming). Causation must name an earlier event.
	Append(d model.Draft) (model.Event, error)
	// Seal makes a segment count whose file the store keeps (see Archiver). It
	// continues the segment before and ends before the newest event; else it is
	// refused with CodeStale, for somebody else sealed meanwhile.
	Seal(s Segment) error
	// Shed takes away at most limit rows of events that are sealed, the oldest first,
	// and says how many they were.
	Shed(limit int) (int, error)
	// Notify wakes those who Listen to the channel, once the transaction is
	// committed.
	Notify(channel string)
	// Exec is for tables that are no fold of events (telemetry, settings).
	Exec(query string, args ...any) (sql.Result, error)
}

// Health is what the cockpit's header warns about.
type Health struct {
	WALBytes  int64  // size of the write-ahead log
	WALAlarm  string // it is past its bound, and who prevents that it is truncated; "" while it is not
	LastError string // the last commit's failure, "" after a success
	Gone      error  // why nothing can be done here any more: CodeGone; nil while it stands
	Waiting   int    // writes queued for the committer
}
