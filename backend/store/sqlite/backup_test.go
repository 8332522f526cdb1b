package sqlite_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"binnacle/backend/store"
	"binnacle/backend/store/sqlite"
	"binnacle/backend/store/storetest"
	"binnacle/backend/workspace"
	"binnacle/model"
)

// A backup that is made while others write is one instant of the ledger.
func TestBackupWhileWriting(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, workspace.Database), nil)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if _, err := appendSomething(ctx, s, "w", w, i); err != nil {
					t.Error(err)
					return
				}
			}
		}()
	}
	to := filepath.Join(dir, "copy.db")
	err := s.Backup(ctx, to)
	close(stop)
	wg.Wait()
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(to)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the backup: %v, %v", info, err)
	}
	if err := s.Backup(ctx, to); model.CodeOf(err) != model.CodeRefused {
		t.Fatalf("a backup over a file: %v", err)
	}
	left, _ := filepath.Glob(filepath.Join(dir, "copy.db?*"))
	if len(left) > 0 {
		t.Fatalf("left behind: %v", left)
	}
	storetest.CheckWhole(t, open(t, to, nil))
	storetest.CheckWhole(t, s)
}

// told waits for a head, at most twenty seconds: one that is never told fails
// the test.
func told(t *testing.T, heads <-chan model.Head) model.Head {
	t.Helper()
	select {
	case h := <-heads:
		return h
	case <-time.After(20 * time.Second):
		t.Fatal("the watch tells of no head")
	}
	return model.Head{}
}

// A restore is seen by every store on the database, with a new epoch.
func TestRestore(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	path, copyPath := filepath.Join(dir, workspace.Database), filepath.Join(dir, "copy.db")
	a := open(t, path, nil)
	b := open(t, path, nil)
	for i := range 10 {
		if _, err := appendSomething(ctx, a, "a", 0, i); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Backup(ctx, copyPath); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(copyPath)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 10 {
		if _, err := appendSomething(ctx, b, "b", 0, i); err != nil {
			t.Fatal(err)
		}
	}
	watchCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	heads := b.Watch(watchCtx)
	if h := told(t, heads); h.Seq != 20 {
		t.Fatalf("the head is %d", h.Seq)
	}
	epoch := a.Epoch()
	// It waits for a write of another process.
	writing := make(chan struct{})
	written := make(chan error, 1)
	go func() {
		written <- b.Write(ctx, func(tx store.Tx) error {
			close(writing)
			<-time.After(30 * time.Millisecond)
			_, err := tx.Head()
			return err
		})
	}()
	<-writing
	if err := a.Restore(ctx, copyPath); err != nil {
		t.Fatal(err)
	}
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(copyPath); err != nil || !bytes.Equal(before, after) {
		t.Fatalf("the backup's file was changed (%v)", err)
	}
	if h := told(t, heads); h.Seq != 10 {
		t.Fatalf("the watch tells of %d after the restore", h.Seq)
	}
	for _, s := range []*sqlite.Store{a, b} {
		if state := storetest.CheckWhole(t, s); state.Head.Seq != 10 {
			t.Fatalf("%d events after the restore", state.Head.Seq)
		}
		if s.Epoch() == epoch || s.Epoch() != a.Epoch() {
			t.Fatalf("the epoch is %s, it was %s", s.Epoch(), epoch)
		}
	}
	for _, s := range []*sqlite.Store{a, b} {
		if _, err := appendSomething(ctx, s, "after", 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	if state := storetest.CheckWhole(t, b); state.Head.Seq != 12 {
		t.Fatalf("%d events after the restore and two more", state.Head.Seq)
	}
	junk := filepath.Join(dir, "junk")
	write(t, junk, "no database")
	if err := a.Restore(ctx, junk); err == nil {
		t.Fatal("junk was restored")
	}
	storetest.CheckWhole(t, a)
}

// Damaged derived tables come back exactly, ids and all.
func TestRebuild(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), workspace.Database)
	s := open(t, path, nil)
	for i := range 60 {
		if _, err := appendSomething(ctx, s, "a", 0, i); err != nil {
			t.Fatal(err)
		}
	}
	id, err := claimOne(ctx, s)
	if err != nil || id == 0 {
		t.Fatal(id, err)
	}
	err = s.Write(ctx, func(tx store.Tx) error {
		for _, text := range []string{
			`UPDATE directives SET body = 'forged' WHERE id = 3`, `DELETE FROM directives WHERE id = 5`,
			`UPDATE planes SET count = count + 7`, `INSERT INTO planes VALUES ('queue', 'odd', 3)`,
			`DELETE FROM checks WHERE first > 30`, `DELETE FROM head`,
		} {
			if _, err := tx.Exec(text); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var last int64
	if err := s.Rebuild(ctx, func(done, _ int64) { last = done }); err != nil {
		t.Fatal(err)
	}
	if last != 61 {
		t.Errorf("progress ended at %d", last)
	}
	storetest.CheckWhole(t, s)
	checkSums(t, s)
	if _, err := appendSomething(ctx, s, "after", 0, 0); err != nil {
		t.Fatal(err)
	}
	storetest.CheckWhole(t, s)
	checkSums(t, s)
	backups, _ := filepath.Glob(path + ".backup-*")
	if len(backups) != 1 {
		t.Fatalf("backups: %v", backups)
	}
	if err := sqlite.CheckFile(ctx, backups[0]); err != nil {
		t.Fatal(err)
	}
	for range store.KeepBackups + 1 {
		if err := s.Rebuild(ctx, nil); err != nil {
			t.Fatal(err)
		}
	}
	left, _ := filepath.Glob(path + ".backup-*")
	if len(left) != store.KeepBackups || slices.Contains(left, backups[0]) {
		t.Fatalf("after %d rebuilds there are %v; the newest %d are kept", store.KeepBackups+2, left, store.KeepBackups)
	}
}

// checkSums fails unless checks covers every event's payload, once.
func checkSums(t *testing.T, s store.Store) {
	t.Helper()
	err := s.Read(context.Background(), func(r store.Reader) error {
		next := int64(1)
		err := store.EachCheck(r, func(first int64, sums []byte) error {
			if first != next {
				t.Errorf("checks go on at %d, want %d", first, next)
			}
			events, err := r.Events(first-1, len(sums)/store.SumSize)
			if err != nil {
				return err
			}
			for i, e := range events {
				b := sums[i*store.SumSize:]
				if got := uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3]); got != store.Sum(e.Payload) {
					t.Errorf("the check of event %d is wrong", e.Seq)
				}
			}
			next += int64(len(events))
			return nil
		})
		if err != nil {
			return err
		}
		h, err := r.Head()
		if err == nil && next != h.Seq+1 {
			t.Errorf("checks end at %d, the head is %d", next-1, h.Seq)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
