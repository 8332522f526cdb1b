package store

import "binnacle/model"

// Inspection looks at what verify wants to know of a database beyond what its rows
// say.
type Inspection interface {
	// Bytes is the database's size, without its log.
	Bytes() (int64, error)
	// Events is Reader.Events, with what is odd among them.
	Events(after int64, limit int) ([]model.Event, Odd, error)
	// Checks calls fn for every row of the table checks, in order, until it returns
	// false: the first event that the row is about, its sums' length in bytes, and
	// whether they are of another form than the writer's.
	Checks(fn func(first, size int64, odd bool) bool) error
	// Mark is another number after each change of the tables' form.
	Mark() (int64, error)
	// Differs says in a sentence what of the tables, indexes and the like, or of the
	// table meta, is not as this program makes them, the first by name; "" for
	// nothing.
	Differs() (string, error)
}

// Odd is the first event of a page whose row holds a value in another form than
// the writer's, and the column; the zero Odd is none. The hash is that of what the
// value means, so it can't tell.
type Odd struct {
	Seq    int64
	Column string
}
