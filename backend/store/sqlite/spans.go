package sqlite

import (
	"context"
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
	oldest, err := readOldest(context.Background(), c)
	if err != nil {
		return err
	}
	if sealed := min(to, store.SpanOf(oldest-1)+1); oldest > 1 && from < sealed {
		if err := c.addSealedSpans(from, sealed); err != nil {
			return err
		}
		from = sealed
	}
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

// addSealedSpans is addSpans for spans with events that are no longer rows.
func (c *conn) addSealedSpans(from, to int64) error {
	type value struct {
		field, value string
		span         int64
	}
	counts := map[value]int64{}
	for after := from*store.SpanSize - 1; ; {
		page, err := readEvents(context.Background(), c, max(after, 0), replayPage)
		if err != nil {
			return err
		}
		for _, e := range page {
			if after = e.Seq; store.SpanOf(after) < to {
				counts[value{"producer", e.Producer, store.SpanOf(after)}]++
				counts[value{"kind", string(e.Kind), store.SpanOf(after)}]++
			}
		}
		if len(page) == 0 || store.SpanOf(after) >= to {
			break
		}
	}
	for v, n := range counts {
		if err := c.run(context.Background(), `INSERT OR REPLACE INTO event_spans (field, value, span, count) VALUES ($1, $2, $3, $4)`,
			v.field, v.value, v.span, n); err != nil {
			return err
		}
	}
	return nil
}
