package store

import (
	"context"
	"database/sql/driver"
)

// inspection is the Inspection of a connection's instant.
type inspection struct{ c *conn }

// Bytes implements Inspection.
func (i inspection) Bytes() (int64, error) {
	pages, err := pragmaInt(i.c, stmtPageCount)
	if err != nil {
		return 0, err
	}
	size, err := pragmaInt(i.c, stmtPageSize)
	return pages * size, err
}

// Checks implements Inspection.
func (i inspection) Checks(fn func(first, size int64, odd bool) bool) error {
	return i.c.query(context.Background(), stmtCheckSizes, func(v []driver.Value) bool {
		return fn(asInt(v[0]), asInt(v[1]), asInt(v[2]) != 1)
	})
}
