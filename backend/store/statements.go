package store

import "strings"

// stmtID names one of the store's own statements. Their placeholders are plain
// question marks: the driver binds them without looking up a name.
type stmtID int

const (
	stmtBegin stmtID = iota
	stmtBeginRead
	stmtCommit
	stmtRollback
	stmtSavepoint
	stmtRelease
	stmtRollbackTo
	stmtHead
	stmtSetHead
	stmtCounts
	stmtAddCount
	stmtAddChecks
	stmtAddProducers
	stmtAddKinds
	stmtEvent
	stmtEvents
	stmtInsertEvent
	stmtInsertEvents8
	stmtInsertEvents32
	stmtSignal
	stmtInsertSignal
	stmtUpdateSignal
	stmtWork
	stmtInsertWork
	stmtUpdateWork
	stmtDirective
	stmtInsertDirective
	stmtUpdateDirective
	stmtLastDirective
	stmtLastEvent
	stmtNewest
	stmtUnblock
	stmtBlock
	stmtDataVersion
	stmtUserVersion
	stmtApplicationID
	stmtTables
	stmtEpoch
	numStatements
)

const (
	eventColumns = `seq, ts, topic, producer, kind, key, state, causation, payload, prev, hash`
	// The payload is read as a blob, which the driver hands over without
	// making a string of it.
	eventFields  = `seq, ts, topic, producer, kind, key, state, causation, CAST(payload AS BLOB), prev, hash`
	signalFields = `key, state, topic, summary, producer, holder, raised, since, expires, first_seq, last_seq, rev`
	workFields   = `key, state, topic, executor, token_hash, lease_until, lease_seconds, attempt, claimed_at, since,` +
		` reason, evidence, first_seq, last_seq, rev, lease_boot, lease_awake`
	directiveFields = `id, priority, lane, body, status, parent, created_at, taken_at, done_at, taken_by, lease_until,` +
		` token_hash, attempt, requeue_count, lapses, not_before, blocked_by, importance, deadline, reason, since,` +
		` first_seq, last_seq, rev, lease_boot, lease_awake, taken_awake`
)

func (id stmtID) text() string {
	switch id {
	case stmtBegin:
		return `BEGIN IMMEDIATE`
	case stmtBeginRead:
		return `BEGIN`
	case stmtCommit:
		return `COMMIT`
	case stmtRollback:
		return `ROLLBACK`
	case stmtSavepoint:
		return `SAVEPOINT one_write`
	case stmtRelease:
		return `RELEASE one_write`
	case stmtRollbackTo:
		return `ROLLBACK TO one_write`
	case stmtHead:
		return `SELECT seq, hash, ts FROM head`
	case stmtSetHead:
		return `INSERT INTO head (one, seq, hash, ts) VALUES (1, ?, ?, ?)` +
			` ON CONFLICT (one) DO UPDATE SET seq = excluded.seq, hash = excluded.hash, ts = excluded.ts`
	case stmtCounts:
		return `SELECT plane, name, count FROM planes`
	case stmtAddCount:
		return `INSERT INTO planes (plane, name, count) VALUES (?, ?, ?)` +
			` ON CONFLICT (plane, name) DO UPDATE SET count = count + excluded.count`
	case stmtAddChecks:
		return `INSERT INTO checks (first, sums) VALUES (?, ?)`
	case stmtAddProducers:
		return fillSpans("producer", someSpans)
	case stmtAddKinds:
		return fillSpans("kind", someSpans)
	case stmtEvent:
		return `SELECT ` + eventFields + ` FROM events WHERE seq = ?`
	case stmtEvents:
		return `SELECT ` + eventFields + ` FROM events WHERE seq > ? ORDER BY seq LIMIT ?`
	case stmtInsertEvent:
		return insertEvents(1)
	case stmtInsertEvents8:
		return insertEvents(8)
	case stmtInsertEvents32:
		return insertEvents(32)
	case stmtDataVersion:
		return `PRAGMA data_version`
	case stmtUserVersion:
		return `PRAGMA user_version`
	case stmtApplicationID:
		return `PRAGMA application_id`
	case stmtTables:
		return `SELECT count(*) FROM sqlite_schema`
	case stmtEpoch:
		return `SELECT value FROM meta WHERE name = 'epoch'`
	}
	return id.recordText()
}

func (id stmtID) recordText() string {
	switch id {
	case stmtSignal:
		return `SELECT ` + signalFields + ` FROM signals WHERE key = ?`
	case stmtInsertSignal:
		return insertInto("signals", signalFields)
	case stmtUpdateSignal:
		return `UPDATE signals SET state = ?, holder = ?, since = ?, last_seq = ?, rev = ? WHERE key = ?`
	case stmtWork:
		return `SELECT ` + workFields + ` FROM work_items WHERE key = ?`
	case stmtInsertWork:
		return insertInto("work_items", workFields)
	case stmtUpdateWork:
		return `UPDATE work_items SET state = ?, executor = ?, token_hash = ?, lease_until = ?, lease_seconds = ?,` +
			` attempt = ?, claimed_at = ?, since = ?, reason = ?, evidence = ?, last_seq = ?, rev = ?, lease_boot = ?,` +
			` lease_awake = ? WHERE key = ?`
	case stmtDirective:
		return `SELECT ` + directiveFields + ` FROM directives WHERE id = ?`
	case stmtInsertDirective:
		return insertInto("directives", directiveFields)
	case stmtUpdateDirective:
		return `UPDATE directives SET priority = ?, lane = ?, status = ?, created_at = ?, taken_at = ?, done_at = ?,` +
			` taken_by = ?, lease_until = ?, token_hash = ?, attempt = ?, requeue_count = ?, lapses = ?,` +
			` not_before = ?, blocked_by = ?, importance = ?, deadline = ?, reason = ?, since = ?, last_seq = ?,` +
			` rev = ?, lease_boot = ?, lease_awake = ?, taken_awake = ? WHERE id = ?`
	case stmtLastDirective:
		return `SELECT max(id) FROM directives`
	case stmtNewest:
		return `SELECT seq, hash, ts FROM events ORDER BY seq DESC LIMIT 1`
	case stmtLastEvent:
		return `SELECT max(seq) FROM events`
	case stmtUnblock:
		return `DELETE FROM directive_blocks WHERE id = ?`
	case stmtBlock:
		return `INSERT INTO directive_blocks (id, blocked_by) VALUES (?, ?)`
	}
	return ""
}

func insertInto(table, columns string) string {
	n := strings.Count(columns, ",")
	return `INSERT INTO ` + table + ` (` + columns + `) VALUES (?` + strings.Repeat(`, ?`, n) + `)`
}

func insertEvents(rows int) string {
	one := `(?` + strings.Repeat(`, ?`, eventFieldCount-1) + `)`
	return `INSERT INTO events (` + eventColumns + `) VALUES ` + one + strings.Repeat(`, `+one, rows-1)
}

const eventFieldCount = 11
