package fleet

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"binnacle/backend/store"
	"binnacle/model"
)

// tables are this engine's own. fleet_sessions is derived from the ledger's
// session facts and nothing else (RebuildSessions makes it anew); fleet_seen,
// fleet_process, fleet_place and fleet_unknown are telemetry, fleet_marks are places in other logs.
var tables = []string{
	`CREATE TABLE IF NOT EXISTS fleet_sessions (
		key TEXT PRIMARY KEY, tool TEXT NOT NULL, id TEXT NOT NULL, machine TEXT NOT NULL, boot TEXT NOT NULL,
		incarnation INTEGER NOT NULL, parent TEXT NOT NULL, actor TEXT NOT NULL, change TEXT NOT NULL, base TEXT NOT NULL,
		view TEXT NOT NULL, state TEXT NOT NULL, reason TEXT NOT NULL, started INTEGER NOT NULL, since INTEGER NOT NULL,
		paths TEXT NOT NULL, rev INTEGER NOT NULL, first_seq INTEGER NOT NULL, last_seq INTEGER NOT NULL
	) WITHOUT ROWID`,
	`CREATE INDEX IF NOT EXISTS fleet_sessions_open ON fleet_sessions (since) WHERE state <> 'ended'`,
	`CREATE INDEX IF NOT EXISTS fleet_sessions_ended ON fleet_sessions (since) WHERE state = 'ended'`,
	`CREATE TABLE IF NOT EXISTS fleet_seen (
		key TEXT PRIMARY KEY, boot TEXT NOT NULL, up INTEGER NOT NULL, wall INTEGER NOT NULL, event TEXT NOT NULL,
		events INTEGER NOT NULL, ctx_used INTEGER NOT NULL, ctx_max INTEGER NOT NULL, last_write TEXT NOT NULL,
		write_boot TEXT NOT NULL, write_up INTEGER NOT NULL, write_wall INTEGER NOT NULL,
		pid INTEGER NOT NULL, pid_start INTEGER NOT NULL, parent TEXT NOT NULL
	) WITHOUT ROWID`,
	// The process behind a session's newest report, and the plugin's number of it.
	`CREATE TABLE IF NOT EXISTS fleet_process (
		key TEXT PRIMARY KEY, pid INTEGER NOT NULL, pid_start INTEGER NOT NULL, space TEXT NOT NULL, n INTEGER NOT NULL
	) WITHOUT ROWID`,
	// Where a session runs and what it is about, as JSON: for this machine alone.
	`CREATE TABLE IF NOT EXISTS fleet_place (key TEXT PRIMARY KEY, place TEXT NOT NULL) WITHOUT ROWID`,
	`CREATE TABLE IF NOT EXISTS fleet_unknown (
		tool TEXT NOT NULL, event TEXT NOT NULL, count INTEGER NOT NULL, seen INTEGER NOT NULL, members TEXT NOT NULL,
		PRIMARY KEY (tool, event)
	) WITHOUT ROWID`,
	`CREATE TABLE IF NOT EXISTS fleet_marks (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID`,
}

// Tables returns the statements that make this engine's tables, for a
// migration that wants to make them with the rest.
func Tables() []string { return append([]string(nil), tables...) }

// tableNames are the tables below, by name.
var tableNames = []string{"fleet_sessions", "fleet_seen", "fleet_process", "fleet_place", "fleet_unknown", "fleet_marks"}

// tablesThere counts the tables below.
const tablesThere = `SELECT count(*) FROM sqlite_master WHERE name IN ('fleet_sessions', 'fleet_seen', 'fleet_process', 'fleet_place', 'fleet_unknown', 'fleet_marks')`

// ready says whether the database has our tables; a read never makes them.
func (f *Fleet) ready(ctx context.Context) (ok bool, err error) {
	if f.opts.Store == nil {
		return false, nil
	}
	f.mu.Lock()
	done := f.tables
	f.mu.Unlock()
	if done {
		return true, nil
	}
	err = f.opts.Store.Read(ctx, func(r store.Reader) error {
		ok, err = f.readyIn(r)
		return err
	})
	return ok, err
}

// readyIn says at the reader's instant whether the database has our tables.
func (f *Fleet) readyIn(r store.Reader) (bool, error) {
	f.mu.Lock()
	done := f.tables
	f.mu.Unlock()
	if done {
		return true, nil
	}
	n := 0
	if err := r.QueryRow(tablesThere).Scan(&n); err != nil {
		return false, err
	}
	f.mu.Lock()
	f.tables = n == len(tableNames)
	f.mu.Unlock()
	return n == len(tableNames), nil
}

