package laneq_test

import (
	"crypto/sha256"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"binnacle/backend/importer/laneq"
	"binnacle/backend/queue"
	"binnacle/backend/store/storetest"
	"binnacle/model"
	"binnacle/model/directive"
)

const fixtures = "../../../testdata/laneq/"

func (r *rig) lines() string {
	r.t.Helper()
	p, err := r.q.List(background(), queue.List{All: true})
	if err != nil {
		r.t.Fatal(err)
	}
	var b strings.Builder
	for _, it := range p.Items {
		b.WriteString(directive.Line(it.Directive, model.Reading{}, nil) + "\n")
	}
	return b.String()
}

func fileSum(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(b))
}

// TestImportLooksAsLaneqShowsIt: the list of what was imported is byte for byte
// what laneq printed of the same database.
func TestImportLooksAsLaneqShowsIt(t *testing.T) {
	r := newRig(t)
	r.clock.Set(model.TimeOf(time.Date(2026, 11, 30, 20, 10, 0, 0, time.UTC)))
	before := fileSum(t, fixtures+"v0.4-head.db")
	dry, err := laneq.Import(background(), r.q, fixtures+"v0.4-head.db", laneq.Options{DryRun: true})
	if err != nil || dry.Read != 12 || dry.Written != 0 || dry.ByStatus[directive.StatusPending] != 7 {
		t.Fatalf("dry run %+v, %v", dry, err)
	}
	if h := r.head(); h.Seq != 0 {
		t.Fatal("a dry run wrote")
	}
	rep, err := laneq.Import(background(), r.q, fixtures+"v0.4-head.db", laneq.Options{})
	if err != nil || rep.Written != 12 || len(rep.IDs) != 0 || len(rep.Adjustments) != 0 {
		t.Fatalf("got %+v, %v", rep, err)
	}
	want, err := os.ReadFile(fixtures + "v0.4-head.list.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got := r.lines(); got != string(want) {
		t.Fatalf("got\n%swant\n%s", got, want)
	}
	if after := fileSum(t, fixtures+"v0.4-head.db"); after != before {
		t.Fatal("the source changed")
	}
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if _, err := os.Stat(fixtures + "v0.4-head.db" + suffix); err == nil {
			t.Fatalf("a %s file was left behind", suffix)
		}
	}
	if d := r.show(12); d.Parent != 11 || len(d.Thread) != 3 || d.Body != "grandchild" {
		t.Fatalf("got %+v", d.Directive)
	}
	_, err = laneq.Import(background(), r.q, fixtures+"v0.4-head.db", laneq.Options{})
	wantCode(t, err, model.CodeRefused)
	if !strings.Contains(err.Error(), "12 directives") {
		t.Fatalf("refused with %v", err)
	}
	// Insisted on, everything comes once more under new ids, links among them.
	rep, err = laneq.Import(background(), r.q, fixtures+"v0.4-head.db", laneq.Options{Again: true})
	if err != nil || len(rep.IDs) != 12 || rep.IDs[1] != 13 {
		t.Fatalf("got %+v, %v", rep, err)
	}
	if d := r.show(rep.IDs[7]); len(d.BlockedBy) != 2 || d.BlockedBy[0] != rep.IDs[9] {
		t.Fatalf("blocked by %v", d.BlockedBy)
	}
	if d := r.show(rep.IDs[12]); d.Parent != rep.IDs[11] {
		t.Fatalf("parent %d", d.Parent)
	}
	if c, err := r.q.Push(background(), queue.Push{Body: "new", Priority: directive.P0}); err != nil || c.After.ID != 25 {
		t.Fatalf("the next id is %d, %v", c.After.ID, err)
	}
}

