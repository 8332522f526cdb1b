package store

// Inspection looks at what verify wants to know of a database beyond what its rows
// say.
type Inspection interface {
	// Bytes is the database's size, without its log.
	Bytes() (int64, error)
	// Checks calls fn for every row of the table checks, in order, until it returns
	// false: the first event that the row is about, its sums' length in bytes, and
	// whether they are of another form than the writer's.
	Checks(fn func(first, size int64, odd bool) bool) error
}
