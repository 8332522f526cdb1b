package sqlite_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"binnacle/backend/parts"
	"binnacle/backend/store/sqlite"
	"binnacle/backend/store/storetest"
	"binnacle/backend/workspace"
	"binnacle/model"
)

// On a disk that is full, writes are refused and leave nothing, reads go on,
// and writes work again when there is room.
func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("mounting a small disk: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
	s := open(t, filepath.Join(dir, workspace.Database), nil)
	ctx := context.Background()
	big := model.Draft{
		Topic: "big", Producer: "test", Kind: model.KindGeneric,
		Payload: json.RawMessage(fmt.Sprintf(`{"x":%q}`, strings.Repeat("x", 100_000))),
	}
	ballast := filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	acked := int64(0)
	var full error
	for range 100 {
		out, err := s.Append(ctx, []model.Draft{big})
		if err != nil {
			full = err
			break
		}
		acked = out[0].Seq
	}
	if model.CodeOf(full) != model.CodeNoSpace {
		t.Fatalf("after %d events: %v", acked, full)
	}
	if s.Health().LastError == "" {
		t.Error("the failure is not in Health")
	}
	for range 3 {
		if _, err := s.Append(ctx, []model.Draft{big}); model.CodeOf(err) != model.CodeNoSpace {
			t.Fatalf("a write on a full disk: %v", err)
		}
	}
	if state := storetest.CheckWhole(t, s); state.Head.Seq != acked {
		t.Fatalf("%d events are there, %d were acknowledged", state.Head.Seq, acked)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	out, err := s.Append(ctx, []model.Draft{profile(1)})
	if err != nil || out[0].Seq != acked+1 {
		t.Fatalf("after there was room: %v, %v", out, err)
	}
	if s.Health().LastError != "" {
		t.Errorf("Health still says %q", s.Health().LastError)
	}
	storetest.CheckWhole(t, s)
}

// When the disk is full, a database that was closed is read as before, whatever
// is left of its log's index; a write is refused because of the disk, by who
// opens it then, too.
func TestDiskFullAfterClose(t *testing.T) {
	for _, left := range []struct {
		name string
		take func(path string) error // of what the close left
	}{
		{"all that a close leaves", func(string) error { return nil }},
		{"an index that was cut", func(path string) error { return os.Truncate(path+"-shm", 3) }},
		{"no log", func(path string) error {
			return errors.Join(os.Remove(path+"-shm"), os.Remove(path+"-wal"))
		}},
	} {
		for _, readOnly := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, read-only %v", left.name, readOnly), func(t *testing.T) {
				dir := t.TempDir()
				if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
					t.Skipf("mounting a small disk: %v", err)
				}
				t.Cleanup(func() { _ = syscall.Unmount(dir, 0) })
				path := filepath.Join(dir, workspace.Database)
				makeLedger(t, path, 3)
				if info, err := os.Stat(path + "-wal"); err != nil || info.Size() != 0 {
					t.Fatalf("the close left a log of %v, %v", info, err)
				}
				if err := left.take(path); err != nil {
					t.Fatal(err)
				}
				ballast := filepath.Join(dir, "ballast")
				fill(t, ballast)
				ctx := context.Background()
				s, err := sqlite.Open(ctx, sqlite.Options{Parts: parts.All(), Path: path, ReadOnly: readOnly})
				if err != nil {
					t.Fatal(err)
				}
				if state := storetest.CheckWhole(t, s); state.Head.Seq != 3 {
					t.Fatalf("%d events are there, want 3", state.Head.Seq)
				}
				want := model.CodeNoSpace
				if readOnly {
					want = model.CodeReadOnly
				}
				if _, err := s.Append(ctx, []model.Draft{profile(1)}); model.CodeOf(err) != want {
					t.Fatalf("a write on a full disk: %v", err)
				}
				if err := s.Close(); err != nil {
					t.Fatal(err)
				}
				if err := os.Remove(ballast); err != nil {
					t.Fatal(err)
				}
				s = open(t, path, nil)
				if out, err := s.Append(ctx, []model.Draft{profile(1)}); err != nil || out[0].Seq != 4 {
					t.Fatalf("after there was room: %v, %v", out, err)
				}
				storetest.CheckWhole(t, s)
			})
		}
	}
}

// fill writes until nothing more goes in.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for size := 1 << 16; size > 0; {
		if n, err := f.Write(make([]byte, size)); err != nil && n == 0 {
			size /= 2
		}
	}
}
