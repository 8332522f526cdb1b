package backend_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"testing"

	"binnacle/backend/workspace"
	"binnacle/model"
	"binnacle/model/desk"
)

// An edit by another hand under a running workspace takes ✓ away, though nobody
// writes an event afterwards.
func TestAnEditUnderARunningWorkspaceIsFound(t *testing.T) {
	dir := place(t)
	b := open(t, dir, nil)
	for range 3 {
		emit(t, b, model.KindNote, `{"text":"x"}`)
	}
	if err := b.Close(); err != nil { // empties the log
		t.Fatal(err)
	}
	b = open(t, dir, nil)
	b.Run(context.Background())
	until(t, b, "the first verification", func(s desk.Snapshot) bool {
		return s.Verified.State == desk.VerifyOK && s.Verified.Seq == 3
	})
	// A process that does not verify knows how the last walk ended.
	other := open(t, dir, nil)
	if w := other.LastWalk(); w == nil || w.State != desk.VerifyOK || w.Seq != 3 || w.Whole == 0 || w.Epoch != b.Store.Epoch() {
		t.Fatalf("the last walk is %+v", w)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, workspace.Database))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`UPDATE events SET payload = '{"text":"y"}' WHERE seq = 2`); err != nil {
		t.Fatal(err)
	}
	s := until(t, b, "the finding", func(s desk.Snapshot) bool { return s.Verified.State == desk.VerifyFailed })
	if s.Verified.At != 2 {
		t.Fatalf("%+v", s.Verified)
	}
	if w := other.LastWalk(); w == nil || w.State != desk.VerifyFailed || w.Finding != s.Verified.Finding {
		t.Fatalf("the last walk is %+v", w)
	}
	if _, err := db.Exec(`UPDATE events SET payload = '{"text":"x"}' WHERE seq = 2`); err != nil {
		t.Fatal(err)
	}
	until(t, b, "the mended ledger", func(s desk.Snapshot) bool { return s.Verified.State == desk.VerifyOK })
	if w := other.LastWalk(); w == nil || w.State != desk.VerifyOK || w.Finding != "" {
		t.Fatalf("the last walk is %+v", w)
	}
}
