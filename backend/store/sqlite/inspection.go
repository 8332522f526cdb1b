package sqlite

import (
	"context"
	"database/sql/driver"

	"binnacle/backend/store"
	"binnacle/backend/store/sqlitefile"
)

// inspection is the store.Inspection of a connection's instant.
type inspection struct {
	ctx context.Context
	c   *conn
}

// Bytes implements store.Inspection.
func (i inspection) Bytes() (int64, error) {
	pages, err := pragmaInt(i.c, stmtPageCount)
	if err != nil {
		return 0, err
	}
	size, err := pragmaInt(i.c, stmtPageSize)
	return pages * size, err
}

// Checks implements store.Inspection.
func (i inspection) Checks(fn func(first, size int64, odd bool) bool) error {
	return i.c.query(i.ctx, stmtCheckSizes, func(v []driver.Value) bool {
		return fn(store.AsInt(v[0]), store.AsInt(v[1]), store.AsInt(v[2]) != 1)
	})
}

// Mark implements store.Inspection: SQLite counts the changes of the schema.
func (i inspection) Mark() (int64, error) {
	mark, err := pragmaInt(i.c, stmtSchemaChanges)
	return mark, sqlitefile.Explain("read the schema", err)
}

// Differs implements store.Inspection.
func (i inspection) Differs() (string, error) {
	want, err := i.c.of.wanted(i.ctx)
	if err != nil {
		return "", err
	}
	have, err := objects(i.ctx, i.c)
	if err != nil {
		return "", err
	}
	if said := want.differs(have); said != "" {
		return said, nil
	}
	return metaDiffers(i.ctx, i.c)
}
