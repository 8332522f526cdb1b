package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"

	"modernc.org/sqlite"

	"binnacle/backend/store"
	"binnacle/backend/store/segment"
)

// conn is one connection with its prepared statements. One goroutine at a time
// uses it. The store's own statements go to the driver directly, because
// database/sql's conversions cost as much as SQLite's work on a row; the
// engines' statements go through database/sql.
type conn struct {
	db   *sql.DB
	sql  *sql.Conn
	of   *layout
	own  []driver.Stmt
	user map[string]*statement
	args []driver.NamedValue // scratch

	archive *segment.Folder // of the database's sealed events; nil where none are read
}

// statement is an engine's statement, prepared once.
type statement struct {
	stmt  *sql.Stmt
	names touch // tables that its text names
}

// maxUserStatements bounds how many of the engines' statements stay prepared.
const maxUserStatements = 200

// tuneDriver makes SQLite commit with fdatasync, as every distribution's build
// does, and take locks that survive a stray close of the file by other code in
// this process. Both are switches of the process; where the system lacks one,
// SQLite's default stays, and is as durable.
var tuneDriver = sync.OnceFunc(func() {
	_, _ = sqlite.Fdatasync(true)
	_, _ = sqlite.OFDLocking(true)
})

// dsn names the database at path for the driver; every param is "name=value".
func dsn(path string, params ...string) string {
	return "file:" + (&url.URL{Path: path}).EscapedPath() + "?" + strings.Join(params, "&")
}

// Page caches of a connection, in KiB of pages. The driver's caches take pages
// from each other, so that what bounds a process is their sum, which it has
// reached after an hour or two. The allocator hands out powers of two: a page of
// 4 KiB with its header takes 9.4 KiB of memory. Four times as much made no
// benchmark of writing, claiming or verifying cheaper, for what is not in here is
// in the system's cache.
const (
	writerCache = 4000
	readerCache = 1000
)

func cachePragma(kib int) string { return fmt.Sprintf("_pragma=cache_size(-%d)", kib) }

// openConn opens a connection of its own to a database of the schema, which is
// nil where no records are touched.
func openConn(ctx context.Context, of *layout, source string) (*conn, error) {
	tuneDriver()
	db, err := sql.Open("sqlite", source)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	c, err := db.Conn(ctx)
	if err != nil {
		_ = db.Close()
		return nil, err
	}
	if of == nil {
		of = noLayout
	}
	own := make([]driver.Stmt, int(numStatements)+len(of.texts))
	return &conn{db: db, sql: c, of: of, own: own, user: map[string]*statement{}}, nil
}

// openFor is openConn for a database of the options', whose sealed events can be
// read.
func openFor(ctx context.Context, o Options, source string) (*conn, error) {
	c, err := openConn(ctx, o.of, source)
	if err == nil {
		c.archive = o.archive
	}
	return c, err
}

// close releases the connection and its statements.
func (c *conn) close() error {
	c.dropUser()
	err := c.sql.Raw(func(any) error {
		for i, s := range c.own {
			if s != nil {
				_ = s.Close()
				c.own[i] = nil
			}
		}
		return nil
	})
	if e := c.sql.Close(); err == nil && !errors.Is(e, sql.ErrConnDone) {
		err = e
	}
	if e := c.db.Close(); err == nil {
		err = e
	}
	return err
}

// trim closes the engines' statements when they are too many. No rows may be
// open.
func (c *conn) trim() {
	if len(c.user) > maxUserStatements {
		c.dropUser()
	}
}

func (c *conn) dropUser() {
	for text, s := range c.user {
		_ = s.stmt.Close()
		delete(c.user, text)
	}
}

// statement prepares an engine's statement, or finds it prepared.
func (c *conn) statement(text string) (*statement, error) {
	if s, ok := c.user[text]; ok {
		return s, nil
	}
	stmt, err := c.sql.PrepareContext(context.Background(), text)
	if err != nil {
		return nil, err
	}
	s := &statement{stmt: stmt, names: c.of.named(text)}
	c.user[text] = s
	return s, nil
}

// exec runs one of the store's own statements.
func (c *conn) exec(id stmtID, args ...driver.Value) error {
	return c.sql.Raw(func(d any) error {
		_, err := c.execOn(d, id, c.named(args))
		return err
	})
}

func (c *conn) named(args []driver.Value) []driver.NamedValue {
	c.args = c.args[:0]
	for i, v := range args {
		c.args = append(c.args, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	return c.args
}

func (c *conn) execOn(d any, id stmtID, args []driver.NamedValue) (driver.Result, error) {
	s, err := c.prepared(d, id)
	if err != nil {
		return nil, err
	}
	return s.(driver.StmtExecContext).ExecContext(context.Background(), args)
}

func (c *conn) prepared(d any, id stmtID) (driver.Stmt, error) {
	if s := c.own[id]; s != nil {
		return s, nil
	}
	s, err := d.(driver.ConnPrepareContext).PrepareContext(context.Background(), c.text(id))
	if err != nil {
		return nil, err
	}
	c.own[id] = s
	return s, nil
}

// text is the statement's SQL.
func (c *conn) text(id stmtID) string {
	if id < numStatements {
		return id.text()
	}
	return c.of.texts[id-numStatements]
}

// query runs one of the store's own statements and calls row for each row,
// whose values are valid during the call only, until it returns false.
func (c *conn) query(ctx context.Context, id stmtID, row func(v []driver.Value) bool, args ...driver.Value) error {
	return c.sql.Raw(func(d any) error {
		s, err := c.prepared(d, id)
		if err != nil {
			return err
		}
		rows, err := s.(driver.StmtQueryContext).QueryContext(ctx, c.named(args))
		if err != nil {
			return err
		}
		err = eachRow(rows, row)
		if e := rows.Close(); err == nil {
			err = e
		}
		return err
	})
}

// pragmaInt reads a statement's one number.
func pragmaInt(c *conn, id stmtID) (n int64, err error) {
	err = c.query(context.Background(), id, func(v []driver.Value) bool {
		n = store.AsInt(v[0])
		return false
	})
	return n, err
}

// run executes SQL text that is run once.
func (c *conn) run(ctx context.Context, text string, args ...any) error {
	_, err := c.sql.ExecContext(ctx, text, args...)
	return err
}

func eachRow(rows driver.Rows, row func(v []driver.Value) bool) error {
	vals := make([]driver.Value, len(rows.Columns()))
	for {
		switch err := rows.Next(vals); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if !row(vals) {
			return nil
		}
	}
}
