package store

import "binnacle/model"

// Version is the schema that this program reads and writes: PRAGMA
// user_version of a database.
const Version = 2

// applicationID marks a file as ours: PRAGMA application_id, "BINN".
const applicationID = 0x42494e4e

// schemaV1 is the first schema. People look at it with the sqlite3 shell, so
// events has exactly the envelope's columns and the derived tables have
// speaking names. Times are UTC microseconds; what is absent is NULL.
//
// Every index on events costs each append, so there are only those that the
// filters on topic and key need (schema 2 replaces the ones on producer and kind
// by event_spans); time needs none, for ts never decreases along seq. The directives' indexes are partial: a finished
// directive stands in none of them, so claims cost the same however long the
// history is.
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

	`CREATE TABLE signals (
		key       TEXT PRIMARY KEY,
		state     TEXT NOT NULL,
		topic     TEXT NOT NULL,
		summary   TEXT NOT NULL,
		producer  TEXT NOT NULL,
		holder    TEXT,
		raised    INTEGER NOT NULL,
		since     INTEGER NOT NULL,
		expires   INTEGER,
		first_seq INTEGER NOT NULL,
		last_seq  INTEGER NOT NULL,
		rev       INTEGER NOT NULL
	)`,
	`CREATE INDEX signals_state ON signals (state, since)`,
	`CREATE INDEX signals_due ON signals (state, expires) WHERE expires IS NOT NULL`,

	`CREATE TABLE work_items (
		key           TEXT PRIMARY KEY,
		state         TEXT NOT NULL,
		topic         TEXT NOT NULL,
		executor      TEXT NOT NULL,
		token_hash    TEXT,
		lease_until   INTEGER,
		lease_seconds INTEGER,
		attempt       INTEGER NOT NULL,
		claimed_at    INTEGER NOT NULL,
		since         INTEGER NOT NULL,
		reason        TEXT,
		evidence      TEXT,
		first_seq     INTEGER NOT NULL,
		last_seq      INTEGER NOT NULL,
		rev           INTEGER NOT NULL
	)`,
	`CREATE INDEX work_items_state ON work_items (state, since)`,
	`CREATE INDEX work_items_lease ON work_items (lease_until) WHERE state = 'claimed'`,

	`CREATE TABLE directives (
		id            INTEGER PRIMARY KEY,
		priority      INTEGER NOT NULL,
		lane          TEXT NOT NULL,
		body          TEXT NOT NULL,
		status        TEXT NOT NULL,
		parent        INTEGER,
		created_at    INTEGER NOT NULL,
		taken_at      INTEGER,
		done_at       INTEGER,
		taken_by      TEXT,
		lease_until   INTEGER,
		token_hash    TEXT,
		attempt       INTEGER NOT NULL,
		requeue_count INTEGER NOT NULL,
		lapses        INTEGER NOT NULL,
		not_before    INTEGER,
		blocked_by    TEXT,
		importance    INTEGER,
		deadline      INTEGER,
		reason        TEXT,
		since         INTEGER NOT NULL,
		first_seq     INTEGER NOT NULL,
		last_seq      INTEGER NOT NULL,
		rev           INTEGER NOT NULL
	)`,
	`CREATE INDEX directives_ready ON directives (lane, priority, id) WHERE status = 'pending'`,
	`CREATE INDEX directives_taken ON directives (lease_until) WHERE status = 'taken'`,
	`CREATE INDEX directives_deferred ON directives (not_before) WHERE status = 'deferred'`,
	`CREATE INDEX directives_parked ON directives (id) WHERE status = 'parked'`,
	`CREATE INDEX directives_parent ON directives (parent) WHERE parent IS NOT NULL`,

	// blocked_by of directives, one row a dependency.
	`CREATE TABLE directive_blocks (
		id         INTEGER NOT NULL,
		blocked_by INTEGER NOT NULL,
		PRIMARY KEY (id, blocked_by)
	) WITHOUT ROWID`,
	`CREATE INDEX directive_blocks_blocker ON directive_blocks (blocked_by)`,
}

// derivedTables are the tables that replaying the events rebuilds. Not checks:
// they are witnesses of the payloads, not derived from them.
func derivedTables() []string {
	return []string{"head", "planes", "signals", "work_items", "directives", "directive_blocks", "event_spans"}
}

// touch is a set of the tables whose rows a transaction may still hold in
// memory.
type touch uint8

const (
	touchEvents touch = 1 << iota
	touchHead
	touchPlanes
	touchSignals
	touchWork
	touchDirectives
)

const touchAll = touchEvents | touchHead | touchPlanes | touchSignals | touchWork | touchDirectives

// touchOf returns which kind of record an event of the kind moves.
func touchOf(k model.Kind) touch {
	switch k {
	case model.KindSignal:
		return touchSignals
	case model.KindWork:
		return touchWork
	case model.KindDirective:
		return touchDirectives
	}
	return 0
}
