package sqlite

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"binnacle/backend/store"
	"binnacle/backend/workspace"
	"binnacle/model"
)

func noteDraft(text string) []model.Draft {
	b, _ := json.Marshal(map[string]string{"text": text})
	return []model.Draft{{Topic: "t", Producer: "p", Kind: model.KindNote, Payload: b}}
}

func openAt(t *testing.T, o Options) *Store {
	t.Helper()
	s, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// A reader that stays keeps the log from being checkpointed: past the bound the
// alarm goes on, and off again when the reader is gone.
func TestWALAlarm(t *testing.T) {
	ctx := context.Background()
	s := openAt(t, Options{Path: filepath.Join(t.TempDir(), workspace.Database), WALBound: 1 << 20})
	if _, err := s.Append(ctx, noteDraft("first")); err != nil {
		t.Fatal(err)
	}
	grow := func(until func() bool) {
		t.Helper()
		deadline := time.Now().Add(20 * time.Second)
		for !until() {
			if time.Now().After(deadline) {
				t.Fatalf("the health stays %+v", s.Health())
			}
			if _, err := s.Append(ctx, noteDraft(strings.Repeat("x", 50_000))); err != nil {
				t.Fatal(err)
			}
		}
	}
	err := s.Read(ctx, func(r store.Reader) error {
		if _, err := r.Head(); err != nil {
			return err
		}
		grow(func() bool { return s.Health().WALAlarm != "" })
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	grow(func() bool { return s.Health().WALAlarm == "" && s.Health().WALBytes <= 1<<20 })
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(s.opt.Path + "-wal"); err == nil && info.Size() > 0 {
		t.Fatalf("closing left %d bytes of log", info.Size())
	}
}

// A process that does not write sees the log past the bound, too.
func TestWALAlarmWithoutWriting(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), workspace.Database)
	writer := openAt(t, Options{Path: path, WALBound: 1 << 30})
	other := openAt(t, Options{Path: path, WALBound: 1 << 20, ReadOnly: true})
	err := other.Read(ctx, func(r store.Reader) error {
		if _, err := r.Head(); err != nil {
			return err
		}
		for other.Health().WALBytes <= 1<<20 {
			if _, err := writer.Append(ctx, noteDraft(strings.Repeat("x", 50_000))); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if h := other.Health(); h.WALAlarm == "" {
		t.Fatalf("the health is %+v", h)
	}
}

// A lock that another process keeps too long is CodeBusy; the write is not
// there afterwards.
func TestBusy(t *testing.T) {
	ctx := context.Background()
	path := filepath.Join(t.TempDir(), workspace.Database)
	s := openAt(t, Options{Path: path, BusyTimeout: 60 * time.Millisecond})
	other, err := openConn(ctx, noLayout, dsn(path, "mode=rw"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.close() }()
	if err := other.exec(stmtBegin); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Append(ctx, noteDraft("refused")); model.CodeOf(err) != model.CodeBusy || model.HintOf(err) == "" {
		t.Fatalf("got %v", err)
	}
	if h := s.Health(); !strings.Contains(h.LastError, "lock") {
		t.Errorf("health says %+v", h)
	}
	short, cancel := context.WithTimeout(ctx, 5*time.Millisecond)
	defer cancel()
	if _, err := s.Append(short, noteDraft("too late")); model.CodeOf(err) != model.CodeTimeout {
		t.Fatalf("got %v", err)
	}
	if err := other.exec(stmtRollback); err != nil {
		t.Fatal(err)
	}
	out, err := s.Append(ctx, noteDraft("there"))
	if err != nil || out[0].Seq != 1 || s.Health().LastError != "" {
		t.Fatalf("%v, %v, %+v", out, err, s.Health())
	}
}

// A write that ends its goroutine, as a failing test's does, takes nobody with
// it.
func TestGoexitInWrite(t *testing.T) {
	ctx := context.Background()
	s := openAt(t, Options{Path: filepath.Join(t.TempDir(), workspace.Database)})
	err := s.Write(ctx, func(tx store.Tx) error {
		_, _ = tx.Append(noteDraft("lost")[0])
		runtime.Goexit()
		return nil
	})
	if model.CodeOf(err) != model.CodeInternal {
		t.Fatalf("got %v", err)
	}
	out, err := s.Append(ctx, noteDraft("there"))
	if err != nil || out[0].Seq != 1 {
		t.Fatalf("%v, %v", out, err)
	}
}

// Looking for other processes' commits takes less than a thousandth of a core
// while nothing happens.
func TestIdleWatchIsCheap(t *testing.T) {
	s := openAt(t, Options{Path: filepath.Join(t.TempDir(), workspace.Database)})
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(s.opt.Path+"-wal", long, long); err != nil {
		t.Fatal(err)
	}
	p := poller{hub: s.hub}
	defer p.drop()
	p.once(context.Background())
	cpu := func() time.Duration {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			t.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	const looks = 5000
	before := cpu()
	for range looks {
		p.once(context.Background())
	}
	each := (cpu() - before) / looks
	t.Logf("%v a look, %.4f %% of a core", each, 100*float64(each)/float64(pollEvery))
	if each > pollEvery/1000 {
		t.Fatalf("a look takes %v", each)
	}
}

func TestTablesNamed(t *testing.T) {
	boats := newLayout(store.NewParts(store.Part{Records: []store.Projection{toy}}))
	for text, want := range map[string]touch{
		`SELECT 1`: 0,
		`select count(*) from EVENTS e join boats s on s.key = e.key`:  touchEvents | touchRecord(0),
		`INSERT INTO ships VALUES ($1)`:                                0,
		`SELECT 1 FROM boat_crew, "planes" WHERE (SELECT 1 FROM head)`: touchRecord(0) | touchPlanes | touchHead,
	} {
		if got := boats.named(text); got != want {
			t.Errorf("%s names %b, want %b", text, got, want)
		}
	}
}

// A database is written in whatever folder people have.
func TestOddPaths(t *testing.T) {
	for _, name := range []string{"a b", "100%", "wh?t", "#1", "ünï", "a&b=c", "semi;colon", `quo"te'`, "%41"} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		s := openAt(t, Options{Path: filepath.Join(dir, workspace.Database)})
		if _, err := s.Append(context.Background(), noteDraft(name)); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if err := s.Backup(context.Background(), filepath.Join(dir, "copy")); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(dir)
		// The database, its log and index, its lock and the copy: nothing went elsewhere.
		if err != nil || len(entries) != 5 {
			t.Fatalf("%q holds %v, %v", name, entries, err)
		}
	}
}
