package sqlite

import (
	"context"
	"database/sql"
	"slices"
	"sync"
	"time"

	"binnacle/backend/store"
	"binnacle/backend/store/sqlitefile"
	"binnacle/model"
)

// reader is the Reader that a read's function gets. What reads a row or two
// doesn't watch the context, for watching costs more than the read.
type reader struct {
	ctx context.Context
	c   *conn
}

var _ store.Reader = reader{}

func (r reader) Head() (model.Head, error) {
	h, err := readHead(context.Background(), r.c)
	return h, sqlitefile.Explain("read the ledger", err)
}

func (r reader) Counts() (model.Counts, error) {
	c, err := readCounts(context.Background(), r.c)
	return c, sqlitefile.Explain("read the counts", err)
}

func (r reader) Event(seq int64) (model.Event, error) {
	e, err := readEvent(context.Background(), r.c, seq)
	return e, sqlitefile.Explain("read an event", err)
}

func (r reader) Events(after int64, limit int) ([]model.Event, error) {
	e, err := readEvents(r.ctx, r.c, after, limit)
	return e, sqlitefile.Explain("read events", err)
}

func (r reader) Record(p store.Projection, key string) (any, error) {
	of := r.c.of.Number(p)
	if of < 0 {
		return nil, store.UnknownRecords(p)
	}
	rec, _, err := r.c.loadRecord(of, p, key)
	if err != nil {
		return nil, sqlitefile.Explain("read a record", err)
	}
	if rec == nil {
		return nil, store.NoRecord(p.Shape().Noun, key)
	}
	return rec, nil
}

func (r reader) Query(query string, args ...any) (*sql.Rows, error) {
	s, err := r.c.statement(query)
	if err != nil {
		return nil, sqlitefile.Explain("query the database", err)
	}
	rows, err := s.stmt.QueryContext(r.ctx, args...) //nolint:sqlclosecheck // the caller closes them
	return rows, sqlitefile.Explain("query the database", err)
}

func (r reader) QueryRow(query string, args ...any) *sql.Row {
	s, err := r.c.statement(query)
	if err != nil {
		// A row can only carry the driver's errors: let it make the same one.
		return r.c.sql.QueryRowContext(r.ctx, query, args...)
	}
	return s.stmt.QueryRowContext(r.ctx, args...)
}

func (r reader) Dialect() store.Dialect { return dialect{} }

func (r reader) Inspect() store.Inspection { return inspection(r) }

// pool keeps a few read-only connections, opened when first needed. The one
// given back last is taken first, so that the others, which only a rush needed,
// fall idle and are closed.
type pool struct {
	open  func(ctx context.Context) (*conn, error)
	begun func(c *conn) error // called at the start of each transaction
	slots chan struct{}       // one token for each connection that may be in use
	ended chan struct{}       // closed by drain
	now   func() time.Time

	mu   sync.Mutex
	idle []rested // the one that rests longest first
}

// rested is a connection that nobody uses, and since when.
type rested struct {
	conn  *conn
	since time.Time
}

// maxReaders bounds how many reads run at a time; more wait.
const maxReaders = 4

// maxRest is how long a connection is kept that nobody needs, with its pages
// and its three files.
const maxRest = time.Minute

func newPool(open func(ctx context.Context) (*conn, error), begun func(c *conn) error) *pool {
	return &pool{
		open: open, begun: begun, slots: make(chan struct{}, maxReaders), ended: make(chan struct{}), now: time.Now,
	}
}

// take borrows a connection; put gives it back.
func (p *pool) take(ctx context.Context) (*conn, error) {
	select {
	case <-p.ended:
		return nil, store.Closed()
	default:
	}
	select {
	case p.slots <- struct{}{}:
	case <-p.ended:
		return nil, store.Closed()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if c := p.pop(); c != nil {
		return c, nil
	}
	c, err := p.open(ctx)
	if err != nil {
		<-p.slots
	}
	return c, err
}

func (p *pool) put(c *conn, healthy bool) {
	if healthy {
		c = p.push(c)
	}
	if c != nil {
		_ = c.close()
	}
	<-p.slots
}

// pop takes the connection that was used last, nil when none is idle.
func (p *pool) pop() *conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.idle)
	if n == 0 {
		return nil
	}
	c := p.idle[n-1].conn
	p.idle = slices.Delete(p.idle, n-1, n)
	return c
}

// push keeps a connection, and returns one that has rested too long, if any.
func (p *pool) push(c *conn) (tired *conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	p.idle = append(p.idle, rested{c, now})
	if first := p.idle[0]; now.Sub(first.since) > maxRest {
		p.idle = slices.Delete(p.idle, 0, 1)
		return first.conn
	}
	return nil
}

// drain closes the connections, after waiting for the busy ones. It is called
// once; what comes afterwards is refused.
func (p *pool) drain() error {
	close(p.ended)
	for range maxReaders {
		p.slots <- struct{}{}
	}
	return p.dropIdle()
}

// dropIdle closes the idle connections, so that the next reads open new ones.
func (p *pool) dropIdle() (err error) {
	for c := p.pop(); c != nil; c = p.pop() {
		if e := c.close(); err == nil {
			err = e
		}
	}
	return err
}

// read runs fn in a read transaction.
func (p *pool) read(ctx context.Context, fn func(r store.Reader) error) (err error) {
	if err := ctx.Err(); err != nil {
		return err
	}
	c, err := p.take(ctx)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	healthy := false
	// Also when fn panics the connection must not go back with its transaction.
	// Cancelling closes rows that fn left open, on which closing would wait.
	defer func() {
		cancel()
		p.put(c, healthy)
	}()
	c.trim()
	if err := c.exec(stmtBeginRead); err != nil {
		return err
	}
	if err := p.begun(c); err != nil {
		return err
	}
	err = fn(reader{ctx, c})
	healthy = c.exec(stmtRollback) == nil && ctx.Err() == nil
	return err
}
