package sqlite

// Version is the schema that this program reads and writes: PRAGMA
// user_version of a database.
const Version = 3

// applicationID marks a file as ours: PRAGMA application_id, "BINN".
const applicationID = 0x42494e4e

// schemaV1 is the store's part of the first schema; the engines' is in their
// Parts. People look at it with the sqlite3 shell, so events has exactly the
// envelope's columns and the tables have speaking names. Times are UTC
// microseconds; what is absent is NULL.
//
// Every index on events costs each append, so there are only those that the
// filters on topic and key need (schema 2 replaces the ones on producer and kind
// by event_spans); time needs none, for ts
// never decreases along seq.
var schemaV1 = []string{
	`CREATE TABLE events (
		seq       INTEGER PRIMARY KEY,
		ts        INTEGER NOT NULL,
		topic     TEXT NOT NULL,
		producer  TEXT NOT NULL,
		kind      TEXT NOT NULL,
		key       TEXT,
		state     TEXT,
		causation INTEGER,
		payload   TEXT NOT NULL,
		prev      TEXT NOT NULL,
		hash      TEXT NOT NULL
	)`,
	`CREATE INDEX events_topic ON events (topic)`,
	`CREATE INDEX events_producer ON events (producer)`,
	`CREATE INDEX events_kind ON events (kind)`,
	`CREATE INDEX events_key ON events (key) WHERE key IS NOT NULL`,
	`CREATE INDEX events_causation ON events (causation) WHERE causation IS NOT NULL`,

	// The newest event, or no row in an empty ledger.
	`CREATE TABLE head (
		one  INTEGER PRIMARY KEY CHECK (one = 1),
		seq  INTEGER NOT NULL,
		hash TEXT NOT NULL,
		ts   INTEGER NOT NULL
	)`,
	`CREATE TABLE planes (
		plane TEXT NOT NULL,
		name  TEXT NOT NULL,
		count INTEGER NOT NULL,
		PRIMARY KEY (plane, name)
	) WITHOUT ROWID`,
	`CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`,

	// One row a commit: the CRC-32C of each event's payload, big-endian, from
	// the event "first" on. With them verify can tell a changed payload from a
	// changed envelope.
	`CREATE TABLE checks (first INTEGER PRIMARY KEY, sums BLOB NOT NULL)`,
}

// coreTables are the store's own tables that replaying the events rebuilds. Not
// checks: they are witnesses of the payloads, not derived from them.
func coreTables() []string { return []string{"head", "planes", "event_spans"} }
