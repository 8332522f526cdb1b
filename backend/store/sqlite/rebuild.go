package sqlite

import (
	"context"
	"database/sql/driver"
	"maps"
	"slices"

	"binnacle/backend/store"
	"binnacle/backend/store/sqlitefile"
	"binnacle/backend/workspace"
)

// Rebuild makes the derived tables anew from the events: it takes the
// migration lock, makes a checked backup (the last KeepBackups are kept), makes
// the tables and indexes as this version has them, replays every event in memory, and swaps the tables' content in the same
// transaction. Nobody sees a half of it, and no number or id changes. An event
// that breaks its record's state machine leaves the record as it was, and is
// named on the log. progress, which may be nil, hears of the events replayed.
func (s *Store) Rebuild(ctx context.Context, progress func(done, total int64)) error {
	if s.commits == nil {
		return s.refuse()
	}
	lock, err := workspace.WaitLock(ctx, s.opt.Path+lockSuffix, func(reason error) { say(s.opt, "waiting: %v", reason) })
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }()
	return s.commits.alone(ctx, func(c *conn) error {
		if err := s.commits.beginTransaction(); err != nil {
			return sqlitefile.Explain("rebuild", err)
		}
		// The records that the committer remembers may not be what is rebuilt.
		defer func() { s.commits.txn.intact = false }()
		err := s.rebuild(ctx, c, progress)
		if err == nil {
			err = c.exec(stmtCommit)
		}
		if err != nil {
			_ = c.exec(stmtRollback)
			return sqlitefile.Explain("rebuild", err)
		}
		return s.readEpoch(c)
	})
}

func (s *Store) rebuild(ctx context.Context, c *conn, progress func(done, total int64)) error {
	backup := backupName(s.opt)
	say(s.opt, "backing up to %s", backup)
	if err := backupFile(ctx, s.opt.Path, backup, nil); err != nil {
		return err
	}
	pruneBackups(s.opt.Path, store.KeepBackups)
	want, err := c.of.wanted(ctx)
	if err != nil {
		return err
	}
	if err := want.mend(ctx, c, func(format string, args ...any) { say(s.opt, format, args...) }); err != nil {
		return err
	}
	if err := mendEvents(ctx, c); err != nil {
		return err
	}
	if err := refold(ctx, c, s.opt, progress); err != nil {
		return err
	}
	return restoreMeta(ctx, c, s.opt)
}

// refold makes all that follows from the events anew, within a transaction.
func refold(ctx context.Context, c *conn, o Options, progress func(done, total int64)) error {
	fold, sums, refused, err := replay(ctx, c, progress)
	if err != nil {
		return err
	}
	if len(refused) > 0 {
		say(o, "events that break their record's state machine: %v", refused)
	}
	if err := replaceDerived(ctx, c, fold); err != nil {
		return err
	}
	return restoreChecks(ctx, c, fold.Head.Seq, sums)
}

// restoreMeta gives a ledger that lost its epoch a new one, for nobody knows the
// former, and takes out rows that are not ours.
func restoreMeta(ctx context.Context, c *conn, o Options) error {
	said, err := metaDiffers(ctx, c)
	if err != nil || said == "" {
		return err
	}
	say(o, "%s", said)
	for _, text := range []string{
		`DELETE FROM meta WHERE name NOT IN ('epoch', 'created', 'forms')`,
		`INSERT OR REPLACE INTO meta (name, value) SELECT 'epoch', '` + newEpoch() + `'
			WHERE NOT EXISTS (SELECT 1 FROM meta WHERE name = 'epoch' AND typeof(value) = 'text' AND length(value) = 8 AND NOT value GLOB '*[^0-9a-f]*')`,
	} {
		if err := c.run(ctx, text); err != nil {
			return err
		}
	}
	if err := c.writeForms(ctx); err != nil {
		return err
	}
	if said, err = metaDiffers(ctx, c); err != nil || said == "" {
		return err
	}
	return c.run(ctx, `INSERT OR REPLACE INTO meta (name, value) VALUES ('created', $1)`, o.Clock.Now().String())
}

// replayPage is how many events are read at a time.
const replayPage = 2000

// maxRefused is how many refused events are named.
const maxRefused = 100

// replay folds every event. It returns the state, the checks, and the events
// that their records refused.
func replay(ctx context.Context, c *conn, progress func(done, total int64)) (*store.Fold, []byte, []int64, error) {
	fold := store.NewFold(c.of.Parts)
	var sums []byte
	var refused []int64
	total, err := lastEvent(c)
	if err != nil {
		return nil, nil, nil, err
	}
	for {
		page, err := readEvents(ctx, c, fold.Head.Seq, replayPage)
		if err != nil {
			return nil, nil, nil, err
		}
		if len(page) == 0 {
			return fold, sums, refused, nil
		}
		for _, e := range page {
			if _, _, err := fold.Apply(e); err != nil && len(refused) < maxRefused {
				refused = append(refused, e.Seq)
			}
			sums = appendSum(sums, e.Payload)
		}
		if progress != nil {
			progress(fold.Head.Seq, total)
		}
	}
}

func lastEvent(c *conn) (n int64, err error) {
	err = c.query(context.Background(), stmtLastEvent, func(v []driver.Value) bool {
		n = store.AsInt(v[0])
		return false
	})
	return n, err
}

// replaceDerived makes the derived tables hold exactly the fold.
func replaceDerived(ctx context.Context, c *conn, f *store.Fold) error {
	for _, table := range c.of.derivedTables() {
		if err := c.run(ctx, `DELETE FROM `+table); err != nil {
			return err
		}
	}
	if f.Head.Seq > 0 {
		if err := c.exec(stmtSetHead, f.Head.Seq, f.Head.Hash, int64(f.Head.TS)); err != nil {
			return err
		}
	}
	if err := c.addSpans(0, store.FullSpans(f.Head.Seq)); err != nil {
		return err
	}
	return c.sql.Raw(func(d any) error {
		for of, n := range f.Counts {
			if n == 0 {
				continue
			}
			if _, err := c.execOn(d, stmtAddCount, c.named([]driver.Value{of.Plane, of.Name, n})); err != nil {
				return err
			}
		}
		for i, k := range newCaches(c.of) {
			for _, key := range slices.Sorted(maps.Keys(f.Records[i])) {
				if err := c.save(d, &k, nil, f.Records[i][key]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// restoreChecks keeps the checks when they cover exactly the events that are not
// sealed: they bear witness of what the payloads were. Only incomplete ones are
// made anew. sums are all events'.
func restoreChecks(ctx context.Context, c *conn, last int64, sums []byte) error {
	oldest, err := readOldest(ctx, c)
	if err != nil {
		return err
	}
	next, whole := oldest, true
	rows, err := c.sql.QueryContext(ctx, `SELECT first, length(sums) FROM checks ORDER BY first`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var first, size int64
		if err := rows.Scan(&first, &size); err != nil {
			return err
		}
		if first < oldest && next == oldest {
			next = first // its first events are sealed
		}
		whole = whole && first == next && size > 0 && size%store.SumSize == 0
		next = first + size/store.SumSize
	}
	if err := rows.Err(); err != nil || whole && next == last+1 {
		return err
	}
	_ = rows.Close()
	if err := c.run(ctx, `DELETE FROM checks`); err != nil {
		return err
	}
	const each = 1000
	for i := oldest - 1; i*store.SumSize < int64(len(sums)); i += each {
		part := sums[i*store.SumSize : min((i+each)*store.SumSize, int64(len(sums)))]
		if err := c.exec(stmtAddChecks, i+1, part); err != nil {
			return err
		}
	}
	return nil
}
