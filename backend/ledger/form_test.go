package ledger_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"binnacle/backend/ledger"
	"binnacle/backend/parts"
	"binnacle/backend/store"
	"binnacle/model"
)

// A ledger that lost its epoch is refused by whoever does not come to mend it:
// an empty epoch would make every cursor fit. Rebuild gives it a new one.
func TestALostEpochIsNeverEmpty(t *testing.T) {
	ctx := context.Background()
	for _, text := range []string{`DELETE FROM meta`, `UPDATE meta SET value = '' WHERE name = 'epoch'`} {
		f := open(t)
		furnish(t, f)
		was := f.store.Epoch()
		tamper(t, f.path, text)
		err := f.store.Read(ctx, func(r store.Reader) error { return nil })
		wantCode(t, err, model.CodeCorrupt)
		if f.store.Epoch() != was {
			t.Errorf("%s: the epoch became %q", text, f.store.Epoch())
		}
		_, err = store.Open(ctx, store.Options{Parts: parts.All(), Path: f.path, Clock: f.clock.Read})
		wantCode(t, err, model.CodeCorrupt)
		if !strings.Contains(err.Error(), "lost its epoch") {
			t.Error(err)
		}

		s, err := store.Open(ctx, store.Options{Parts: parts.All(), Path: f.path, Clock: f.clock.Read, Mend: true})
		if err != nil {
			t.Fatal(err)
		}
		l := ledger.Open(s, ledger.Options{Clock: f.clock.Read})
		v, err := l.Verify(ctx, ledger.VerifyOptions{})
		if err != nil || v.Finding == nil || v.Finding.What != ledger.WhatSchema || !strings.Contains(v.Finding.Message, "meta") {
			t.Fatalf("%+v %v", v.Finding, err)
		}
		if _, err := l.Rebuild(ctx, nil); err != nil {
			t.Fatal(err)
		}
		if s.Epoch() == "" || s.Epoch() == was {
			t.Errorf("the epoch after the rebuild is %q, and was %q", s.Epoch(), was)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		f.good()
	}
}

// What SQLite keeps for itself is no fault; a table of an engine's own without
// its index is one.
func TestVerifyKnowsTheTablesOfOthers(t *testing.T) {
	ctx := context.Background()
	c := newClock()
	seas := store.Part{Tables: []store.Table{{Name: "seas", Make: []string{`CREATE TABLE seas (name TEXT)`, `CREATE INDEX seas_name ON seas (name)`}}}}
	s, err := store.Open(ctx, store.Options{Parts: store.NewParts(ledger.Part(), seas), Path: filepath.Join(t.TempDir(), "binnacle.db"), Clock: c.Read})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	l := ledger.Open(s, ledger.Options{Clock: c.Read})
	says := func() string {
		t.Helper()
		v, err := l.Verify(ctx, ledger.VerifyOptions{})
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
	tamper(t, s.Path(), `ANALYZE`)
	if got := says(); got != "" {
		t.Fatal(got)
	}
	tamper(t, s.Path(), `DROP INDEX seas_name`)
	if got := says(); got != "the index seas_name of the table seas is missing" {
		t.Fatal(got)
	}
}
