package backend_test

import (
	"context"
	"database/sql"
	"testing"

	"binnacle/model"
)

// An edit by another hand under a running workspace takes ✓ away, though nobody
// writes an event afterwards.
func TestAnEditUnderARunningWorkspaceIsFound(t *testing.T) {
	path := place(t)
	b := open(t, path, nil)
	for range 3 {
		emit(t, b, model.KindNote, `{"text":"x"}`)
	}
	if err := b.Close(); err != nil { // empties the log
		t.Fatal(err)
	}
	b = open(t, path, nil)
	b.Run(context.Background())
	until(t, b, "the first verification", func(s model.Snapshot) bool {
		return s.Verified.State == model.VerifyOK && s.Verified.Seq == 3
	})
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`UPDATE events SET payload = '{"text":"y"}' WHERE seq = 2`); err != nil {
		t.Fatal(err)
	}
	s := until(t, b, "the finding", func(s model.Snapshot) bool { return s.Verified.State == model.VerifyFailed })
	if s.Verified.At != 2 {
		t.Fatalf("%+v", s.Verified)
	}
}
