package storetest

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"binnacle/backend/store"
	"binnacle/backend/store/sqlite"
	"binnacle/model"
)

// Env chooses the implementation that the engines' tests run on, by its name. The
// only one is "sqlite", which is also meant where the variable is not set.
const Env = "BINNACLE_TEST_STORE"

// Options say how OpenAt opens a store.
type Options struct {
	Parts    *store.Parts // what the engines keep; nil is nothing
	Clock    model.Clock  // nil: the machine's
	ReadOnly bool
	Mend     bool // also a ledger that has lost its epoch
}

// Place makes room for one database, which goes with the test, and returns where
// it is. Any number of stores, of this process and of others, may be opened there.
func Place(t testing.TB) string {
	t.Helper()
	if name := os.Getenv(Env); name != "" && name != "sqlite" {
		t.Fatalf("there is no store %q to test on", name)
	}
	return filepath.Join(t.TempDir(), "binnacle.db")
}

// OpenAt opens a store at a place. The caller closes it.
func OpenAt(place string, o Options) (store.Store, error) {
	s, err := sqlite.Open(context.Background(), sqlite.Options{Path: place, Parts: o.Parts, Clock: o.Clock, ReadOnly: o.ReadOnly, Mend: o.Mend})
	if err != nil {
		return nil, err
	}
	return s, nil
}

func open(t testing.TB, place string, o Options) store.Store {
	t.Helper()
	s, err := OpenAt(place, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// Tamper changes the database at a place behind the store's back.
func Tamper(t testing.TB, place string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+place+"?_pragma=busy_timeout(10000)")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}
