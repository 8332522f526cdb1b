package sqlite_test

import (
	"context"
	"testing"

	"binnacle/backend/parts"
	"binnacle/backend/store/sqlite"
	"binnacle/backend/store/storetest"
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

func TestContract(t *testing.T) { storetest.Run(t, parts.All()) }
