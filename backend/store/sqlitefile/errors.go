package sqlitefile

import (
	"errors"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"binnacle/backend/store"
	"binnacle/model"
)

// resultCode returns SQLite's primary result code of err, or 0 when err is not
// SQLite's.
func resultCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code() & 0xff
	}
	return 0
}

// LacksRoom says whether SQLite could not make a file as large as it needs: the
// database, its log, or the log's index. Of a limit on the size of files it only
// tells that a write failed.
func LacksRoom(err error) bool {
	var e *sqlite.Error
	if !errors.As(err, &e) {
		return false
	}
	switch e.Code() {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR_SHMSIZE:
		return true
	case sqlite3.SQLITE_IOERR_WRITE:
		_, limited := fileSizeLimit()
		return limited
	}
	return false
}

// DeletedTwice says whether two processes found the log of another database
// beside an empty one, and this one was the later in removing it. SQLite calls
// that an error of the disk.
func DeletedTwice(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code() == sqlite3.SQLITE_IOERR_DELETE_NOENT
}

// IsBusy says whether another connection's lock made err.
func IsBusy(err error) bool {
	rc := resultCode(err)
	return rc == sqlite3.SQLITE_BUSY || rc == sqlite3.SQLITE_LOCKED
}

// EndsTransaction says whether SQLite may have rolled back the whole
// transaction by itself, so that nothing of it may be built upon.
func EndsTransaction(err error) bool {
	switch resultCode(err) {
	case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED,
		sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CANTOPEN,
		sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_ABORT:
		return true
	}
	return false
}

// Explain is store.Explain for errors of SQLite, also for those that an engine
// passed on with what it was doing (store.Fault).
func Explain(doing string, err error) error {
	var fault *store.Fault
	if errors.As(err, &fault) && resultCode(fault.Err) != 0 {
		doing, err = fault.Doing, fault.Err
	}
	var known *model.Error
	if errors.As(err, &known) {
		return err
	}
	if LacksRoom(err) {
		return noSpace(doing, err)
	}
	switch resultCode(err) {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		return model.Errorf(model.CodeBusy, "can't %s: another process holds the database's lock (%w)", doing, err).
			WithHint("try again; if it lasts, look for a program that keeps a transaction open")
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH:
		return model.Errorf(model.CodeReadOnly, "can't %s: the database can't be written (%w)", doing, err)
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return model.Errorf(model.CodeCorrupt, "can't %s: a page of the database file is damaged (%w)", doing, err).
			WithHint("binnacle ledger verify names the first event that can't be read; binnacle ledger restore FILE brings a backup back")
	case sqlite3.SQLITE_CANTOPEN:
		if open, limit, ok := openFiles(); ok && open+fewFiles > limit {
			return model.Errorf(model.CodeInternal, "can't %s: this process may have no more than %d files open (%w)", doing, limit, err).
				WithHint("raise the limit with ulimit -n")
		}
	case sqlite3.SQLITE_IOERR:
		return model.Errorf(model.CodeInternal, "can't %s: the disk refused to read or write the database (%w)", doing, err).
			WithHint("look at the system's log for faults of the disk; binnacle ledger backup FILE makes a copy elsewhere")
	}
	return store.Explain(doing, err)
}

func noSpace(doing string, err error) error {
	if limit, limited := fileSizeLimit(); limited && resultCode(err) == sqlite3.SQLITE_IOERR {
		return model.Errorf(model.CodeNoSpace, "can't %s: files of this process may not grow past %d bytes (%w)", doing, limit, err).
			WithHint("nothing was written; raise the limit with ulimit -f and try again")
	}
	return store.DiskFull(doing, err)
}

// fewFiles is how many files SQLite and we hold for a connection, at most: those of
// one that failed are closed before anybody can count them.
const fewFiles = 8
