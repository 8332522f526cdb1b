package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"

	"binnacle/backend/parts"
	"binnacle/backend/store"
	"binnacle/backend/store/sqlite"
	"binnacle/backend/store/storetest"
	"binnacle/backend/workspace"
	"binnacle/model"
)

func open(t testing.TB, path string, clock model.Clock) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(context.Background(), sqlite.Options{Parts: parts.All(), Path: path, Clock: clock})
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

func TestContract(t *testing.T) {
	storetest.Run(t, storetest.Harness{
		New: func(t testing.TB, clock model.Clock) store.Store {
			return open(t, filepath.Join(t.TempDir(), workspace.Database), clock)
		},
		Again: func(t testing.TB, s store.Store, clock model.Clock) store.Store {
			return open(t, s.(*sqlite.Store).Path(), clock)
		},
	})
}
