package workspace_test

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"binnacle/backend/workspace"
	"binnacle/model"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "serve.lock")
	a, err := workspace.TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if !a.Held() || workspace.LockHolder(path) != os.Getpid() {
		t.Fatalf("held %v by %d", a.Held(), workspace.LockHolder(path))
	}
	_, err = workspace.TryLock(path)
	if model.CodeOf(err) != model.CodeBusy || !strings.Contains(err.Error(), "process ") {
		t.Fatalf("a second lock: %v", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	waited := 0
	if _, err := workspace.WaitLock(ctx, path, func(error) { waited++ }); model.CodeOf(err) != model.CodeTimeout || waited != 1 {
		t.Fatalf("waiting: %v, told %d times", err, waited)
	}
	got := make(chan error, 1)
	go func() {
		b, err := workspace.WaitLock(context.Background(), path, nil)
		if err == nil {
			err = b.Release()
		}
		got <- err
	}()
	for range 2 {
		if err := a.Release(); err != nil {
			t.Fatal(err)
		}
	}
	if a.Held() {
		t.Fatal("a released lock is held")
	}
	select {
	case err := <-got:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the one that waits never got the lock")
	}
}

// A lock whose file is deleted or replaced is lost, and its holder hears it.
func TestLockIsLost(t *testing.T) {
	for name, lose := range map[string]func(path string) error{
		"deleted":  os.Remove,
		"replaced": func(path string) error { return os.Rename(path+".other", path) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "serve.lock")
			write(t, path+".other", "0\n")
			a, err := workspace.TryLock(path)
			if err != nil {
				t.Fatal(err)
			}
			defer a.Release()
			if err := lose(path); err != nil {
				t.Fatal(err)
			}
			if a.Held() {
				t.Error("it is held still")
			}
			select {
			case <-a.Lost():
			case <-time.After(10 * time.Second):
				t.Fatal("the holder never heard of it")
			}
			b, err := workspace.TryLock(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := b.Release(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// The lock of a process that is killed is free at once.
func TestLockOfTheDead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "serve.lock")
	cmd := start(t, "lock", path, "")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if !bufio.NewScanner(out).Scan() {
		t.Fatal("the child got no lock")
	}
	if workspace.LockHolder(path) != cmd.Process.Pid {
		t.Errorf("held by %d, not %d", workspace.LockHolder(path), cmd.Process.Pid)
	}
	if _, err := workspace.TryLock(path); model.CodeOf(err) != model.CodeBusy {
		t.Fatalf("a lock that another process holds: %v", err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	l, err := workspace.TryLock(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Release(); err != nil {
		t.Fatal(err)
	}
}

func TestLockThroughLink(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "victim"), "precious")
	if err := os.Symlink("victim", filepath.Join(dir, "serve.lock")); err != nil {
		t.Fatal(err)
	}
	if _, err := workspace.TryLock(filepath.Join(dir, "serve.lock")); model.CodeOf(err) != model.CodeRefused {
		t.Fatalf("got %v", err)
	}
	if b, _ := os.ReadFile(filepath.Join(dir, "victim")); string(b) != "precious" {
		t.Fatalf("the link's target is now %q", b)
	}
}
