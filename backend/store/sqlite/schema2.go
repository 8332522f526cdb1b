package sqlite

import "context"

// schemaV2 takes schema 1 to schema 2. Statements run in order, on databases
// with data in them as well as on ones that were just made.
var schemaV2 = []string{
	// The first schema had the engines' records in it. They have forms of their own
	// now, and are made anew from the events.
	`DROP TABLE IF EXISTS signals`,
	`DROP TABLE IF EXISTS work_items`,
	`DROP TABLE IF EXISTS directives`,
	`DROP TABLE IF EXISTS directive_blocks`,
	`DROP TABLE IF EXISTS fleet_sessions`,
	// What the fleet noted beside the events comes back with the next reports.
	`DROP TABLE IF EXISTS fleet_seen`,
	`DROP TABLE IF EXISTS fleet_process`,
	`DROP TABLE IF EXISTS fleet_place`,
	`DROP TABLE IF EXISTS fleet_unknown`,
	`DROP TABLE IF EXISTS fleet_marks`,

	// Who wrote, and what kinds, in each span of SpanSize sequence numbers: an
	// index on the events would dirty a page a producer and commit, this is
	// written once a span (see spans.go).
	`DROP INDEX events_producer`,
	`DROP INDEX events_kind`,
	`CREATE TABLE event_spans (
		field TEXT NOT NULL,
		value TEXT NOT NULL,
		span  INTEGER NOT NULL,
		count INTEGER NOT NULL,
		PRIMARY KEY (field, value, span)
	) WITHOUT ROWID`,
	fillSpans("producer", allSpans),
	fillSpans("kind", allSpans),
}

func createV2(ctx context.Context, c *conn, _ Options) error {
	for _, text := range schemaV2 {
		if err := c.run(ctx, text); err != nil {
			return err
		}
	}
	return nil
}

// schemaV3 takes schema 2 to schema 3: events can be sealed away (store.Segment).
var schemaV3 = []string{
	`CREATE TABLE segments (
		first  INTEGER PRIMARY KEY,
		last   INTEGER NOT NULL,
		prev   TEXT NOT NULL,
		hash   TEXT NOT NULL,
		begins INTEGER NOT NULL,
		ends   INTEGER NOT NULL,
		bytes  INTEGER NOT NULL,
		sha256 TEXT NOT NULL,
		sealed INTEGER NOT NULL
	)`,
	// A backup is one file: it has the segments' files in here. In a workspace they
	// lie in the archive, and this is empty.
	`CREATE TABLE segment_files (first INTEGER PRIMARY KEY, file BLOB NOT NULL)`,
}

func createV3(ctx context.Context, c *conn, _ Options) error {
	for _, text := range schemaV3 {
		if err := c.run(ctx, text); err != nil {
			return err
		}
	}
	return nil
}