func TestImportOldVersion(t *testing.T) {
	r := newRig(t)
	r.clock.Set(model.TimeOf(time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)))
	rep, err := laneq.Import(background(), r.q, fixtures+"v0.1.0.db", laneq.Options{})
	if err != nil || rep.Written != 6 || len(rep.Adjustments) != 0 {
		t.Fatalf("got %+v, %v", rep, err)
	}
	d := r.show(6)
	if d.Status != directive.StatusTaken || d.LeaseUntil != 0 || d.Due {
		t.Fatalf("a claim without a lease: %+v", d.Directive)
	}
	if d := r.show(3); d.Status != directive.StatusDone || d.DoneAt.String() != "2026-11-30T20:05:41.000000Z" ||
		d.CreatedAt.String() != "2026-11-30T20:05:40.000000Z" || d.Priority != directive.P0 {
		t.Fatalf("got %+v", d.Directive)
	}
	got, err := r.q.Reap(background(), queue.Reap{Stale: time.Hour})
	if err != nil || len(got.Reclaimed) != 1 || got.Reclaimed[0].ID != 6 {
		t.Fatalf("reaped %+v, %v", got, err)
	}
}

// laneqDB makes a database with laneq's newest columns.
func laneqDB(t *testing.T, rows ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "laneq.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	stmts := append([]string{
		`PRAGMA journal_mode = WAL`,
		`CREATE TABLE directives(id INTEGER PRIMARY KEY AUTOINCREMENT, priority, body, status, created_at, taken_at, done_at,
		taken_by, lease_until, requeue_count, parent_id, lane, not_before, blocked_by, claim_token)`,
	}, rows...)
	for _, s := range stmts {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	return path
}

