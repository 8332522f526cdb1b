package store

import (
	"context"
	"database/sql/driver"
	"sort"

	"binnacle/model"
)

// Rebuild makes the derived tables anew from the events: it takes the
// migration lock, makes a checked backup (the last KeepBackups are kept),
// replays every event in memory, and swaps the tables' content in the same
// transaction. Nobody sees a half of it, and no number or id changes. An event
// that breaks its record's state machine leaves the record as it was, and is
// named on the log. progress, which may be nil, hears of the events replayed.
func (s *SQLite) Rebuild(ctx context.Context, progress func(done, total int64)) error {
	if s.commits == nil {
		return s.refuse()
	}
	lock, err := WaitLock(ctx, s.opt.Path+lockSuffix, func(reason error) { say(s.opt, "waiting: %v", reason) })
	if err != nil {
		return err
	}
	defer func() { _ = lock.Release() }()
	return s.commits.alone(ctx, func(c *conn) error {
		if err := s.commits.beginTransaction(); err != nil {
			return Explain("rebuild", err)
		}
		// The records that the committer remembers may not be what is rebuilt.
		defer func() { s.commits.txn.intact = false }()
		err := s.rebuild(ctx, c, progress)
		if err == nil {
			err = c.exec(stmtCommit)
		}
		if err != nil {
			_ = c.exec(stmtRollback)
			return Explain("rebuild", err)
		}
		return s.readEpoch(c)
	})
}

func (s *SQLite) rebuild(ctx context.Context, c *conn, progress func(done, total int64)) error {
	backup := backupName(s.opt)
	say(s.opt, "backing up to %s", backup)
	if err := backupFile(ctx, s.opt.Path, backup); err != nil {
		return err
	}
	pruneBackups(s.opt.Path, KeepBackups)
	state, sums, refused, err := replay(ctx, c, progress)
	if err != nil {
		return err
	}
	if len(refused) > 0 {
		say(s.opt, "events that break their record's state machine: %v", refused)
	}
	if err := replaceDerived(ctx, c, state); err != nil {
		return err
	}
	if err := restoreMeta(ctx, c, s.opt); err != nil {
		return err
	}
	return restoreChecks(ctx, c, state.Head.Seq, sums)
}

// restoreMeta gives a ledger that lost its epoch a new one, for nobody knows the
// former, and takes out rows that are not ours.
func restoreMeta(ctx context.Context, c *conn, o Options) error {
	said, err := metaDiffers(reader{ctx, c})
	if err != nil || said == "" {
		return err
	}
	say(o, "%s", said)
	for _, text := range []string{
		`DELETE FROM meta WHERE name NOT IN ('epoch', 'created')`,
		`INSERT OR REPLACE INTO meta (name, value) SELECT 'epoch', '` + newEpoch() + `'
			WHERE NOT EXISTS (SELECT 1 FROM meta WHERE name = 'epoch' AND typeof(value) = 'text' AND length(value) = 8 AND NOT value GLOB '*[^0-9a-f]*')`,
	} {
		if err := c.run(ctx, text); err != nil {
			return err
		}
	}
	if said, err = metaDiffers(reader{ctx, c}); err != nil || said == "" {
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
func replay(ctx context.Context, c *conn, progress func(done, total int64)) (*model.State, []byte, []int64, error) {
	state := model.NewState()
	var sums []byte
	var refused []int64
	total, err := lastEvent(c)
	if err != nil {
		return nil, nil, nil, err
	}
	for {
		page, err := readEvents(ctx, c, state.Head.Seq, replayPage)
		if err != nil {
			return nil, nil, nil, err
		}
		if len(page) == 0 {
			return state, sums, refused, nil
		}
		for _, e := range page {
			if state.Apply(e) != nil && len(refused) < maxRefused {
				refused = append(refused, e.Seq)
			}
			sums = appendSum(sums, e.Payload)
		}
		if progress != nil {
			progress(state.Head.Seq, total)
		}
	}
}

func lastEvent(c *conn) (n int64, err error) {
	err = c.query(context.Background(), stmtLastEvent, func(v []driver.Value) bool {
		n = asInt(v[0])
		return false
	})
	return n, err
}

// replaceDerived makes the derived tables hold exactly the state.
func replaceDerived(ctx context.Context, c *conn, s *model.State) error {
	for _, table := range derivedTables() {
		if err := c.run(ctx, `DELETE FROM `+table); err != nil {
			return err
		}
	}
	if s.Head.Seq > 0 {
		if err := c.exec(stmtSetHead, s.Head.Seq, s.Head.Hash, int64(s.Head.TS)); err != nil {
			return err
		}
	}
	if err := c.addSpans(0, FullSpans(s.Head.Seq)); err != nil {
		return err
	}
	return c.sql.Raw(func(d any) error {
		for of, n := range s.Counts {
			if n == 0 {
				continue
			}
			if _, err := c.execOn(d, stmtAddCount, c.named([]driver.Value{of.Plane, of.Name, n})); err != nil {
				return err
			}
		}
		if err := insertAll(c, d, s.Signals, insertSignal); err != nil {
			return err
		}
		if err := insertAll(c, d, s.Work, insertWork); err != nil {
			return err
		}
		return insertAll(c, d, s.Directives, insertDirective)
	})
}

func insertAll[T any](c *conn, d any, all map[string]*T, insert func(c *conn, d any, v *T) error) error {
	keys := make([]string, 0, len(all))
	for k := range all {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		if err := insert(c, d, all[k]); err != nil {
			return err
		}
	}
	return nil
}

// restoreChecks keeps the checks when they cover the events exactly: they bear
// witness of what the payloads were. Only incomplete ones are made anew.
func restoreChecks(ctx context.Context, c *conn, last int64, sums []byte) error {
	next, whole := int64(1), true
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
		whole = whole && first == next && size > 0 && size%SumSize == 0
		next = first + size/SumSize
	}
	if err := rows.Err(); err != nil || whole && next == last+1 {
		return err
	}
	_ = rows.Close()
	if err := c.run(ctx, `DELETE FROM checks`); err != nil {
		return err
	}
	const each = 1000
	for i := int64(0); i*SumSize < int64(len(sums)); i += each {
		part := sums[i*SumSize : min((i+each)*SumSize, int64(len(sums)))]
		if err := c.exec(stmtAddChecks, i+1, part); err != nil {
			return err
		}
	}
	return nil
}
