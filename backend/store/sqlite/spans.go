package sqlite

import (
	"fmt"

	"binnacle/backend/store"
)

// This file writes the rows of event_spans: see store.SpanSize.

const (
	someSpans = `?`
	// allSpans is for the schema: the last full span's end of what is there.
	allSpans = `(SELECT ((coalesce(max(seq), 0) + 1) >> %[1]d) << %[1]d FROM events)`
)

// fillSpans writes the rows of a field for the events from one number up to
// another, exclusive. Rows that are there already give way.
func fillSpans(field, to string) string {
	from := `?`
	if to == allSpans {
		from, to = `0`, fmt.Sprintf(allSpans, store.SpanBits)
	}
	return fmt.Sprintf(`INSERT OR REPLACE INTO event_spans (field, value, span, count)`+
		` SELECT '%[1]s', %[1]s, seq >> %[2]d, count(*) FROM events WHERE seq >= %[3]s AND seq < %[4]s GROUP BY 2, 3`,
		field, store.SpanBits, from, to)
}

// addSpans writes the rows of the spans from one up to another, exclusive.
func (c *conn) addSpans(from, to int64) error {
	if from >= to {
		return nil
	}
	for _, id := range [...]stmtID{stmtAddProducers, stmtAddKinds} {
		if err := c.exec(id, from*store.SpanSize, to*store.SpanSize); err != nil {
			return err
		}
	}
	return nil
}
