package sqlite_test

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"binnacle/backend/parts"
	"binnacle/backend/store/sqlite"
	"binnacle/backend/workspace"
	"binnacle/model"
)

// nobody is a user that owns nothing.
const nobody = 65534

// public makes a folder that other users may enter, with a copy of the test
// binary in it.
func public(t *testing.T) (dir, binary string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("playing another user needs root")
	}
	dir, err := os.MkdirTemp("", "store-public-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	binary = filepath.Join(dir, "child")
	to, err := os.OpenFile(binary, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return dir, binary
}

// asNobody prepares a child that runs as another user.
func asNobody(t *testing.T, binary, role, path, extra string) *exec.Cmd {
	t.Helper()
	cmd := start(t, role, path, extra)
	cmd.Path = binary
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return cmd
}

func makeLedger(t *testing.T, path string, events int) {
	t.Helper()
	s := open(t, path, nil)
	for i := range events {
		if _, err := s.Append(context.Background(), []model.Draft{profile(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func listing(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, e.Name()+" "+info.Mode().String()+" "+strconv.FormatInt(info.Size(), 10)+" "+info.ModTime().String())
	}
	return strings.Join(names, "\n")
}

// A file and a folder that can't be written can be read, nothing is made
// there, and a writer that comes later is seen.
func TestReadOnlyFolder(t *testing.T) {
	dir, binary := public(t)
	folder := filepath.Join(dir, "ledger")
	path := filepath.Join(folder, workspace.Database)
	if err := os.Mkdir(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	makeLedger(t, path, 3)
	chmod(t, path, 0o444)
	chmod(t, folder, 0o555)
	before := listing(t, folder)

	cmd := asNobody(t, binary, "readonly", path, "wait")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	expect := func(want string) {
		t.Helper()
		if !lines.Scan() || lines.Text() != want {
			t.Fatalf("the reader saw %q, want %s", lines.Text(), want)
		}
	}
	expect("3")
	if after := listing(t, folder); after != before {
		t.Fatalf("reading changed the folder from\n%s\nto\n%s", before, after)
	}

	// Root may write in spite of the permissions.
	s := open(t, path, nil)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		chmod(t, path+suffix, 0o444)
	}
	if _, err := s.Append(context.Background(), []model.Draft{profile(4)}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"4", "5"} {
		if _, err := io.WriteString(in, "again\n"); err != nil {
			t.Fatal(err)
		}
		expect(want)
		if _, err := s.Append(context.Background(), []model.Draft{profile(5)}); err != nil {
			t.Fatal(err)
		}
	}
	_ = in.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
}

func TestReadOnlyWithoutDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), workspace.Database)
	_, err := sqlite.Open(context.Background(), sqlite.Options{Parts: parts.All(), Path: path, ReadOnly: true})
	if model.CodeOf(err) != model.CodeNoWork {
		t.Fatalf("got %v", err)
	}
	if _, err := os.Lstat(path); err == nil {
		t.Fatal("opening read-only made the file")
	}
}

func chmod(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}
