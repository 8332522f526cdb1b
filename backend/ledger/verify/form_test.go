package verify_test

import (
	"context"
	"testing"

	"binnacle/backend/clock/clocktest"
	"binnacle/backend/ledger"
	"binnacle/backend/ledger/ledgertest"
	"binnacle/backend/ledger/verify"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
)

// What SQLite keeps for itself is no fault; a table of an engine's own without
// its index is one.
func TestVerifyKnowsTheTablesOfOthers(t *testing.T) {
	ctx := context.Background()
	c := clocktest.New(ledgertest.Start)
	seas := store.Part{Tables: []store.Table{{Name: "seas", Make: []string{`CREATE TABLE seas (name TEXT)`, `CREATE INDEX seas_name ON seas (name)`}}}}
	place := storetest.Place(t)
	s, err := storetest.OpenAt(place, storetest.Options{Parts: store.NewParts(ledger.Part(), seas), Clock: c.Read})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l := ledger.Open(s, ledger.Options{Clock: c.Read})
	says := func() string {
		t.Helper()
		v, err := verify.Run(ctx, l.Store(), verify.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if v.Finding == nil {
			return ""
		}
		return v.Finding.Message
	}
	if got := says(); got != "" {
		t.Fatal(got)
	}
	storetest.Tamper(t, place, `ANALYZE`)
	if got := says(); got != "" {
		t.Fatal(got)
	}
	storetest.Tamper(t, place, `DROP INDEX seas_name`)
	if got := says(); got != "the index seas_name of the table seas is missing" {
		t.Fatal(got)
	}
}
