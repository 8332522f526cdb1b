package store

import "context"

// schemaV2 takes schema 1 to schema 2. Statements run in order, on databases
// with data in them as well as on ones that were just made.
var schemaV2 = []string{
	// The second end of a lease: whose clock, and what it says then in microseconds
	// awake (model.Lease). NULL where only the wall clock is known. The indexes
	// serve what is due by either end: on this boot along lease_awake, without a
	// boot along lease_until, on other boots by a walk over their entries alone.
	`ALTER TABLE directives ADD COLUMN lease_boot TEXT`,
	`ALTER TABLE directives ADD COLUMN lease_awake INTEGER`,
	`ALTER TABLE directives ADD COLUMN taken_awake INTEGER`,
	`DROP INDEX directives_taken`,
	`CREATE INDEX directives_taken ON directives (lease_boot, lease_awake, lease_until) WHERE status = 'taken'`,
	`ALTER TABLE work_items ADD COLUMN lease_boot TEXT`,
	`ALTER TABLE work_items ADD COLUMN lease_awake INTEGER`,
	`DROP INDEX work_items_lease`,
	`CREATE INDEX work_items_lease ON work_items (lease_boot, lease_awake, lease_until) WHERE state = 'claimed'`,

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
