package sqlitefile

import (
	"database/sql"
	"net/url"

	_ "modernc.org/sqlite" // the driver "sqlite"
)

// Open opens another program's database for reading only, on one connection. A
// database in WAL mode whose log is not there has nobody running on it: it is
// opened as immutable, so that not even a lock file appears beside it. CodeInvalid
// when it is no database.
func Open(path string) (*sql.DB, error) {
	quiet, err := AtRest(path)
	if err != nil {
		return nil, err
	}
	q := url.Values{"mode": {"ro"}, "_pragma": {"query_only(1)", "busy_timeout(10000)"}}
	if quiet {
		q.Set("immutable", "1")
	}
	db, err := sql.Open("sqlite", (&url.URL{Scheme: "file", Path: path, RawQuery: q.Encode()}).String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}
