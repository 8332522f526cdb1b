package sqlite

import (
	"errors"
	"io/fs"
	"os"

	"modernc.org/sqlite"

	"binnacle/backend/store/sqlitefile"
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
	if sqlitefile.Empty(path + "-wal") {
		return false
	}
	database, wal, err := sqlitefile.Header(path)
	return err == nil && database && !wal // SQLite drops the log of an empty file itself
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

// removeLog removes what lies beside a database.
func removeLog(path string) error {
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return sqlitefile.Explain("remove "+path+suffix, err)
		}
	}
	return nil
}
