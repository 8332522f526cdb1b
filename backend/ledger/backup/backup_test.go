package backup_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"binnacle/backend/ledger"
	"binnacle/backend/ledger/backup"
	"binnacle/backend/ledger/ledgertest"
	"binnacle/backend/ledger/query"
	"binnacle/backend/store/storetest"
	"binnacle/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestBackupAndRestore(t *testing.T) {
	f := ledgertest.Open(t)
	ctx := context.Background()
	f.Furnish()
	path := filepath.Join(t.TempDir(), "copy.db")
	rep, err := backup.Create(ctx, f.Ledger, path)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 || info.Size() != rep.Bytes || rep.Events != 59 || rep.Head.Seq != 59 {
		t.Fatalf("%+v %v", rep, err)
	}
	_, err = backup.Create(ctx, f.Ledger, path)
	ledgertest.WantCode(t, err, model.CodeRefused)
	record, err := f.Event(ctx, 60)
	if err != nil || record.Kind != model.KindSystem || record.Topic != backup.TopicBackup {
		t.Fatalf("%+v %v", record, err)
	}

	// Nothing but the record of the backup came after it: restoring loses nothing.
	epoch := f.Epoch()
	back, err := backup.Restore(ctx, f.Ledger, path, false)
	if err != nil {
		t.Fatal(err)
	}
	if f.Epoch() == epoch || back.Epoch != f.Epoch() || back.Head.Seq != 59 || back.Replaced.Seq != 60 {
		t.Fatalf("%+v", back)
	}
	if e, err := f.Event(ctx, 60); err != nil || e.Topic != backup.TopicRestore {
		t.Fatalf("%+v %v", e, err)
	}
	f.Good()

	f.Note("new", "new")
	_, err = backup.Restore(ctx, f.Ledger, path, false)
	ledgertest.WantCode(t, err, model.CodeRefused)
	if n, _ := query.Count(ctx, f.Store(), query.Query{Topic: "new"}); n != 1 {
		t.Fatal("a refused restore changed something")
	}
	if _, err := backup.Restore(ctx, f.Ledger, path, true); err != nil {
		t.Fatal(err)
	}
	if n, _ := query.Count(ctx, f.Store(), query.Query{Topic: "new"}); n != 0 {
		t.Fatal("the forced restore kept what is newer")
	}
	f.Good()
	if left := ledgertest.Files(t, filepath.Dir(path)); len(left) != 1 {
		t.Fatalf("left behind: %d files", len(left))
	}
	entries, err := os.ReadDir(filepath.Dir(f.Path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			t.Errorf("left behind: %s", e.Name())
		}
	}
}

func TestRestoreIntoAnEmptyAndAnOlderLedger(t *testing.T) {
	f := ledgertest.Open(t)
	ctx := context.Background()
	f.Notes(10)
	early := filepath.Join(t.TempDir(), "early.db")
	if _, err := backup.Create(ctx, f.Ledger, early); err != nil {
		t.Fatal(err)
	}
	f.Notes(10)
	late := filepath.Join(t.TempDir(), "late.db")
	if _, err := backup.Create(ctx, f.Ledger, late); err != nil {
		t.Fatal(err)
	}
	empty := ledgertest.Open(t)
	for _, path := range []string{early, late} {
		// The record of the first restore stands between, and forks the chain.
		force := path == late
		_, err := backup.Restore(ctx, empty.Ledger, path, false)
		if (err != nil) != force {
			t.Fatalf("%s: %v", path, err)
		}
		if force {
			ledgertest.WantCode(t, err, model.CodeRefused)
		}
	}
	other := ledgertest.Open(t)
	other.Note("else", "another history")
	_, err := backup.Restore(ctx, other.Ledger, late, false)
	ledgertest.WantCode(t, err, model.CodeRefused)
	if _, err := backup.Restore(ctx, other.Ledger, late, true); err != nil {
		t.Fatal(err)
	}
	other.Good()
}

func TestRestoreRefusesWhatDoesNotVerify(t *testing.T) {
	f := ledgertest.Open(t)
	ctx := context.Background()
	f.Furnish()
	path := filepath.Join(t.TempDir(), "copy.db")
	if _, err := backup.Create(ctx, f.Ledger, path); err != nil {
		t.Fatal(err)
	}
	storetest.Tamper(t, path, `UPDATE events SET payload = '{"text":"forged"}' WHERE seq = 3`)
	_, err := backup.Restore(ctx, f.Ledger, path, true)
	ledgertest.WantCode(t, err, model.CodeCorrupt)
	junk := filepath.Join(t.TempDir(), "junk.db")
	if err := os.WriteFile(junk, []byte("not a database at all, but long enough to look at"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := backup.Restore(ctx, f.Ledger, junk, true); err == nil {
		t.Fatal("junk was restored")
	}
	f.Good()

	storetest.Tamper(t, f.Path, `UPDATE events SET topic = 'x' WHERE seq = 4`)
	if _, err := backup.Create(ctx, f.Ledger, filepath.Join(t.TempDir(), "bad.db")); model.CodeOf(err) != model.CodeCorrupt || err == nil {
		t.Fatalf("a damaged ledger was backed up: %v", err)
	}
}

// A subscriber of the former epoch is told so, and a new one goes on.
func TestRestoreEndsSubscriptions(t *testing.T) {
	f := ledgertest.Open(t)
	ctx := context.Background()
	f.Notes(5)
	path := filepath.Join(t.TempDir(), "copy.db")
	if _, err := backup.Create(ctx, f.Ledger, path); err != nil {
		t.Fatal(err)
	}
	s, err := f.Subscribe(ctx, ledger.SubscribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := backup.Restore(ctx, f.Ledger, path, true); err != nil {
		t.Fatal(err)
	}
	told, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for err = nil; err == nil; {
		_, err = s.Next(told)
	}
	ledgertest.WantCode(t, err, model.CodeStale)
	again, err := f.Subscribe(ctx, ledger.SubscribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	e := f.Note("a", "after")
	if items, err := again.Next(told); err != nil || len(items) == 0 || items[0].Event.Seq != e.Seq {
		t.Fatalf("the new subscription got %+v, %v", items, err)
	}
}
