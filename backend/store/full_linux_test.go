package store_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
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
	s := open(t, filepath.Join(dir, store.Database), nil)
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
