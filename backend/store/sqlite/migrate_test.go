package sqlite

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"binnacle/backend/store"
	"binnacle/backend/workspace"
	"binnacle/model"
)

// The machinery is tried with invented steps on top of the present schema. They
// run on the real thing: files, locks, backups.

func invented(to int64, text string) migration {
	return migration{to, "invented step", func(ctx context.Context, c *conn, _ Options) error { return c.run(ctx, text) }}
}

// ledgerAt makes a database with n events, and leaves pages in its WAL.
func ledgerAt(t *testing.T, n int) Options {
	t.Helper()
	o := Options{Path: filepath.Join(t.TempDir(), workspace.Database)}.withDefaults()
	s, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for range n {
		_, err := s.Append(context.Background(), []model.Draft{{
			Topic: "t", Producer: "p", Kind: model.KindNote, Payload: json.RawMessage(`{"text":"x"}`),
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	return o
}

// look runs fn on a plain connection.
func look(t *testing.T, path string, fn func(c *conn) error) {
	t.Helper()
	c, err := openConn(context.Background(), noLayout, dsn(path, "mode=ro", "_pragma=busy_timeout(5000)"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.close() }()
	if err := fn(c); err != nil {
		t.Fatal(err)
	}
}

func versionAt(t *testing.T, path string) (v int64) {
	t.Helper()
	look(t, path, func(c *conn) (err error) { v, err = pragmaInt(c, stmtUserVersion); return err })
	return v
}

func TestMigrate(t *testing.T) {
	ctx := context.Background()
	o := ledgerAt(t, 5)
	var log bytes.Buffer
	o.Log = &log
	steps := append(migrations(), invented(Version+1, `ALTER TABLE checks ADD COLUMN colour TEXT`), invented(Version+2, `CREATE TABLE more (n)`))

	plan, err := migrate(ctx, o, steps, store.MigrateOptions{DryRun: true})
	if err != nil || plan.From != Version || plan.To != Version+2 || len(plan.Steps) != 2 || plan.Done {
		t.Fatalf("the plan is %+v, %v", plan, err)
	}
	if v := versionAt(t, o.Path); v != Version {
		t.Fatalf("a dry run went to schema %d", v)
	}
	plan, err = migrate(ctx, o, steps, store.MigrateOptions{Keep: 5})
	if err != nil || !plan.Done || plan.Backup == "" {
		t.Fatalf("it did %+v, %v", plan, err)
	}
	if v := versionAt(t, o.Path); v != Version+2 {
		t.Fatalf("it went to schema %d", v)
	}
	look(t, o.Path, func(c *conn) error { _, err := lastEvent(c); return err })
	// The backup is the database before, with what stood in the WAL only.
	look(t, plan.Backup, func(c *conn) error {
		if n, err := lastEvent(c); err != nil || n != 5 {
			return fmt.Errorf("the backup holds %d events, %w", n, err)
		}
		return nil
	})
	if v := versionAt(t, plan.Backup); v != Version {
		t.Fatalf("the backup has schema %d", v)
	}
	for _, want := range []string{"migrating", "backing up to", fmt.Sprintf("migrated to schema %d", Version+2)} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log doesn't say %q:\n%s", want, log.String())
		}
	}
}

func TestMigrationRollsBack(t *testing.T) {
	ctx := context.Background()
	o := ledgerAt(t, 3)
	steps := append(migrations(), invented(Version+1, `CREATE TABLE more (n)`), invented(Version+2, `ALTER TABLE nowhere ADD COLUMN x`))
	plan, err := migrate(ctx, o, steps, store.MigrateOptions{Keep: 5})
	if err == nil || !strings.Contains(err.Error(), "rolled back") || !strings.Contains(model.HintOf(err), plan.Backup) {
		t.Fatalf("it ended with %v (%s)", err, model.HintOf(err))
	}
	if v := versionAt(t, o.Path); v != Version {
		t.Fatalf("it left schema %d", v)
	}
	look(t, o.Path, func(c *conn) error {
		if err := c.run(ctx, `SELECT * FROM more`); err == nil {
			return errors.New("a step of the failed migration stayed")
		}
		return nil
	})
	s, err := Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// A database that a newer program made is refused with the version it needs,
// also by a program that has it open when it is migrated.
func TestNewerSchemaIsRefused(t *testing.T) {
	ctx := context.Background()
	o := ledgerAt(t, 1)
	s, err := Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if _, err := migrate(ctx, o, append(migrations(), invented(Version+1, `CREATE TABLE more (n)`)), store.MigrateOptions{}); err != nil {
		t.Fatal(err)
	}
	refused := func(what string, err error) {
		t.Helper()
		if model.CodeOf(err) != model.CodeSchema || !strings.Contains(err.Error()+model.HintOf(err), fmt.Sprintf("schema %d", Version+1)) {
			t.Errorf("%s: %v (%s)", what, err, model.HintOf(err))
		}
	}
	_, err = s.Append(ctx, []model.Draft{{Topic: "t", Producer: "p", Kind: model.KindNote, Payload: json.RawMessage(`{}`)}})
	refused("an append", err)
	_, err = Open(ctx, o)
	refused("an open", err)
	o.ReadOnly = true
	_, err = Open(ctx, o)
	refused("a read-only open", err)
	_, err = Migrate(ctx, o, store.MigrateOptions{})
	refused("a migration", err)
}

// Fifteen that start together migrate once; the others wait.
func TestMigrationRace(t *testing.T) {
	ctx := context.Background()
	o := ledgerAt(t, 3)
	var mu sync.Mutex
	ran := 0
	steps := append(migrations(), migration{Version + 1, "counted", func(ctx context.Context, c *conn, _ Options) error {
		mu.Lock()
		ran++
		mu.Unlock()
		return c.run(ctx, `CREATE TABLE more (n)`)
	}})
	var wg sync.WaitGroup
	done := 0
	for range 15 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			plan, err := migrate(ctx, o, steps, store.MigrateOptions{Keep: 5})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && plan.Done:
				done++
			case err != nil && model.CodeOf(err) != model.CodeSchema:
				t.Errorf("a racer ended with %v", err)
			}
		}()
	}
	wg.Wait()
	if ran != 1 || done != 1 || versionAt(t, o.Path) != Version+1 {
		t.Fatalf("the step ran %d times, %d say they did it, schema %d", ran, done, versionAt(t, o.Path))
	}
	backups, _ := filepath.Glob(o.Path + ".backup-*")
	if len(backups) != 1 {
		t.Fatalf("backups: %v", backups)
	}
}

func TestBackupsArePruned(t *testing.T) {
	o := ledgerAt(t, 1)
	now := model.Time(1_800_000_000_000_000)
	o.Clock = model.WallOnly(func() model.Time { now += 1_000_000; return now })
	stray, theirs := o.Path+".backup-notes", o.Path+".backup-2025-before-the-move"
	if err := errors.Join(os.Mkdir(stray, 0o700), os.WriteFile(theirs, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	var made []string
	for to := int64(2); to < 6; to++ {
		steps := []migration{invented(to, fmt.Sprintf(`CREATE TABLE more%d (n)`, to))}
		plan, err := migrateFrom(t, o, steps)
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, plan.Backup)
	}
	for i, name := range made {
		_, err := os.Stat(name)
		if kept := err == nil; kept != (i >= 2) {
			t.Errorf("backup %d of 4, two to be kept: %v", i+1, err)
		}
	}
	for _, path := range []string{stray, theirs} {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("somebody's own was removed: %v", err)
		}
	}
}

// migrateFrom migrates a database whose version this program takes for its own:
// the version is put back before.
func migrateFrom(t *testing.T, o Options, steps []migration) (store.Plan, error) {
	t.Helper()
	c, err := openConn(context.Background(), noLayout, dsn(o.Path, "mode=rw", "_pragma=busy_timeout(5000)"))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.run(context.Background(), `PRAGMA user_version = 1`); err != nil {
		t.Fatal(err)
	}
	if err := c.close(); err != nil {
		t.Fatal(err)
	}
	return migrate(context.Background(), o, steps, store.MigrateOptions{Keep: 2})
}
