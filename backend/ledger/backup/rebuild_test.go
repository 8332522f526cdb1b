package backup_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"binnacle/backend/ledger"
	"binnacle/backend/ledger/backup"
	"binnacle/backend/ledger/ledgertest"
	"binnacle/backend/ledger/query"
	"binnacle/backend/ledger/verify"
	"binnacle/backend/parts"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/model"
)

// A ledger that lost its epoch is refused by whoever does not come to mend it:
// an empty epoch would make every cursor fit. Rebuild gives it a new one.
func TestALostEpochIsNeverEmpty(t *testing.T) {
	ctx := context.Background()
	for _, text := range []string{`DELETE FROM meta`, `UPDATE meta SET value = '' WHERE name = 'epoch'`} {
		f := ledgertest.Open(t)
		f.Furnish()
		was := f.Store().Epoch()
		storetest.Tamper(t, f.Path, text)
		err := f.Store().Read(ctx, func(r store.Reader) error { return nil })
		ledgertest.WantCode(t, err, model.CodeCorrupt)
		if f.Store().Epoch() != was {
			t.Errorf("%s: the epoch became %q", text, f.Store().Epoch())
		}
		_, err = storetest.OpenAt(f.Path, storetest.Options{Parts: parts.All(), Clock: f.Clock.Read})
		ledgertest.WantCode(t, err, model.CodeCorrupt)
		if !strings.Contains(err.Error(), "lost its epoch") {
			t.Error(err)
		}

		s, err := storetest.OpenAt(f.Path, storetest.Options{Parts: parts.All(), Clock: f.Clock.Read, Mend: true})
		if err != nil {
			t.Fatal(err)
		}
		l := ledger.Open(s, ledger.Options{Clock: f.Clock.Read})
		v, err := verify.Run(ctx, l.Store(), verify.Options{})
		if err != nil || v.Finding == nil || v.Finding.What != verify.WhatSchema || !strings.Contains(v.Finding.Message, "meta") {
			t.Fatalf("%+v %v", v.Finding, err)
		}
		if _, err := backup.Rebuild(ctx, l, nil); err != nil {
			t.Fatal(err)
		}
		if s.Epoch() == "" || s.Epoch() == was {
			t.Errorf("the epoch after the rebuild is %q, and was %q", s.Epoch(), was)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		f.Good()
	}
}

// Whatever verify names in the form of our tables and rows, rebuild mends, with
// every event as it was.
func TestRebuildMendsTheForm(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		name, names string // what verify says
		spoil       []string
	}{
		{"a trigger", `the trigger "evil" was added to the table events`, []string{`CREATE TRIGGER evil AFTER INSERT ON events BEGIN DELETE FROM planes; END`}},
		{"an index dropped", "the index events_topic of the table events is missing", []string{`DROP INDEX events_topic`}},
		{"an index changed", "the index events_key is not as", []string{`DROP INDEX events_key`, `CREATE UNIQUE INDEX events_key ON events (key, seq)`}},
		{"an index added", `the index "mine" was added`, []string{`CREATE INDEX mine ON signals (holder)`}},
		{"a column added", "the table signals is not as", []string{`ALTER TABLE signals ADD COLUMN colour TEXT`}},
		{"a column added to events", "the table events is not as", []string{`ALTER TABLE events ADD COLUMN colour TEXT`}},
		{"a constraint lost", "the table head is not as", []string{
			`DROP TABLE head`, `CREATE TABLE head (one INTEGER PRIMARY KEY, seq INTEGER, hash TEXT, ts INTEGER)`,
			`INSERT INTO head SELECT 1, seq, hash, ts FROM events ORDER BY seq DESC LIMIT 1`,
		}},
		{"a table dropped", "the table directive_blocks is missing", []string{`DROP TABLE directive_blocks`}},
		{"an empty key", "event 1 was changed in key", []string{`UPDATE events SET key = '' WHERE seq = (SELECT min(seq) FROM events WHERE key IS NULL)`}},
		{"an empty state", "was changed in state", []string{`UPDATE events SET state = '' WHERE state IS NULL`}},
		{"a causation of 0", "was changed in causation", []string{`UPDATE events SET causation = 0 WHERE causation IS NULL`}},
		{"a payload as bytes", "event 7 was changed in payload", []string{`UPDATE events SET payload = CAST(payload AS BLOB) WHERE seq = 7`}},
		{"a hole in checks", "the table checks has no sum of event", []string{`DELETE FROM checks WHERE first = (SELECT first FROM checks LIMIT 1 OFFSET 2)`}},
		{"checks twice", "the table checks has no sum of event", []string{`UPDATE checks SET sums = sums || x'00000000' WHERE first = (SELECT min(first) FROM checks)`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := ledgertest.Open(t)
			f.Furnish()
			before, err := f.Status(ctx)
			if err != nil {
				t.Fatal(err)
			}
			storetest.Tamper(t, f.Path, c.spoil...)
			v, err := verify.Run(ctx, f.Store(), verify.Options{})
			if err != nil || v.Finding == nil || !strings.Contains(v.Finding.Message, c.names) {
				t.Fatalf("verify says %+v, %v; it should say %q", v.Finding, err, c.names)
			}
			if _, err := backup.Rebuild(ctx, f.Ledger, nil); err != nil {
				t.Fatal(err)
			}
			f.Good()
			if e, err := f.Event(ctx, before.Head.Seq); err != nil || e.Hash != before.Head.Hash {
				t.Fatalf("the newest event before is %+v now, %v", e, err)
			}
			if n, err := query.Count(ctx, f.Store(), query.Query{Topic: backup.TopicRebuild}); err != nil || n != 1 {
				t.Fatal(n, err)
			}
			f.Note("after", "it goes on")
			f.Good()
		})
	}
}

// What somebody put beside our tables is theirs: rebuild leaves it and says what
// to do.
func TestRebuildLeavesTheTablesOfOthers(t *testing.T) {
	ctx := context.Background()
	f := ledgertest.Open(t)
	f.Furnish()
	storetest.Tamper(t, f.Path, `CREATE TABLE theirs (x)`, `INSERT INTO theirs VALUES (1)`, `CREATE VIEW look AS SELECT seq FROM events`)
	_, err := backup.Rebuild(ctx, f.Ledger, nil)
	ledgertest.WantCode(t, err, model.CodeCorrupt)
	if !strings.Contains(model.HintOf(err), "theirs to drop") {
		t.Error(model.HintOf(err))
	}
	storetest.Tamper(t, f.Path, `DROP VIEW look`, `DROP TABLE theirs`)
	f.Good()
}

func TestRebuild(t *testing.T) {
	f := ledgertest.Open(t)
	ctx := context.Background()
	f.Furnish()
	storetest.Tamper(t, f.Path, `DELETE FROM signals`, `UPDATE planes SET count = 0`, `UPDATE directives SET lane = 'x'`, `UPDATE work_items SET executor = 'eve'`, `DELETE FROM directive_blocks`)
	if v, err := verify.Run(ctx, f.Store(), verify.Options{}); err != nil || v.OK {
		t.Fatal("the damage does not show")
	}
	if _, err := backup.Rebuild(ctx, f.Ledger, nil); err != nil {
		t.Fatal(err)
	}
	f.Good()
	storetest.Tamper(t, f.Path, `UPDATE events SET topic = 'x' WHERE seq = 4`)
	_, err := backup.Rebuild(ctx, f.Ledger, nil)
	ledgertest.WantCode(t, err, model.CodeCorrupt)
	var e *model.Error
	if !errors.As(err, &e) || e.Hint == "" {
		t.Fatal("no way out is named")
	}
}
