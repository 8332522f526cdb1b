package store

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"modernc.org/sqlite"
)

// This file keeps the write-ahead log and its index beside the database, and
// keeps other databases' logs away from it.

// keepLog makes the log and its index stay when the last connection closes, the
// log emptied. So whoever opens the database when the disk is full finds both,
// and can read.
func keepLog(c *conn) error {
	return c.sql.Raw(func(d any) error {
		_, err := d.(sqlite.FileControl).FileControlPersistWAL("main", 1)
		return err
	})
}

// ownIndex is the parameter of a connection that keeps the log's index in its
// own memory where nobody else has the database open, for there is no room for
// the file; SQLite does so when it may not write the index. It notices a writer
// that comes, and keeps checkpoints out while it reads. There must be a file,
// if an empty one.
func ownIndex(path string) string {
	if f, err := os.OpenFile(path+"-shm", os.O_CREATE|os.O_RDONLY, 0o600); err == nil {
		_ = f.Close()
	}
	return "readonly_shm=1"
}

// foreignLog says whether the log beside the database at path can't be its own:
// it holds something, and the database is not in WAL mode, as a backup is that
// was put in the place of another database. A database goes over to WAL mode
// before its log is begun, so the log is looked at first.
func foreignLog(path string) bool {
	if empty(path + "-wal") {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	var head [20]byte
	if _, err := io.ReadFull(f, head[:]); err != nil {
		return false // SQLite drops the log of an empty database itself
	}
	return string(head[:15]) == "SQLite format 3" && head[18] == 1
}

// dropForeignLog removes a log that SQLite would replay into a database that it
// does not belong to. Who only reads leaves it, and doesn't look into it.
func dropForeignLog(o Options) error {
	if o.ReadOnly || !foreignLog(o.Path) {
		return nil
	}
	say(o, "%s-wal was the log of another database that stood here before; it is removed", o.Path)
	return removeLog(o.Path)
}

// DropForeignLog removes the log beside the file at path, which nobody uses, if
// it can't be its own.
func DropForeignLog(path string) error { return dropForeignLog(Options{Path: path}.withDefaults()) }

// removeLog removes what is beside a database that is not there, or not theirs.
func removeLog(path string) error {
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return explain("remove "+path+suffix, err)
		}
	}
	return nil
}

// createDatabase makes the empty file, after what a deleted database left
// beside it is gone. The lock keeps a second maker from taking the first one's
// log away.
func createDatabase(o Options) error {
	ctx, cancel := context.WithTimeout(context.Background(), max(o.BusyTimeout, time.Second))
	defer cancel()
	lock, err := WaitLock(ctx, o.Path+lockSuffix, nil)
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }()
	if _, err := os.Lstat(o.Path); err == nil {
		return nil // another process was faster
	}
	if err := removeLog(o.Path); err != nil {
		return err
	}
	return createFile(o.Path)
}
