package store_test

import (
	"context"
	"path/filepath"
	"testing"

	"binnacle/backend/parts"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/model"
)

func open(t testing.TB, path string, clock model.Clock) *store.SQLite {
	t.Helper()
	s, err := store.Open(context.Background(), store.Options{Parts: parts.All(), Path: path, Clock: clock})
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
			return open(t, filepath.Join(t.TempDir(), store.Database), clock)
		},
		Again: func(t testing.TB, s store.Store, clock model.Clock) store.Store {
			return open(t, s.(*store.SQLite).Path(), clock)
		},
	})
}
