package sqlite

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"binnacle/backend/store/sqlitefile"
	"binnacle/model"
)

// This file opens the connections that can't write.
//
// SQLite reads a WAL database through its -wal and -shm companions and makes
// them when they are not there. In a folder that we may not write it can't. If
// there is nothing in a -wal then the file itself is all there is: it is read as
// immutable, until something is written to a -wal.

// openReader opens one connection for reads.
func (s *Store) openReader(ctx context.Context) (*conn, error) {
	params := []string{
		"mode=ro", fmt.Sprintf("_pragma=busy_timeout(%d)", s.opt.BusyTimeout.Milliseconds()),
		"_pragma=query_only(1)", "_pragma=temp_store(MEMORY)", cachePragma(readerCache),
	}
	if s.opt.ReadOnly {
		s.frozen.Store(s.mustFreeze())
	}
	switch {
	case s.frozen.Load():
		params = append(params, "immutable=1")
	case s.noRoom != nil:
		params = append(params, ownIndex(s.opt.Path))
	}
	c, err := openFor(ctx, s.opt, dsn(s.opt.Path, params...))
	if s.noRoom == nil && !s.frozen.Load() && sqlitefile.LacksRoom(err) {
		return openFor(ctx, s.opt, dsn(s.opt.Path, append(params, ownIndex(s.opt.Path))...))
	}
	return c, err
}

// still says whether reads take the file for one that nobody changes: it can't
// be locked, or there was no room for the log's index.
func (s *Store) still() bool { return s.frozen.Load() || s.noRoom != nil }

func (s *Store) startReading(ctx context.Context) error {
	c, err := s.readers.take(ctx)
	if err != nil {
		return sqlitefile.Explain("open the database read-only", err)
	}
	err = s.inspect(c)
	s.readers.put(c, err == nil)
	return err
}

func (s *Store) inspect(c *conn) error {
	v, err := schemaOf(c)
	if err != nil {
		return err
	}
	if v < Version {
		return model.Errorf(model.CodeSchema, "the database has schema %d and this program needs %d", v, Version).
			WithHint("open it once without --read-only, or run binnacle queue migrate")
	}
	stale, err := c.stale()
	if err != nil {
		return err
	}
	if len(stale) > 0 {
		return model.Errorf(model.CodeSchema, "the database lacks tables that this program needs: %s", strings.Join(stale, ", ")).
			WithHint("open it once without --read-only, or run binnacle queue migrate")
	}
	return s.readEpoch(c)
}

// mustFreeze says whether the database can only be read as immutable.
func (s *Store) mustFreeze() bool {
	return unix.Access(filepath.Dir(s.opt.Path), unix.W_OK) != nil && sqlitefile.Empty(s.opt.Path+"-wal") || foreignLog(s.opt.Path)
}

// thaw goes over to shared reading when somebody writes to the database, and
// forgets what was read of it before somebody did.
func (s *Store) thaw() {
	stamp, _ := stampOf(s.opt.Path)
	old := s.ice.Swap(&stamp)
	melts := !s.mustFreeze() && s.frozen.CompareAndSwap(true, false)
	if melts || old != nil && *old != stamp {
		_ = s.readers.dropIdle()
	}
}
