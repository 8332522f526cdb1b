package sqlite_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"binnacle/backend/store"
	"binnacle/backend/store/sqlite"
	"binnacle/backend/workspace"
	"binnacle/model"
)

// childHold holds a read open, of what is there when it begins, until its input
// ends.
func childHold(path, _ string) error {
	s, err := sqlite.Open(context.Background(), sqlite.Options{Path: path, ReadOnly: true})
	if err != nil {
		return err
	}
	err = s.Read(context.Background(), func(r store.Reader) error {
		if _, err := r.Head(); err != nil {
			return err
		}
		fmt.Println("reading")
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	})
	if err != nil {
		return err
	}
	return s.Close()
}

// hold starts a process that holds a read open, and waits until it does.
func hold(t *testing.T, path string) (cmd *exec.Cmd, end func()) {
	t.Helper()
	cmd = start(t, "hold", path, "")
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
	end = func() { _ = in.Close(); _ = cmd.Wait() }
	t.Cleanup(end)
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the reader says %q: %v", line, err)
	}
	return cmd, end
}

// The alarm about a log past its bound names the process that holds the oldest
// read, and not those that read meanwhile; the same in every process.
func TestTheAlarmNamesTheReader(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells who holds a lock")
	}
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), workspace.Database)
	o := sqlite.Options{Path: path, WALBound: 1 << 20}
	s, err := sqlite.Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	grow := func(bytes int64, on store.Store) {
		t.Helper()
		payload, err := json.Marshal(map[string]string{"text": strings.Repeat("x", 50_000)})
		if err != nil {
			t.Fatal(err)
		}
		for bound := time.Now().Add(30 * time.Second); ; {
			if _, err := on.Append(ctx, []model.Draft{{Topic: "t", Producer: "p", Kind: model.KindNote, Payload: payload}}); err != nil {
				t.Fatal(err)
			}
			if s.Health().WALBytes > bytes {
				return
			}
			if time.Now().After(bound) {
				t.Fatalf("the log stays at %+v", s.Health())
			}
		}
	}
	grow(100_000, s)
	oldest, end := hold(t, path)
	grow(1<<20, s)
	// Later readers hold marks of their own, and are not in the way.
	later, _ := hold(t, path)
	grow(2<<20, s)

	want := fmt.Sprintf("process %d (%s) holds a read open", oldest.Process.Pid, filepath.Base(os.Args[0])[:min(15, len(filepath.Base(os.Args[0])))])
	alarm := func(of *sqlite.Store, want, not string) {
		t.Helper()
		var said string
		for bound := time.Now().Add(20 * time.Second); time.Now().Before(bound); time.Sleep(10 * time.Millisecond) {
			if said = of.Health().WALAlarm; strings.Contains(said, want) && !strings.Contains(said, not) {
				return
			}
		}
		t.Fatalf("the alarm is %q; it should say %q", said, want)
	}
	other := strconv.Itoa(later.Process.Pid)
	alarm(s, want, other)
	o.ReadOnly = true
	reader, err := sqlite.Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = reader.Close() }()
	err = reader.Read(ctx, func(r store.Reader) error {
		if _, err := r.Head(); err != nil {
			return err
		}
		alarm(reader, want, other)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	// When it ends, the next one is the oldest.
	end()
	grow(2<<20, s)
	alarm(s, "process "+other, strconv.Itoa(oldest.Process.Pid))
}

// A process that is in the way itself says so.
func TestTheAlarmNamesThisProcess(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells who holds a lock")
	}
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), workspace.Database)
	s, err := sqlite.Open(ctx, sqlite.Options{Path: path, WALBound: 200_000})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	err = s.Read(ctx, func(r store.Reader) error {
		if _, err := r.Head(); err != nil {
			return err
		}
		for i := 0; s.Health().WALBytes <= 200_000; i++ {
			if _, err := appendSomething(ctx, s, strings.Repeat("x", 9000), 0, i); err != nil {
				return err
			}
		}
		if said := s.Health().WALAlarm; !strings.Contains(said, "this process holds a read open") {
			t.Errorf("the alarm is %q", said)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