func TestImportOddities(t *testing.T) {
	path := laneqDB(
		t,
		`INSERT INTO directives(id, priority, body, status) VALUES (1, 7, 'a priority that is none', 'pending')`,
		`INSERT INTO directives(id, priority, body, status, lane) VALUES (2, 0, 'a lane', 'pending', 'my lane/ü')`,
		`INSERT INTO directives(id, priority, body, status) VALUES (3, 0, '  ', 'pending')`,
		`INSERT INTO directives(id, priority, body, status) VALUES (4, 0, CAST(zeroblob(200000) AS TEXT), 'pending')`,
		`INSERT INTO directives(id, priority, body, status) VALUES (5, 0, CAST(x'61ff' AS TEXT), 'pending')`,
		`INSERT INTO directives(id, priority, body, status) VALUES (6, 0, 'a status', 'frozen')`,
		`INSERT INTO directives(id, priority, body, status, created_at) VALUES (7, 0, 'a time', 'pending', 'yesterday')`,
		`INSERT INTO directives(id, priority, body, status, parent_id) VALUES (8, 0, 'a parent', 'pending', 99)`,
		`INSERT INTO directives(id, priority, body, status, parent_id) VALUES (9, 0, 'a parent', 'pending', 10)`,
		`INSERT INTO directives(id, priority, body, status, parent_id) VALUES (10, 0, 'a parent', 'pending', 9)`,
		`INSERT INTO directives(id, priority, body, status, blocked_by) VALUES (11, 0, 'missing', 'deferred', '98')`,
		`INSERT INTO directives(id, priority, body, status, blocked_by) VALUES (12, 0, 'cycle', 'deferred', '13')`,
		`INSERT INTO directives(id, priority, body, status, blocked_by) VALUES (13, 0, 'cycle', 'deferred', '12 ,1')`,
		`INSERT INTO directives(id, priority, body, status) VALUES (14, 0, 'for nothing', 'deferred')`,
		`INSERT INTO directives(id, priority, body, status, taken_by, taken_at, lease_until, claim_token) VALUES
		 (15, 1, 'held', 'taken', 'w', '2026-06-20T11:00:00Z', '2026-06-20T13:00:00Z', 'secret-token')`,
		`INSERT INTO directives(id, priority, body, status, taken_by, taken_at, lease_until, requeue_count) VALUES
		 (16, 1, 'overdue', 'taken', 'w', '2026-06-20T11:00:00Z', '2026-06-20T11:30:00Z', 2)`,
		`INSERT INTO directives(id, priority, body, status) VALUES (-3, 0, 'an id', 'pending')`,
	)
	r := newRig(t)
	_, err := laneq.Import(background(), r.q, path, laneq.Options{})
	wantCode(t, err, model.CodeInvalid)
	if h := r.head(); h.Seq != 0 {
		t.Fatal("half an import went in")
	}
	bodies := filepath.Join(t.TempDir(), "bodies")
	rep, err := laneq.Import(background(), r.q, path, laneq.Options{Bodies: bodies})
	if err != nil || rep.Written != 17 {
		t.Fatalf("got %+v, %v", rep, err)
	}
	said := map[int64]string{}
	for _, a := range rep.Adjustments {
		said[a.From] += a.What + ": " + a.Why + "; "
		if a.ID == 0 {
			t.Fatalf("no id in %+v", a)
		}
	}
	for id, want := range map[int64]string{
		1: "priority", 3: "(empty)", 4: "file", 5: "file", 6: "unknown", 7: "created_at",
		8: "no such directive", 9: "cycle", 11: "parked", 12: "waited for itself: #12 -> #13 -> #12", 14: "pending", -3: "in use",
	} {
		if !strings.Contains(said[id], want) {
			t.Errorf("#%d: %q does not say %q", id, said[id], want)
		}
	}
	if d := r.show(2); d.Lane != "my lane/ü" || said[2] != "" {
		t.Errorf("the lane became %q: %s", d.Lane, said[2])
	}
	for id, status := range map[int64]string{
		6: directive.StatusParked, 11: directive.StatusParked, 12: directive.StatusParked, 13: directive.StatusDeferred, 14: directive.StatusPending,
		15: directive.StatusTaken,
	} {
		if got := r.show(id).Status; got != status {
			t.Fatalf("#%d is %s, want %s", id, got, status)
		}
	}
	name := strings.TrimPrefix(r.show(4).Body, "The body of this directive is in the file ")
	if b, err := os.ReadFile(name); err != nil || len(b) != 200_000 {
		t.Fatalf("the large body: %d bytes, %v", len(b), err)
	}
	// laneq's worker goes on with the token that it has.
	if _, err := r.q.Done(background(), queue.Act{ID: 15, Token: "secret-token"}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.q.Next(background(), queue.Next{}); err != nil {
		t.Fatal(err)
	}
	if d := r.show(16); d.RequeueCount != 3 || d.Status != directive.StatusPending {
		t.Fatalf("an overdue claim: %+v", d.Directive)
	}
	if d := r.show(rep.IDs[-3]); d.ID != 17 || d.Body != "an id" {
		t.Fatalf("got %+v", d.Directive)
	}
}

// TestImportWhileLaneqRuns: the source's log, still open, is read with it.
func TestImportWhileLaneqRuns(t *testing.T) {
	path := laneqDB(t, `INSERT INTO directives(id, priority, body, status) VALUES (1, 1, 'one', 'pending')`)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(`INSERT INTO directives(id, priority, body, status) VALUES (2, 1, 'two', 'pending')`); err != nil {
		t.Fatal(err)
	}
	r := newRig(t)
	rep, err := laneq.Import(background(), r.q, path, laneq.Options{})
	if err != nil || rep.Written != 2 {
		t.Fatalf("got %+v, %v", rep, err)
	}
}

func TestImportOfOtherFiles(t *testing.T) {
	r := newRig(t)
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("no database"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{text, dir, filepath.Join(dir, "missing")} {
		if _, err := laneq.Import(background(), r.q, path, laneq.Options{}); err == nil {
			t.Fatalf("imported %s", path)
		}
		if _, is := laneq.Detect(background(), path); is {
			t.Fatalf("%s is taken for a laneq database", path)
		}
	}
	_, err := laneq.Import(background(), r.q, r.path, laneq.Options{})
	wantCode(t, err, model.CodeInvalid) // our own
	if _, is := laneq.Detect(background(), fixtures+"v0.1.0.db"); !is {
		t.Fatal("a laneq database is not known as one")
	}
}

// TestImportIsTheFold: replaying the events of an import gives its rows.
func TestImportIsTheFold(t *testing.T) {
	r := newRig(t)
	if _, err := laneq.Import(background(), r.q, fixtures+"v0.4-head.db", laneq.Options{}); err != nil {
		t.Fatal(err)
	}
	storetest.CheckWhole(t, r.store)
}
