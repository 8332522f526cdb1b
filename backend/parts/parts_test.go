package parts_test

import (
	"context"
	"database/sql"
	_ "embed"
	"path/filepath"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver that makes the old database

	"binnacle/backend/coord"
	"binnacle/backend/ledger"
	"binnacle/backend/ledger/verify"
	"binnacle/backend/parts"
	"binnacle/backend/queue"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/backend/workspace"
	"binnacle/model"
	"binnacle/model/note"
	"binnacle/model/session"
)

// schema1 is a database of the first schema as its program left it: three
// directives, one of them taken, claimed work, a signal, and a session.
//
//go:embed testdata/schema1.sql
var schema1 string

func oldDatabase(t *testing.T) store.Store {
	t.Helper()
	path := filepath.Join(t.TempDir(), workspace.Database)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(schema1); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := storetest.OpenAt(path, storetest.Options{Parts: parts.All()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestADatabaseOfTheFirstSchema: its records are made anew from its events, and
// what was claimed knows no boot: the lease ends by the clock on the wall.
func TestADatabaseOfTheFirstSchema(t *testing.T) {
	ctx := context.Background()
	s := oldDatabase(t)
	l := ledger.Open(s, ledger.Options{})
	v, err := verify.Run(ctx, l.Store(), verify.Options{})
	if err != nil || !v.OK {
		t.Fatalf("%+v, %v", v, err)
	}
	err = s.Read(ctx, func(r store.Reader) error {
		d, err := queue.Directives.Get(r, "3")
		if err != nil {
			return err
		}
		w, err := ledger.Work.Get(r, "job")
		if err != nil {
			return err
		}
		if d.Body != "third" || d.Term() != (model.Lease{Until: d.LeaseUntil}) || w.Term() != (model.Lease{Until: w.LeaseUntil}) {
			t.Errorf("the records are %+v and %+v", d, w)
		}
		for until, lapsed := range map[model.Time]func(model.Reading) bool{d.LeaseUntil: d.Lapsed, w.LeaseUntil: w.Lapsed} {
			at := model.Reading{Boot: "b", Awake: time.Hour, Wall: until - 1}
			if lapsed(at) {
				t.Error("it ran out before its time")
			}
			if at.Wall++; !lapsed(at) {
				t.Error("it did not run out")
			}
		}
		if d, err = queue.Directives.Get(r, "2"); err != nil || len(d.BlockedBy) != 1 || d.Status != "deferred" {
			t.Errorf("the blocked one is %+v, %v", d, err)
		}
		if g, err := ledger.Signals.Get(r, "disk"); err != nil || g.State != model.SignalPending {
			t.Errorf("the signal is %+v, %v", g, err)
		}
		c, err := coord.Sessions.Get(r, session.Key("claude-code", "s1"))
		if err != nil || c.State != session.Working || c.FirstSeq >= c.LastSeq {
			t.Errorf("the session is %+v, %v", c, err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestEmitMovesNoRecord: an event that would move another engine's record is
// refused, and one beside it is not.
func TestEmitMovesNoRecord(t *testing.T) {
	l := ledger.Open(oldDatabase(t), ledger.Options{})
	e := ledger.EmitRequest{Topic: note.TopicText, Kind: model.KindNote, Payload: []byte(`{"text":"x"}`)}
	if _, err := l.Emit(context.Background(), e); model.CodeOf(err) != model.CodeInvalid || model.HintOf(err) == "" {
		t.Errorf("%v", err)
	}
	if _, err := l.EmitBatch(context.Background(), []ledger.EmitRequest{e}); model.CodeOf(err) != model.CodeInvalid {
		t.Errorf("%v", err)
	}
	e.Topic = "note"
	if _, err := l.Emit(context.Background(), e); err != nil {
		t.Error(err)
	}
}
