package store

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
const SpanSize = 1 << SpanBits

// SpanBits is by how many bits a sequence number is shifted to give its span.
const SpanBits = 9

// FullSpans is how many spans are full, and so have rows, when seq is the
// newest event.
func FullSpans(seq int64) int64 { return (seq + 1) >> SpanBits }

// SpanOf is the span of an event.
func SpanOf(seq int64) int64 { return seq >> SpanBits }

// SpanEvents is how many events the full span has.
func SpanEvents(span int64) int64 {
	if span == 0 {
		return SpanSize - 1
	}
	return SpanSize
}
