package sqlite_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"binnacle/backend/parts"
	"binnacle/backend/store"
	"binnacle/backend/store/sqlite"
	"binnacle/backend/store/storetest"
	"binnacle/backend/workspace"
	"binnacle/model"
)

// oldLog makes a ledger of some events, a backup of it, and then more events
// whose log is left as a killed process leaves it. It returns the backup.
func oldLog(t *testing.T, path string) string {
	t.Helper()
	s := open(t, path, nil)
	ctx := context.Background()
	add := func(from, to int) {
		for i := from; i < to; i++ {
			if _, err := s.Append(ctx, []model.Draft{profile(i)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	add(0, 3)
	backup := path + ".copy"
	if err := s.Backup(ctx, backup); err != nil {
		t.Fatal(err)
	}
	add(3, 60)
	log, err := os.ReadFile(path + "-wal")
	if err != nil || len(log) == 0 {
		t.Fatalf("a log of %d bytes, %v", len(log), err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"-wal", log, 0o600); err != nil {
		t.Fatal(err)
	}
	return backup
}

func headOf(t *testing.T, s store.Store) int64 {
	t.Helper()
	return storetest.CheckWhole(t, s).Head.Seq
}

// A backup that is put in the place of a database, beside that database's log,
// is what it is: the log is not replayed into it.
func TestLogOfAnotherDatabase(t *testing.T) {
	for _, readOnly := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), workspace.Database)
		if err := os.Rename(oldLog(t, path), path); err != nil {
			t.Fatal(err)
		}
		s, err := sqlite.Open(context.Background(), sqlite.Options{Parts: parts.All(), Path: path, ReadOnly: readOnly})
		if err != nil {
			t.Fatal(err)
		}
		if got := headOf(t, s); got != 3 {
			t.Errorf("read-only %v: head %d, want the backup's 3", readOnly, got)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// A new database beside a deleted one's log is empty, and several may make it at
// once.
func TestLogOfDeletedDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), workspace.Database)
	oldLog(t, path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	errs := make(chan error, 4)
	for range cap(errs) {
		go func() {
			s, err := sqlite.Open(context.Background(), sqlite.Options{Parts: parts.All(), Path: path})
			if err == nil {
				_, err = s.Append(context.Background(), []model.Draft{profile(1)})
				if e := s.Close(); err == nil {
					err = e
				}
			}
			errs <- err
		}()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if got := headOf(t, open(t, path, nil)); got != int64(cap(errs)) {
		t.Errorf("head %d, want %d", got, cap(errs))
	}
}
