package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"binnacle/model"
)

// This file opens the connections that can't write.
//
// SQLite reads a WAL database through its -wal and -shm companions and makes
// them when they are not there. In a folder that we may not write it can't. If
// there is no -wal then nobody has the database open and the file itself is
// all there is: it is read as immutable, until a -wal appears.

// openReader opens one connection for reads.
func (s *SQLite) openReader(ctx context.Context) (*conn, error) {
	params := []string{
		"mode=ro", fmt.Sprintf("_pragma=busy_timeout(%d)", s.opt.BusyTimeout.Milliseconds()),
		"_pragma=query_only(1)", "_pragma=temp_store(MEMORY)", "_pragma=cache_size(-4000)",
	}
	if s.opt.ReadOnly {
		s.frozen.Store(s.mustFreeze())
	}
	if s.frozen.Load() {
		params = append(params, "immutable=1")
	}
	return openConn(ctx, dsn(s.opt.Path, params...))
}

func (s *SQLite) startReading(ctx context.Context) error {
	c, err := s.readers.take(ctx)
	if err != nil {
		return explain("open the database read-only", err)
	}
	err = s.inspect(c)
	s.readers.put(c, err == nil)
	return err
}

func (s *SQLite) inspect(c *conn) error {
	v, err := schemaOf(c)
	if err != nil {
		return err
	}
	if v < Version {
		return model.Errorf(model.CodeSchema, "the database has schema %d and this program needs %d", v, Version).
			WithHint("open it once without --read-only, or run binnacle queue migrate")
	}
	return s.readEpoch(c)
}

// mustFreeze says whether the database can only be read as immutable.
func (s *SQLite) mustFreeze() bool {
	return unix.Access(filepath.Dir(s.opt.Path), unix.W_OK) != nil && !s.hasWAL()
}

func (s *SQLite) hasWAL() bool {
	_, err := os.Lstat(s.opt.Path + "-wal")
	return !errors.Is(err, fs.ErrNotExist)
}

// thaw goes over to shared reading when somebody has opened the database for
// writing.
func (s *SQLite) thaw() {
	if s.hasWAL() && s.frozen.CompareAndSwap(true, false) {
		s.readers.dropIdle()
	}
}
