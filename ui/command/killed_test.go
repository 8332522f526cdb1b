//go:build linux

package command_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"binnacle/backend/ledger"
	"binnacle/backend/store"
	"binnacle/backend/store/sqlite"
	ws "binnacle/backend/workspace"
	"binnacle/model"
)

// killsEach is how often each command is killed.
const killsEach = 12

// A backup, a restore or a rebuild that is killed, wherever it was, leaves
// nothing that outlives the next one.
func TestKilledCopiesLeaveNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("copies some tens of megabytes many times")
	}
	dir, out := t.TempDir(), t.TempDir()
	w := heavy(t, dir)
	saved := filepath.Join(out, "saved.db")
	run := func(args ...string) *exec.Cmd {
		cmd := exec.Command("binnacle", append([]string{"ledger"}, args...)...)
		cmd.Dir, cmd.Stderr = dir, os.Stderr
		return cmd
	}
	whole := func(args ...string) {
		t.Helper()
		if err := run(args...).Run(); err != nil {
			t.Fatalf("%v: %v", args, err)
		}
	}
	whole("backup", saved)
	info, err := os.Stat(saved)
	if err != nil {
		t.Fatal(err)
	}
	belongs := fmt.Sprint(listed(t, w.Dir()))

	for _, args := range [][]string{
		{"backup", filepath.Join(out, "again.db")},
		{"restore", "--force", saved},
		{"rebuild"},
	} {
		for i := range killsEach {
			killWhenHalf(t, run(args...), w.Dir(), info.Size()*int64(i)/(killsEach+1))
			if i > 0 {
				continue
			}
			if len(leftovers(t, w.Dir())) == 0 {
				t.Errorf("%s: killed in the middle it left nothing, so this test shows nothing", args[0])
			}
		}
		whole(args...)
		if left := append(leftovers(t, w.Dir()), leftovers(t, out)...); len(left) > 0 {
			t.Errorf("%s: after %d kills and one whole run there is still %v", args[0], killsEach, left)
		}
	}
	var kept int
	for _, name := range listed(t, w.Dir()) {
		if strings.HasPrefix(name, ws.Database+".backup-") {
			kept++
			copied := filepath.Join(w.Dir(), name)
			if err := sqlite.CheckFile(context.Background(), copied); err != nil {
				t.Error(err)
			}
			if err := os.Remove(copied); err != nil {
				t.Fatal(err)
			}
		}
	}
	if kept == 0 || kept > store.KeepBackups {
		t.Errorf("rebuild keeps %d backups; the bound is %d", kept, store.KeepBackups)
	}
	if now := fmt.Sprint(listed(t, w.Dir())); now != belongs {
		t.Errorf("the workspace holds %s; before it held %s", now, belongs)
	}
	whole("verify")
}

// heavy makes a workspace with a database of some thirty megabytes.
func heavy(t *testing.T, dir string) ws.Workspace {
	t.Helper()
	w := workspaceIn(t, dir)
	b := openIn(t, w, nil)
	noise := make([]byte, 6<<10)
	random := rand.NewChaCha8([32]byte{1})
	for range 25 {
		events := make([]ledger.EmitRequest, 200)
		for i := range events {
			_, _ = random.Read(noise)
			payload, err := json.Marshal(map[string]string{"text": fmt.Sprintf("%x", noise[:len(noise)/2])})
			if err != nil {
				t.Fatal(err)
			}
			events[i] = ledger.EmitRequest{Topic: "heavy", Kind: model.KindNote, Payload: payload}
		}
		if _, err := b.Ledger.EmitBatch(context.Background(), events); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	return w
}

// killWhenHalf starts the command and kills it as soon as its unfinished files
// in dir hold so many bytes.
func killWhenHalf(t *testing.T, cmd *exec.Cmd, dir string, bytes int64) {
	t.Helper()
	before := leftovers(t, dir)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for bound := time.Now().Add(2 * time.Minute); time.Now().Before(bound); {
		select {
		case err := <-ended:
			t.Fatalf("%v ended before it had %d bytes: %v", cmd.Args, bytes, err)
		default:
		}
		size, found := int64(0), false
		for _, name := range leftovers(t, dir) {
			if !strings.Contains(strings.Join(before, " "), name) {
				found, size = true, size+weight(filepath.Join(dir, name))
			}
		}
		if found && size >= bytes {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			<-ended
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("%v never had %d bytes", cmd.Args, bytes)
}

// weight is how many bytes the files in a folder have.
func weight(dir string) (n int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			if info, err := e.Info(); err == nil {
				n += info.Size()
			}
		}
		return nil
	})
	return n
}

func listed(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// leftovers are what is not whole in a folder.
func leftovers(t *testing.T, dir string) (names []string) {
	t.Helper()
	for _, name := range listed(t, dir) {
		if strings.HasPrefix(name, ".binnacle-") {
			names = append(names, name)
		}
	}
	return names
}
