package sqlitefile

import (
	"io"
	"os"

	"binnacle/model"
	"binnacle/model/clean"
)

// Header says what a file's first bytes tell: whether it is a SQLite database,
// and whether that is in WAL mode. It opens the file, so it is for files that this
// process has not open as a database: closing one drops its locks where they
// belong to the process.
func Header(path string) (database, wal bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return false, false, Explain("open "+clean.Line(path), err)
	}
	defer func() { _ = f.Close() }()
	var head [20]byte
	if _, err := io.ReadFull(f, head[:]); err != nil || string(head[:16]) != "SQLite format 3\x00" {
		return false, false, nil
	}
	return true, head[18] == 2, nil
}

// AtRest says whether the database at path is in WAL mode with nothing in its log:
// then nobody runs on it, and it can be read without leaving a lock file behind.
// CodeInvalid when it is no database.
func AtRest(path string) (bool, error) {
	database, wal, err := Header(path)
	if err != nil {
		return false, err
	}
	if !database {
		return false, model.Errorf(model.CodeInvalid, "%s is not an SQLite database", clean.Line(path))
	}
	return wal && Empty(path+"-wal"), nil
}

// Empty says whether a file has nothing in it, or is not there.
func Empty(path string) bool {
	info, err := os.Lstat(path)
	return err != nil || info.Size() == 0
}
