package queue

import (
	"database/sql"

	"binnacle/backend/store"
)

// each runs the query and hands over its rows.
func each(r store.Reader, fn func(rows *sql.Rows) error, query string, args ...any) error {
	rows, err := r.Query(query, args...)
	if err != nil {
		return store.Explain("read the queue", err)
	}
	defer rows.Close() //nolint:errcheck // Err has it
	for rows.Next() {
		if err := fn(rows); err != nil {
			return store.Explain("read the queue", err)
		}
	}
	return store.Explain("read the queue", rows.Err())
}

// idsOf runs a query of one column of ids.
func idsOf(r store.Reader, query string, args ...any) ([]int64, error) {
	ids, err := store.SelectColumn[int64](r, query, args...)
	return ids, store.Explain("read the queue", err)
}
