package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
	"sync"

	"binnacle/backend/store"
	"binnacle/backend/store/sqlitefile"
	"binnacle/backend/workspace"
	"binnacle/model"
)

// lockSuffix ends the name of the lock under which the schema is migrated and
// the derived tables are rebuilt.
const lockSuffix = ".lock"

// migration takes the schema from one version to the next.
type migration struct {
	to    int64
	title string
	apply func(ctx context.Context, c *conn, o Options) error
}

// migrations lists the steps in order; the last one's version is Version.
func migrations() []migration {
	return []migration{{1, "first schema", createV1}, {2, "second schema", createV2}, {3, "sealed events", createV3}}
}

func createV1(ctx context.Context, c *conn, o Options) error {
	for _, text := range schemaV1 {
		if err := c.run(ctx, text); err != nil {
			return err
		}
	}
	if err := c.run(ctx, fmt.Sprintf("PRAGMA application_id = %d", applicationID)); err != nil {
		return err
	}
	return c.run(ctx, `INSERT INTO meta (name, value) VALUES ('epoch', $1), ('created', $2)`,
		newEpoch(), o.Clock.Now().String())
}

// Migrate brings the database's schema up to date: it takes the migration lock,
// so that processes which start together wait while one of them does it; makes
// a backup, WAL pages included, and checks it; runs the steps in one
// transaction, which is rolled back when one fails; and keeps the last backups.
// It says on o.Log what it does. CodeSchema when the database is newer than
// this program.
func Migrate(ctx context.Context, o Options, m store.MigrateOptions) (store.Plan, error) {
	path, err := filepath.Abs(o.Path)
	if err != nil {
		return store.Plan{}, sqlitefile.Explain("find the database", err)
	}
	o.Path = path
	o = o.withDefaults()
	if _, err := os.Lstat(path); err != nil {
		return store.Plan{}, sqlitefile.Explain("look at the database", err)
	}
	if err := checkPlace(o); err != nil {
		return store.Plan{}, err
	}
	return migrate(ctx, o, migrations(), m)
}

func migrate(ctx context.Context, o Options, steps []migration, m store.MigrateOptions) (store.Plan, error) {
	lock, err := workspace.WaitLock(ctx, o.Path+lockSuffix, func(reason error) {
		say(o, "waiting for a migration: %v", reason)
	})
	if err != nil {
		return store.Plan{}, err
	}
	defer func() { _ = lock.Release() }()

	c, err := openWriter(ctx, o)
	if err != nil {
		return store.Plan{}, err
	}
	defer func() { _ = c.close() }()

	plan, err := planFor(c, steps)
	if err != nil || m.DryRun || len(plan.Steps) == 0 {
		return plan, err
	}
	// From here on nobody can write, so the backup holds everything.
	if err := c.exec(stmtBegin); err != nil {
		return plan, sqlitefile.Explain("migrate the database", err)
	}
	plan, err = runSteps(ctx, c, o, steps, plan, m)
	if err != nil {
		_ = c.exec(stmtRollback)
		return plan, err
	}
	return plan, nil
}

func planFor(c *conn, steps []migration) (store.Plan, error) {
	from, err := schemaOf(c)
	p := store.Plan{From: from, To: from}
	if err != nil {
		return p, err
	}
	for _, s := range steps {
		if s.to > from {
			p.To = s.to
			p.Steps = append(p.Steps, fmt.Sprintf("schema %d: %s", s.to, s.title))
		}
	}
	if from == 0 {
		return p, nil
	}
	stale, err := c.stale()
	if step := fitStep(stale); step != "" {
		p.Steps = append(p.Steps, step)
	}
	return p, err
}

