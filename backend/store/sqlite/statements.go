package sqlite

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
	stmtExactEvents
	stmtInsertEvent
	stmtInsertEvents8
	stmtInsertEvents32
	stmtLastEvent
	stmtNewest
	stmtDataVersion
	stmtUserVersion
	stmtSchemaChanges
	stmtApplicationID
	stmtPageCount
	stmtPageSize
	stmtCheckSizes
	stmtTables
	stmtForms
	stmtEpoch
	stmtOldest
	stmtSegments
	stmtSegmentOf
	stmtSegmentFile
	stmtAddSegment
	stmtShedEvents
	stmtShedChecks
	numStatements
)

const (
	eventColumns = `seq, ts, topic, producer, kind, key, state, causation, payload, prev, hash`
	// The payload is read as a blob, which the driver hands over without
	// making a string of it.
	eventFields = `seq, ts, topic, producer, kind, key, state, causation, CAST(payload AS BLOB), prev, hash`
)

const segmentColumns = `first, last, prev, hash, begins, ends, bytes, sha256, sealed`

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
	case stmtExactEvents:
		return `SELECT ` + eventFields + `, typeof(payload) = 'text' FROM events WHERE seq > ? ORDER BY seq LIMIT ?`
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
	case stmtSchemaChanges:
		return `PRAGMA schema_version`
	case stmtUserVersion:
		return `PRAGMA user_version`
	case stmtApplicationID:
		return `PRAGMA application_id`
	case stmtPageCount:
		return `PRAGMA page_count`
	case stmtPageSize:
		return `PRAGMA page_size`
	case stmtCheckSizes:
		return `SELECT first, length(sums), typeof(sums) = 'blob' FROM checks ORDER BY first`
	case stmtTables:
		return `SELECT count(*) FROM sqlite_schema`
	case stmtNewest:
		return `SELECT seq, hash, ts FROM events ORDER BY seq DESC LIMIT 1`
	case stmtLastEvent:
		return `SELECT max(seq) FROM events`
	case stmtForms:
		return `SELECT value FROM meta WHERE name = 'forms'`
	case stmtEpoch:
		return `SELECT value FROM meta WHERE name = 'epoch'`
	case stmtOldest:
		return `SELECT seq FROM events ORDER BY seq LIMIT 1`
	case stmtSegments:
		return `SELECT ` + segmentColumns + ` FROM segments ORDER BY first`
	case stmtSegmentOf:
		return `SELECT ` + segmentColumns + ` FROM segments WHERE first <= ? ORDER BY first DESC LIMIT 1`
	case stmtSegmentFile:
		return `SELECT file FROM segment_files WHERE first = ?`
	case stmtAddSegment:
		return insertInto("segments", segmentColumns)
	case stmtShedEvents:
		return `DELETE FROM events WHERE seq < ?`
	case stmtShedChecks:
		return `DELETE FROM checks WHERE first < ? AND first + length(sums) / 4 <= ?`
	}
	return ""
}

// A projection's statements follow the store's own, stmtsEach a projection.
const (
	stmtsEach = 4 + 2*maxSides
	maxSides  = 4 // tables beside a projection's own
)

func stmtOf(of, n int) stmtID { return numStatements + stmtID(of*stmtsEach+n) }

func stmtGet(of int) stmtID              { return stmtOf(of, 0) }
func stmtInsert(of int) stmtID           { return stmtOf(of, 1) }
func stmtUpdate(of int) stmtID           { return stmtOf(of, 2) }
func stmtLast(of int) stmtID             { return stmtOf(of, 3) }
func stmtSideInsert(of, side int) stmtID { return stmtOf(of, 4+side) }
func stmtSideDelete(of, side int) stmtID { return stmtOf(of, 4+maxSides+side) }

func insertInto(table, columns string) string {
	n := strings.Count(columns, ",")
	return `INSERT INTO ` + table + ` (` + columns + `) VALUES (?` + strings.Repeat(`, ?`, n) + `)`
}

func insertEvents(rows int) string {
	one := `(?` + strings.Repeat(`, ?`, eventFieldCount-1) + `)`
	return `INSERT INTO events (` + eventColumns + `) VALUES ` + one + strings.Repeat(`, `+one, rows-1)
}

const eventFieldCount = 11
