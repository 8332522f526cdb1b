package sqlite

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"binnacle/backend/notice"
	"binnacle/backend/wake"
	"binnacle/backend/workspace"
)

// The folder tells of writes into the log and of files that go, not of what a
// checkpoint writes or of other files; and without a folder nothing is told.
func TestStir(t *testing.T) {
	path := filepath.Join(t.TempDir(), workspace.Database)
	s := &stir{path: path}
	if !s.start(notice.Moved | notice.Written) {
		t.Skip("this system tells of no writes")
	}
	defer s.close()
	writes, moves := wake.NewBell(), wake.NewBell()
	s.writes.Add(context.Background(), writes)
	s.moves.Add(context.Background(), moves)
	rung := func(b wake.Bell, what string) {
		t.Helper()
		select {
		case <-b:
		case <-time.After(20 * time.Second):
			t.Fatalf("nobody told of %s", what)
		}
	}
	write := func(path string) {
		t.Helper()
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString("x"); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	write(path + "-wal")
	rung(writes, "a new log")
	rung(moves, "a new log")
	write(path + "-wal")
	rung(writes, "a write")

	// What comes before a write of the log has been heard when that is.
	write(path)
	rung(moves, "the database's file")
	for len(writes) > 0 {
		<-writes
	}
	write(path)
	write(filepath.Join(filepath.Dir(path), "config.toml"))
	if err := os.Remove(path + "-wal"); err != nil {
		t.Fatal(err)
	}
	rung(moves, "the log's removal")
	if len(writes) > 0 {
		t.Error("a checkpoint or another file counts as a write")
	}

	if (&stir{path: filepath.Join(t.TempDir(), "none", workspace.Database)}).start(notice.Moved) {
		t.Error("a folder that is not there tells something")
	}
}

// TestLooksBecomeSeldom: after a notice the looks come less and less often, and
// stay so for as long as nothing else happens.
func TestLooksBecomeSeldom(t *testing.T) {
	pause := afterNotice(unnoticed, true, false)
	for looks, total := 0, pause; total < 24*time.Hour; looks++ {
		next := afterNotice(pause, false, false)
		if next < pause || next > unnoticed || looks > 4 && next != unnoticed {
			t.Fatalf("look %d comes %s after the last, and the next %s after it", looks, pause, next)
		}
		pause = next
		total += pause
	}
	if again := afterNotice(pause, true, false); again != noticeFirst {
		t.Errorf("the first look after a notice comes after %s", again)
	}
	if once := afterNotice(noticeFirst, true, true); once != noticeLast {
		t.Errorf("what was found is looked at again after %s", once)
	}
}