func runSteps(ctx context.Context, c *conn, o Options, steps []migration, p store.Plan, m store.MigrateOptions) (store.Plan, error) {
	// The version may have been read before another program's transaction.
	again, err := planFor(c, steps)
	if err != nil || len(again.Steps) == 0 {
		_ = c.exec(stmtRollback)
		return again, err
	}
	p = again
	if p.From > 0 {
		say(o, "migrating %s from schema %d to %d", o.Path, p.From, p.To)
		p.Backup = backupName(o)
		say(o, "backing up to %s", p.Backup)
		if err := backupFile(ctx, o.Path, p.Backup, nil); err != nil {
			return p, err
		}
	}
	for _, s := range steps {
		if s.to <= p.From {
			continue
		}
		if err := s.apply(ctx, c, o); err != nil {
			return p, failedStep(s, p, err)
		}
	}
	if p.To >= Version { // an older schema had the engines' tables in it
		if err := fit(ctx, c, o); err != nil {
			return p, sqlitefile.Explain("migrate the database", err)
		}
	}
	if err := c.run(ctx, fmt.Sprintf("PRAGMA user_version = %d", p.To)); err != nil {
		return p, sqlitefile.Explain("migrate the database", err)
	}
	if err := c.exec(stmtCommit); err != nil {
		return p, sqlitefile.Explain("migrate the database", err)
	}
	p.Done = true
	if p.From > 0 {
		p.Removed = pruneBackups(o.Path, max(m.Keep, 1))
		say(o, "migrated to schema %d", p.To)
	}
	return p, nil
}

func failedStep(s migration, p store.Plan, err error) error {
	e := model.Errorf(model.CodeOf(sqlitefile.Explain("migrate", err)),
		"the migration to schema %d (%s) failed and was rolled back: %w", s.to, s.title, err)
	if p.Backup != "" {
		return e.WithHint("nothing was changed; a backup from before is at %s", p.Backup)
	}
	return e
}

func say(o Options, format string, args ...any) {
	_, _ = fmt.Fprintf(o.Log, "binnacle: "+format+"\n", args...)
}

// schemaOf returns the database's schema version, 0 for an empty one. A file
// that is not ours, or newer than this program, is refused.
func schemaOf(c *conn) (int64, error) {
	v, app, tables, err := marksOf(c)
	if err == nil && app != applicationID && (tables > 0 || v != 0 || app != 0) {
		// The three are read one by one: another process may have made the first
		// schema between them.
		v, app, tables, err = marksOf(c)
	}
	switch {
	case err != nil:
		return 0, sqlitefile.Explain("open the database", err)
	case app == applicationID && v > Version:
		return v, otherSchema(v)
	case app == applicationID:
		return v, nil
	case tables > 0 || v != 0 || app != 0:
		return 0, model.Errorf(model.CodeSchema, "the file is a database of another program")
	}
	return 0, nil
}

// marksOf reads what tells whose database it is.
func marksOf(c *conn) (version, app, tables int64, err error) {
	if app, err = pragmaInt(c, stmtApplicationID); err != nil {
		return 0, 0, 0, err
	}
	if version, err = pragmaInt(c, stmtUserVersion); err != nil || app == applicationID {
		return version, app, 0, err
	}
	tables, err = pragmaInt(c, stmtTables)
	return version, app, tables, err
}

func otherSchema(v int64) error {
	if v > Version {
		return model.Errorf(model.CodeSchema,
			"the database has schema %d; this program reads up to schema %d", v, Version).
			WithHint("use a newer binnacle: one that knows schema %d", v)
	}
	return model.Errorf(model.CodeSchema, "the database has schema %d and this program needs %d", v, Version).
		WithHint("run binnacle queue migrate")
}

// backupName is the file that a migration's backup goes to.
func backupName(o Options) string {
	base := o.Path + ".backup-" + o.Clock.Now().Std().Format("20060102T150405.000000Z")
	name := base
	for n := 2; ; n++ {
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			return name
		}
		name = fmt.Sprintf("%s-%d", base, n)
	}
}

// backupForm is how backupName ends its names. What somebody else called a backup
// is theirs.
var backupForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\d{8}T\d{6}\.\d{6}Z(-\d+)?$`)
})

// pruneBackups removes all but the newest backups of the database; it returns
// what it removed.
func pruneBackups(path string, keep int) []string {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if when, ok := strings.CutPrefix(e.Name(), filepath.Base(path)+".backup-"); ok && backupForm().MatchString(when) && e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	sort.Strings(names) // the time in the name sorts
	var removed []string
	for i := 0; i < len(names)-keep; i++ {
		name := filepath.Join(filepath.Dir(path), names[i])
		if os.Remove(name) == nil {
			removed = append(removed, name)
		}
	}
	return removed
}
