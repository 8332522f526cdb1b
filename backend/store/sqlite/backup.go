package sqlite

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"modernc.org/sqlite"

	"binnacle/backend/scratch"
	"binnacle/backend/store"
	"binnacle/backend/store/segment"
	"binnacle/backend/store/sqlitefile"
	"binnacle/backend/workspace"
	"binnacle/model"
	"binnacle/model/clean"
)

// newEpoch names an incarnation of a ledger: 8 hex digits.
func newEpoch() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// Backup copies the database, WAL pages included, to a new file at path, while
// others go on reading and writing. The copy is checked before it gets its
// name, so a file of that name is a whole database, sealed events included. Its
// mode is 0600. A file that is there already is refused.
func (s *Store) Backup(ctx context.Context, path string) error {
	return backupFile(ctx, s.opt.Path, path, s.opt.archive)
}

// backupFile makes a checked copy. With the archive given, the copy brings the
// files of sealed events with it; without, it is for the same workspace.
func backupFile(ctx context.Context, from, to string, with *segment.Folder) error {
	if _, err := os.Lstat(to); err == nil {
		return model.Errorf(model.CodeRefused, "%s exists already", to).WithHint("name a file that is not there")
	}
	work, err := scratch.NewFolder(filepath.Dir(to), "copy")
	if err != nil {
		return sqlitefile.Explain("write the backup", err)
	}
	defer func() { _ = work.Remove() }()
	temp := filepath.Join(work.Path(), workspace.Database)
	if err := copyDatabase(ctx, from, temp); err != nil {
		return err
	}
	if with != nil {
		if err := packInto(ctx, temp, with); err != nil {
			return err
		}
	}
	if err := CheckFile(ctx, temp); err != nil {
		return err
	}
	return sqlitefile.Explain("write the backup", publish(temp, to))
}

// publish makes the checked file durable and gives it its name, unless the name
// was taken meanwhile.
func publish(temp, to string) error {
	if err := syncPath(temp); err != nil {
		return err
	}
	if err := scratch.Publish(temp, to); err != nil {
		return err
	}
	return syncPath(filepath.Dir(to))
}

// syncPath flushes a file or a folder. No connection to it is open: closing
// another descriptor of an open database would drop its locks.
func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	err = f.Sync()
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// backupPages is how many pages are copied between looks at the context. A
// copy in steps starts over when somebody writes in between, so the source is
// pinned by a read transaction, in which the steps see one instant.
const backupPages = 1024

// copyDatabase makes a copy at to, where nothing is.
func copyDatabase(ctx context.Context, from, to string) error {
	if err := createFile(to); err != nil {
		return err
	}
	c, err := openConn(ctx, nil, dsn(from, "mode=ro", "_pragma=busy_timeout(10000)", "_pragma=query_only(1)"))
	if err != nil {
		return sqlitefile.Explain("read the database", err)
	}
	defer func() { _ = c.close() }()
	if err := c.exec(stmtBeginRead); err != nil {
		return sqlitefile.Explain("read the database", err)
	}
	if _, err := pragmaInt(c, stmtTables); err != nil {
		return sqlitefile.Explain("read the database", err)
	}
	err = c.sql.Raw(func(d any) error {
		b, err := d.(interface {
			NewBackup(string) (*sqlite.Backup, error)
		}).NewBackup(dsn(to, "mode=rw"))
		if err != nil {
			return err
		}
		err = stepThrough(ctx, b)
		if e := b.Finish(); err == nil {
			err = e
		}
		return err
	})
	if err != nil {
		return sqlitefile.Explain("copy the database", err)
	}
	return sqlitefile.Explain("copy the database", setJournal(ctx, to))
}

