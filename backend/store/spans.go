package store

import "fmt"

// The table event_spans says, for each full span of SpanSize sequence numbers,
// how many of its events each producer wrote and how many there are of each
// kind. Whoever looks for a producer's events finds the spans with them, and
// scans those; the events behind the last full span are scanned in any case.
//
// A span's rows are written by the commit that fills it, and never change. They
// follow from the events, so that rebuild makes them anew and verify compares
// them.

// SpanSize is how many sequence numbers a span has: span n begins with
// n*SpanSize. The first span has one event less, for there is no event 0.
const SpanSize = 1 << spanBits

const spanBits = 9

// FullSpans is how many spans are full, and so have rows, when seq is the
// newest event.
func FullSpans(seq int64) int64 { return (seq + 1) >> spanBits }

// SpanOf is the span of an event.
func SpanOf(seq int64) int64 { return seq >> spanBits }

// SpanEvents is how many events the full span has.
func SpanEvents(span int64) int64 {
	if span == 0 {
		return SpanSize - 1
	}
	return SpanSize
}

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
		from, to = `0`, fmt.Sprintf(allSpans, spanBits)
	}
	return fmt.Sprintf(`INSERT OR REPLACE INTO event_spans (field, value, span, count)`+
		` SELECT '%[1]s', %[1]s, seq >> %[2]d, count(*) FROM events WHERE seq >= %[3]s AND seq < %[4]s GROUP BY 2, 3`,
		field, spanBits, from, to)
}

// addSpans writes the rows of the spans from one up to another, exclusive.
func (c *conn) addSpans(from, to int64) error {
	if from >= to {
		return nil
	}
	for _, id := range [...]stmtID{stmtAddProducers, stmtAddKinds} {
		if err := c.exec(id, from*SpanSize, to*SpanSize); err != nil {
			return err
		}
	}
	return nil
}
