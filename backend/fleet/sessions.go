package fleet

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"

	"binnacle/backend/fleet/process"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/session"
)

// Sessions are the projection of the facts about sessions: events of kind coord
// whose topic begins with "session.".
var Sessions = store.NewRecords(store.Definition[session.Session]{
	Noun: session.Machine().Noun, Kind: model.KindCoord, Topic: "session.", Table: "sessions", Form: 1,
	Fields: []store.Field[session.Session]{
		store.Text("key", func(s *session.Session) *string { return &s.Key }),
		store.Text("tool", func(s *session.Session) *string { return &s.Tool }),
		store.Text("id", func(s *session.Session) *string { return &s.ID }),
		store.TextOrNull("machine", func(s *session.Session) *string { return &s.Machine }),
		store.TextOrNull("boot", func(s *session.Session) *string { return &s.Boot }),
		store.Int("incarnation", func(s *session.Session) *int64 { return &s.Incarnation }),
		store.TextOrNull("parent", func(s *session.Session) *string { return &s.Parent }),
		store.TextOrNull("actor", func(s *session.Session) *string { return &s.Actor }),
		store.TextOrNull("change", func(s *session.Session) *string { return &s.Change }),
		store.TextOrNull("base", func(s *session.Session) *string { return &s.Base }),
		store.TextOrNull("view", func(s *session.Session) *string { return &s.View }),
		store.Text("state", func(s *session.Session) *string { return &s.State }),
		store.TextOrNull("reason", func(s *session.Session) *string { return &s.Reason }),
		store.Int("started", func(s *session.Session) *model.Time { return &s.Started }),
		store.Int("since", func(s *session.Session) *model.Time { return &s.Since }),
		store.ListOrNull("paths", func(s *session.Session) *[]string { return &s.Paths }),
		store.Int("rev", func(s *session.Session) *int64 { return &s.Rev }),
		store.Int("first_seq", func(s *session.Session) *int64 { return &s.FirstSeq }).Fixed(),
		store.Int("last_seq", func(s *session.Session) *int64 { return &s.LastSeq }),
	},
	Indexes: []string{
		`CREATE INDEX sessions_open ON sessions (since) WHERE state <> 'ended'`,
		`CREATE INDEX sessions_ended ON sessions (since) WHERE state = 'ended'`,
	},
	Apply: (*session.Session).Apply,
})

// loadSession returns the zero Session when there is none.
func loadSession(r store.Reader, key string) (session.Session, error) {
	s, err := Sessions.Get(r, key)
	if model.CodeOf(err) == model.CodeNotFound {
		return session.Session{}, nil
	}
	return s, err
}

// tell appends facts about one session, and brings s up to them.
func tell(tx store.Tx, s *session.Session, producer string, facts []model.Draft) error {
	for _, d := range facts {
		d.Producer = producer
		if err := d.Check(); err != nil {
			return err
		}
		e, err := tx.Append(d)
		if err != nil {
			return err
		}
		if *s, err = Sessions.Get(tx, e.Key); err != nil {
			return err
		}
	}
	if len(facts) == 0 {
		return nil
	}
	return moved(tx)
}

// rowsMark names the mark that changes with every change of the sessions' rows.
// Most of them make no event, so the ledger's head does not tell. Its value is
// never used twice, not by a restored database either.
const rowsMark = "rows"

// moved says in a write that it changed the sessions' rows.
func moved(tx store.Tx) error {
	var mark [16]byte
	_, _ = rand.Read(mark[:]) // never fails
	return putMark(tx, rowsMark, hex.EncodeToString(mark[:]))
}

// Rows are this workspace's sessions at the instant of one read, those that are
// open first, the newest report first in each. The zero value has none.
type Rows struct{ list []Session }

// keptRows are the rows as they were read last; "" is no mark.
type keptRows struct {
	mark string
	rows Rows
}

// RowsMoved makes every process read the sessions' rows again, after they were
// made anew.
func RowsMoved(ctx context.Context, s store.Store) error { return s.Write(ctx, moved) }

// ReadRows reads the sessions' rows at the reader's instant. Where nothing
// changed them since they were read last it costs a look at one mark.
func (f *book) ReadRows(r store.Reader) (Rows, error) {
	var mark string
	err := r.QueryRow(`SELECT value FROM fleet_marks WHERE name = $1`, rowsMark).Scan(&mark)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return Rows{}, err
	}
	f.mu.Lock()
	kept := f.rows
	f.mu.Unlock()
	if mark != "" && kept.mark == mark {
		return kept.rows, nil
	}
	f.rowReads.Add(1)
	var rows Rows
	for _, where := range []string{`s.state <> 'ended'`, `s.state = 'ended'`} {
		if err := scanSessions(r, where, &rows.list); err != nil {
			return Rows{}, err
		}
	}
	f.mu.Lock()
	f.rows = keptRows{mark, rows}
	f.mu.Unlock()
	return rows, nil
}

// RowReads counts how often the rows themselves were read.
func (f *book) RowReads() int64 { return f.rowReads.Load() }

// judged are the sessions with what is known of their processes now.
func (f *book) judged(rows Rows, now model.Reading) []Session {
	out := append([]Session(nil), rows.list...)
	for i := range out {
		s := &out[i]
		s.Alive = s.State != session.Ended && f.judges(s, now) && process.Same(s.PID, s.start)
	}
	return out
}

// Part is what the fleet's engine keeps in the database: sessions, which follow
// from the ledger's facts, and tables that don't. fleet_seen, fleet_process,
// fleet_place and fleet_unknown are telemetry; fleet_marks are places in other logs.
func Part() store.Part {
	return store.Part{
		Records: []store.Projection{Sessions},
		Tables: []store.Table{
			{Name: "fleet_seen", Make: []string{`CREATE TABLE fleet_seen (
				key TEXT PRIMARY KEY, boot TEXT NOT NULL, up INTEGER NOT NULL, wall INTEGER NOT NULL, event TEXT NOT NULL,
				events INTEGER NOT NULL, ctx_used INTEGER NOT NULL, ctx_max INTEGER NOT NULL, last_write TEXT NOT NULL,
				write_boot TEXT NOT NULL, write_up INTEGER NOT NULL, write_wall INTEGER NOT NULL,
				pid INTEGER NOT NULL, pid_start INTEGER NOT NULL, parent TEXT NOT NULL
			)`}},
			// The process behind a session's newest report, and the plugin's number of it.
			{Name: "fleet_process", Make: []string{`CREATE TABLE fleet_process (
				key TEXT PRIMARY KEY, pid INTEGER NOT NULL, pid_start INTEGER NOT NULL, space TEXT NOT NULL, n INTEGER NOT NULL
			)`}},
			// Where a session runs and what it is about, as JSON: for this machine alone.
			{Name: "fleet_place", Make: []string{`CREATE TABLE fleet_place (key TEXT PRIMARY KEY, place TEXT NOT NULL)`}},
			{Name: "fleet_unknown", Make: []string{`CREATE TABLE fleet_unknown (
				tool TEXT NOT NULL, event TEXT NOT NULL, count INTEGER NOT NULL, seen INTEGER NOT NULL, members TEXT NOT NULL,
				PRIMARY KEY (tool, event)
			)`}},
			{Name: "fleet_marks", Make: []string{`CREATE TABLE fleet_marks (name TEXT PRIMARY KEY, value TEXT NOT NULL)`}},
		},
	}
}