func stepThrough(ctx context.Context, b *sqlite.Backup) error {
	for {
		more, err := b.Step(backupPages)
		if err != nil {
			return err
		}
		if !more {
			return nil
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// setJournal takes the copy out of WAL mode, so that it is one file; opening
// it for writing brings the mode back.
func setJournal(ctx context.Context, path string) error {
	c, err := openConn(ctx, nil, dsn(path, "mode=rw"))
	if err != nil {
		return err
	}
	err = c.run(ctx, "PRAGMA journal_mode = DELETE")
	if e := c.close(); err == nil {
		err = e
	}
	return err
}

// CheckFile runs SQLite's integrity check on the database at path, which is
// not changed. CodeCorrupt with what it found.
func CheckFile(ctx context.Context, path string) error {
	c, err := openConn(ctx, nil, dsn(path, "mode=ro", "_pragma=busy_timeout(10000)", "_pragma=query_only(1)"))
	if err != nil {
		return sqlitefile.Explain("open "+path, err)
	}
	defer func() { _ = c.close() }()
	rows, err := c.sql.QueryContext(ctx, "PRAGMA integrity_check(10)")
	if err != nil {
		return sqlitefile.Explain("check "+path, err)
	}
	defer func() { _ = rows.Close() }()
	var found []string
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			return sqlitefile.Explain("check "+path, err)
		}
		if line != "ok" {
			found = append(found, line)
		}
	}
	if err := rows.Err(); err != nil {
		return sqlitefile.Explain("check "+path, err)
	}
	if len(found) > 0 {
		return model.Errorf(model.CodeCorrupt, "%s is damaged: %s", path, clean.Line(fmt.Sprint(found)))
	}
	return nil
}

// IsCopy implements store.Copier: an empty file would be taken for a ledger without
// events.
func (s *Store) IsCopy(path string) (bool, error) {
	database, _, err := sqlitefile.Header(path)
	return database, err
}

// CheckCopy implements store.Copier.
func (s *Store) CheckCopy(ctx context.Context, path string) error { return CheckFile(ctx, path) }

// OpenCopy implements store.Copier.
func (s *Store) OpenCopy(ctx context.Context, path string, readOnly bool) (store.Store, error) {
	c, err := Open(ctx, Options{Path: path, Parts: s.opt.Parts, ReadOnly: readOnly, Clock: s.opt.Clock, Mend: true, Archive: s.opt.Archive})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// Restore replaces the whole content of the open database by that of the
// database at path, atomically for every process that has it open, and renews
// the epoch, so that readers with a cursor of the former ledger notice. The
// file at path is only read. Whether it may be overwritten is the ledger's
// question.
func (s *Store) Restore(ctx context.Context, path string) error {
	if s.commits == nil {
		return s.refuse()
	}
	// The copy gets the new epoch and our schema before it goes in.
	work, err := scratch.NewFolder(filepath.Dir(s.opt.Path), "restore")
	if err != nil {
		return sqlitefile.Explain("prepare the restored database", err)
	}
	defer func() { _ = work.Remove() }()
	temp := filepath.Join(work.Path(), workspace.Database)
	if err := copyDatabase(ctx, path, temp); err != nil {
		return err
	}
	if err := CheckFile(ctx, temp); err != nil {
		return err
	}
	if err := renewEpoch(ctx, s.opt, temp); err != nil {
		return err
	}
	err = s.commits.alone(ctx, func(c *conn) error {
		err := c.sql.Raw(func(d any) error {
			b, err := d.(interface {
				NewRestore(string) (*sqlite.Backup, error)
			}).NewRestore(dsn(temp, "mode=ro"))
			if err != nil {
				return err
			}
			err = stepAtOnce(b, s.opt.BusyTimeout)
			if e := b.Finish(); err == nil {
				err = e
			}
			return err
		})
		if err != nil {
			return sqlitefile.Explain("restore the database", err)
		}
		if err := s.readEpoch(c); err != nil {
			return err
		}
		h, err := readHead(ctx, c)
		if err == nil {
			s.hub.replace(h)
		}
		return sqlitefile.Explain("restore the database", err)
	})
	if err != nil {
		return err
	}
	return s.unpackRestored(ctx)
}

// stepAtOnce copies all in one transaction, as soon as no other process writes.
func stepAtOnce(b *sqlite.Backup, wait time.Duration) error {
	deadline := time.Now().Add(wait)
	for tries := 0; ; tries++ {
		_, err := b.Step(-1)
		if !sqlitefile.IsBusy(err) || time.Now().After(deadline) {
			return err
		}
		time.Sleep(backOff(tries))
	}
}

func renewEpoch(ctx context.Context, o Options, path string) error {
	c, err := openFor(ctx, o, dsn(path, "mode=rw"))
	if err != nil {
		return sqlitefile.Explain("prepare the restored database", err)
	}
	defer func() { _ = c.close() }()
	v, err := schemaOf(c)
	if err != nil {
		return err
	}
	if v == 0 {
		return model.Errorf(model.CodeInvalid, "the file holds no ledger")
	}
	if err := c.exec(stmtBegin); err != nil {
		return sqlitefile.Explain("prepare the restored database", err)
	}
	for _, m := range migrations() {
		if m.to > v {
			if err := m.apply(ctx, c, o); err != nil {
				return sqlitefile.Explain("migrate the restored database", err)
			}
		}
	}
	if err := fit(ctx, c, o); err != nil {
		return sqlitefile.Explain("migrate the restored database", err)
	}
	for _, text := range []string{
		fmt.Sprintf("PRAGMA user_version = %d", Version),
		"INSERT OR REPLACE INTO meta (name, value) VALUES ('epoch', '" + newEpoch() + "')",
	} {
		if err := c.run(ctx, text); err != nil {
			return sqlitefile.Explain("prepare the restored database", err)
		}
	}
	return sqlitefile.Explain("prepare the restored database", c.exec(stmtCommit))
}
