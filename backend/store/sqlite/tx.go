package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"binnacle/backend/store"
	"binnacle/backend/store/sqlitefile"
	"binnacle/model"
)

// tx is the Tx that one write's function gets.
type tx struct{ t *txn }

var _ store.Tx = tx{}

func (x tx) Now() model.Time { return x.t.now }

func (x tx) Clocks() model.Reading { return x.t.clocks }

func (x tx) Head() (model.Head, error) { return x.t.head, x.ok() }

// ok refuses work in a transaction that can't go on.
func (x tx) ok() error {
	if x.t.broken != nil {
		return sqlitefile.Explain("use the database", x.t.broken)
	}
	return nil
}

func (x tx) Append(d model.Draft) (model.Event, error) {
	if err := x.ok(); err != nil {
		return model.Event{}, err
	}
	return x.t.append(d)
}

func (x tx) Counts() (model.Counts, error) {
	if err := x.ok(); err != nil {
		return nil, err
	}
	c, err := readCounts(context.Background(), x.t.c)
	if err != nil {
		return nil, x.t.failed(err)
	}
	for of, n := range x.t.counts {
		c[of] += n
	}
	return c, nil
}

func (x tx) Event(seq int64) (model.Event, error) {
	if err := x.ok(); err != nil {
		return model.Event{}, err
	}
	if p := x.t.pend; len(p) > 0 && seq >= p[0].Seq {
		if i := seq - p[0].Seq; i < int64(len(p)) {
			return p[i], nil
		}
		return model.Event{}, store.NoEvent(seq)
	}
	e, err := readEvent(context.Background(), x.t.c, seq)
	if err != nil {
		return e, x.t.failed(err)
	}
	return e, nil
}

func (x tx) Events(after int64, limit int) ([]model.Event, error) {
	if err := x.ok(); err != nil {
		return nil, err
	}
	out, err := readEvents(context.Background(), x.t.c, after, limit)
	if err != nil {
		return nil, x.t.failed(err)
	}
	for _, e := range x.t.pend {
		if len(out) < limit && e.Seq > after {
			out = append(out, e)
		}
	}
	return out, nil
}

func (x tx) Record(p store.Projection, key string) (any, error) {
	if err := x.ok(); err != nil {
		return nil, err
	}
	of := x.t.c.of.Number(p)
	if of < 0 {
		return nil, store.UnknownRecords(p)
	}
	e, err := x.t.records[of].entry(x.t, key)
	if err != nil {
		return nil, err
	}
	if e.val == nil {
		return nil, store.NoRecord(p.Shape().Noun, key)
	}
	return e.val, nil
}

func (x tx) Query(query string, args ...any) (*sql.Rows, error) {
	s, err := x.prepare(query)
	if err != nil {
		return nil, err
	}
	if err := x.t.show(s.names); err != nil {
		return nil, err
	}
	rows, err := s.stmt.QueryContext(context.Background(), args...) //nolint:sqlclosecheck // the caller closes them
	if err != nil {
		return nil, x.t.failed(err)
	}
	return rows, nil
}

func (x tx) QueryRow(query string, args ...any) *sql.Row {
	s, err := x.prepare(query)
	if err == nil {
		err = x.t.show(s.names)
	}
	if err != nil {
		// A row can only carry the driver's errors. The write fails with err
		// all the same, whatever its function makes of the row.
		x.t.check(err)
		return x.t.c.sql.QueryRowContext(cancelled(), query, args...)
	}
	return s.stmt.QueryRowContext(context.Background(), args...)
}

func (x tx) Exec(query string, args ...any) (sql.Result, error) {
	s, err := x.prepare(query)
	if err != nil {
		return nil, err
	}
	if err := x.t.save(); err != nil {
		return nil, err
	}
	if err := x.t.show(s.names); err != nil {
		return nil, err
	}
	x.t.wrote = true
	res, err := s.stmt.ExecContext(context.Background(), args...)
	if err != nil {
		return nil, x.t.failed(err)
	}
	if s.names&touchRecords != 0 {
		x.t.forgetRecords()
	}
	return res, nil
}

func (x tx) Notify(channel string) { x.t.notify[channel] = true }

func (x tx) Dialect() store.Dialect { return dialect{} }

func (x tx) Inspect() store.Inspection {
	x.t.check(x.t.show(touchAll))
	return inspection{context.Background(), x.t.c}
}

func (x tx) prepare(query string) (*statement, error) {
	if err := x.ok(); err != nil {
		return nil, err
	}
	s, err := x.t.c.statement(query)
	if err != nil {
		return nil, x.t.failed(err)
	}
	return s, nil
}

// cancelled returns a context that is done already.
func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

func readHead(ctx context.Context, c *conn) (h model.Head, err error) {
	err = c.query(ctx, stmtHead, func(v []driver.Value) bool {
		h = store.HeadOf(v)
		return false
	})
	return h, err
}

func readCounts(ctx context.Context, c *conn) (model.Counts, error) {
	out := model.Counts{}
	err := c.query(ctx, stmtCounts, func(v []driver.Value) bool {
		out[model.Counter{Plane: store.AsText(v[0]), Name: store.AsText(v[1])}] = store.AsInt(v[2])
		return true
	})
	return out, err
}