// prepare makes the tables where they are not there.
func (f *Fleet) prepare(ctx context.Context) error {
	if f.opts.Store == nil {
		return model.Errorf(model.CodeNoWork, "no workspace here; run binnacle init")
	}
	ok, err := f.ready(ctx)
	if err != nil || ok {
		return err
	}
	return f.opts.Store.Write(ctx, makeTables)
}

// makeTables makes the tables within a write. A hook asks this way, for asking
// in a read would open another connection for it.
func makeTables(tx store.Tx) error {
	n := 0
	if err := tx.QueryRow(tablesThere).Scan(&n); err != nil || n == len(tableNames) {
		return err
	}
	for _, t := range tables {
		if _, err := tx.Exec(t); err != nil {
			return err
		}
	}
	return nil
}

const sessionColumns = `key, tool, id, machine, boot, incarnation, parent, actor, change, base, view, state, reason, started, since, paths, rev, first_seq, last_seq`

func scanSession(row interface{ Scan(...any) error }) (model.Session, error) {
	var s model.Session
	var paths string
	err := row.Scan(&s.Key, &s.Tool, &s.ID, &s.Machine, &s.Boot, &s.Incarnation, &s.Parent, &s.Actor, &s.Change, &s.Base,
		&s.View, &s.State, &s.Reason, &s.Started, &s.Since, &paths, &s.Rev, &s.FirstSeq, &s.LastSeq)
	if err != nil {
		return model.Session{}, err
	}
	return s, json.Unmarshal([]byte(paths), &s.Paths)
}

// loadSession returns the zero Session when there is none.
func loadSession(r store.Reader, key string) (model.Session, error) {
	s, err := scanSession(r.QueryRow(`SELECT `+sessionColumns+` FROM fleet_sessions WHERE key = $1`, key))
	if errors.Is(err, sql.ErrNoRows) {
		return model.Session{}, nil
	}
	return s, err
}

func saveSession(tx store.Tx, s model.Session) error {
	paths, err := json.Marshal(s.Paths)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT OR REPLACE INTO fleet_sessions (`+sessionColumns+`)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19)`,
		s.Key, s.Tool, s.ID, s.Machine, s.Boot, s.Incarnation, s.Parent, s.Actor, s.Change, s.Base, s.View, s.State, s.Reason,
		int64(s.Started), int64(s.Since), string(paths), s.Rev, s.FirstSeq, s.LastSeq)
	if err != nil {
		return err
	}
	return moved(tx)
}

// tell appends a session's facts and moves its record through the one reducer.
func tell(tx store.Tx, s *model.Session, producer string, facts []model.Draft) error {
	for _, d := range facts {
		d.Producer = producer
		if err := d.Check(); err != nil {
			return err
		}
		e, err := tx.Append(d)
		if err != nil {
			return err
		}
		if err := s.Apply(e); err != nil {
			return err
		}
	}
	if len(facts) == 0 {
		return nil
	}
	return saveSession(tx, *s)
}

// RebuildSessions makes fleet_sessions anew from the ledger's facts, in one
// transaction, and says how many sessions there are.
func (f *Fleet) RebuildSessions(ctx context.Context) (int, error) {
	if err := f.prepare(ctx); err != nil {
		return 0, err
	}
	n := 0
	err := f.opts.Store.Write(ctx, func(tx store.Tx) error {
		all, err := foldSessions(tx)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(`DELETE FROM fleet_sessions`); err != nil {
			return err
		}
		for _, key := range sortedKeys(all) {
			if err := saveSession(tx, *all[key]); err != nil {
				return err
			}
		}
		n = len(all)
		return moved(tx)
	})
	return n, err
}

func foldSessions(r store.Reader) (map[string]*model.Session, error) {
	rows, err := r.Query(`SELECT seq FROM events WHERE kind = 'coord' AND topic GLOB 'session.*' ORDER BY seq`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var seqs []int64
	for rows.Next() {
		var seq int64
		if err := rows.Scan(&seq); err != nil {
			return nil, err
		}
		seqs = append(seqs, seq)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	all := map[string]*model.Session{}
	for _, seq := range seqs {
		e, err := r.Event(seq)
		if err != nil {
			return nil, err
		}
		s := all[e.Key]
		if s == nil {
			s = &model.Session{}
		}
		// A fact by another writer that our machine does not have leaves the
		// session as it was.
		if s.Apply(e) == nil {
			all[e.Key] = s
		}
	}
	return all, nil
}
