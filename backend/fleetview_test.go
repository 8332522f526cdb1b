package backend_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"binnacle/backend"
	"binnacle/backend/clock"
	"binnacle/backend/guard"
	"binnacle/backend/store"
	"binnacle/backend/workspace"
	"binnacle/model"
	"binnacle/model/session"
)

// withFleet opens a workspace in a repository without a remote, in whose
// database one session is at work.
func withFleet(t *testing.T) *backend.Backend {
	t.Helper()
	dir := place(t)
	repo := filepath.Dir(dir)
	if out, err := exec.Command("git", "init", "-q", repo).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	b := open(t, dir, nil)
	b.OpenFleet(repo, repo, []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, workspace.World{Getenv: func(string) string { return "" }})
	now := clock.Machine()()
	write(t, b, func(tx store.Tx) error {
		started := fmt.Appendf(nil, `{"act":"start","actor":"ada","boot":%q,"incarnation":1,"machine":%q,"session":"s1","tool":"codex"}`,
			now.Boot, b.Fleet().Machine())
		_, err := tx.Append(model.Draft{
			Topic: session.TopicStarted, Producer: "codex", Kind: model.KindCoord, Key: "codex:s1", State: session.Idle, Payload: started,
		})
		if err != nil {
			return err
		}
		_, err = tx.Exec(`INSERT INTO fleet_seen VALUES ('codex:s1', $1, $2, $3, 'PreToolUse', 0, 0, 0, '', '', 0, 0, 0, 0, '')`,
			now.Boot, int64(now.Up), int64(now.Wall))
		return err
	})
	return b
}

func write(t *testing.T, b *backend.Backend, fn func(store.Tx) error) {
	t.Helper()
	if err := b.Store.Write(context.Background(), fn); err != nil {
		t.Fatal(err)
	}
}

// step pushes a directive and says in the same transaction that the session
// told of so many: as many as there are.
func step(tx store.Tx, n int) error {
	payload := fmt.Appendf(nil, `{"action":"push","body":"task %d","lane":"default"}`, n)
	if _, err := tx.Append(model.Draft{Topic: "queue/default", Producer: "tester", Kind: model.KindDirective, State: "pending", Payload: payload}); err != nil {
		return err
	}
	if _, err := tx.Exec(`UPDATE fleet_seen SET events = $1`, n); err != nil {
		return err
	}
	_, err := tx.Exec(`INSERT OR REPLACE INTO coord_marks (name, value) VALUES ('rows', $1)`, fmt.Sprint("step ", n))
	return err
}

// TestASnapshotHasTheFleetOfItsInstant: what one transaction changed of the
// fleet's rows and of the queue, a snapshot has both of or neither.
func TestASnapshotHasTheFleetOfItsInstant(t *testing.T) {
	b := withFleet(t)
	const steps = 300
	failed := make(chan error, 1)
	guard.Go("writer", func() {
		for n := 1; n <= steps; n++ {
			if err := b.Store.Write(context.Background(), func(tx store.Tx) error { return step(tx, n) }); err != nil {
				failed <- err
				return
			}
		}
		failed <- nil
	})
	looks := 0
	for done := false; !done; looks++ {
		select {
		case err := <-failed:
			if err != nil {
				t.Fatal(err)
			}
			done = true
		default:
		}
		s, err := b.Snapshot(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if s.Fleet == nil || len(s.Fleet.Map.Sessions) != 1 || s.Fleet.Map.Sessions[0].LiveRow == nil {
			t.Fatalf("%+v", s.Fleet)
		}
		if told, pushed := s.Fleet.Map.Sessions[0].EventSeq, s.Head.Seq-1; told != pushed {
			t.Fatalf("at %d directives the session told of %d", pushed, told)
		}
	}
	t.Logf("%d snapshots", looks)
}

// TestASnapshotWithoutChangeReadsNoFleet: the sessions' rows and the folder of
// the machine's workspaces are read when something changed them, and not with
// each snapshot.
func TestASnapshotWithoutChangeReadsNoFleet(t *testing.T) {
	b := withFleet(t)
	look := func() (rows int64) {
		t.Helper()
		if _, err := b.Snapshot(context.Background()); err != nil {
			t.Fatal(err)
		}
		return b.Fleet().RowReads()
	}
	write(t, b, func(tx store.Tx) error { return step(tx, 1) })
	before := look()
	for range 5 {
		emit(t, b, model.KindNote, `{"text":"x"}`)
		if after := look(); after != before {
			t.Fatalf("the rows were read %d times more, though nothing changed them", after-before)
		}
	}
	write(t, b, func(tx store.Tx) error { return step(tx, 2) })
	if after := look(); after != before+1 {
		t.Fatalf("after a change the rows were read %d times", after-before)
	}
}
