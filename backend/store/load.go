package store

import (
	"context"
	"database/sql"
	"errors"

	"binnacle/model"
)

// EachCheck calls fn for every row of checks, in order: the first event that it
// is about, and SumSize bytes an event (see Sum), big-endian.
func EachCheck(r Reader, fn func(first int64, sums []byte) error) error {
	type check struct {
		first int64
		sums  []byte
	}
	scan := func(rows scanner) (c check, err error) {
		err = rows.Scan(&c.first, &c.sums)
		return c, err
	}
	return each(r, `SELECT first, sums FROM checks ORDER BY first`, scan, func(c check) error { return fn(c.first, c.sums) })
}

// HeadNow reads the newest event's head.
func HeadNow(ctx context.Context, s Store) (h model.Head, err error) {
	err = s.Read(ctx, func(r Reader) (err error) {
		h, err = r.Head()
		return err
	})
	return h, err
}

// EpochOf reads the epoch at the reader's instant. Store.Epoch may be a newer
// one's already.
func EpochOf(r Reader) (epoch string, err error) {
	err = r.QueryRow(`SELECT value FROM meta WHERE name = 'epoch'`).Scan(&epoch)
	if errors.Is(err, sql.ErrNoRows) || err == nil && epoch == "" {
		return "", LostEpoch()
	}
	return epoch, Explain("read the ledger's epoch", err)
}

// scanner is a row: *sql.Row or *sql.Rows.
type scanner = interface{ Scan(dest ...any) error }

// collect reads all rows; its errors are the driver's.
func collect[T any](r Reader, query string, scan func(scanner) (T, error), args ...any) (out []T, err error) {
	rows, err := r.Query(query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// SelectColumn reads the only column of what a query gives; its errors are the
// driver's.
func SelectColumn[T any](r Reader, query string, args ...any) ([]T, error) {
	return collect(r, query, func(row scanner) (v T, err error) {
		err = row.Scan(&v)
		return v, err
	}, args...)
}

func each[T any](r Reader, query string, scan func(scanner) (T, error), fn func(T) error, args ...any) error {
	rows, err := r.Query(query, args...)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return Explain("read a record", err)
		}
		if err := fn(v); err != nil {
			return err
		}
	}
	return Explain("read records", rows.Err())
}
