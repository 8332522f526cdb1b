package coord

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"errors"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/session"
)

// Sessions are the projection of the facts about sessions: events of kind coord
// whose topic begins with "session.".
var Sessions = store.NewRecords(store.Definition[session.Session]{
	Noun: session.Machine().Noun, Kind: model.KindCoord, Topic: "session.", Table: "sessions", Form: 2,
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
		store.TextOrNull("task", func(s *session.Session) *string { return &s.Task }),
		store.TextOrNull("model", func(s *session.Session) *string { return &s.Model }),
		store.Text("state", func(s *session.Session) *string { return &s.State }),
		store.TextOrNull("reason", func(s *session.Session) *string { return &s.Reason }),
		store.TextOrNull("landed_as", func(s *session.Session) *string { return &s.LandedAs }),
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

// LoadSession returns the zero Session when there is none of the key.
func LoadSession(r store.Reader, key string) (session.Session, error) {
	s, err := Sessions.Get(r, key)
	if model.CodeOf(err) == model.CodeNotFound {
		return session.Session{}, nil
	}
	return s, err
}

// Tell appends facts about one session, and brings s up to them.
func Tell(tx store.Tx, s *session.Session, producer string, facts ...model.Draft) error {
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
	return Moved(tx)
}

// rowsMark names the mark that changes with every change of what is known of
// sessions. Most of them make no event, so the ledger's head does not tell. Its
// value is never used twice, not by a restored database either.
const rowsMark = "rows"

// Moved says in a write that it changed what is known of sessions.
func Moved(tx store.Tx) error {
	var mark [16]byte
	_, _ = rand.Read(mark[:]) // never fails
	_, err := tx.Exec(store.Upsert("coord_marks", "name", "value"), rowsMark, hex.EncodeToString(mark[:]))
	return err
}

// Mark is what Moved changed last, "" where it never did.
func Mark(r store.Reader) (mark string, err error) {
	err = r.QueryRow(`SELECT value FROM coord_marks WHERE name = $1`, rowsMark).Scan(&mark)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return mark, err
}

// RowsMoved makes every process read the sessions again, after their records
// were made anew.
func RowsMoved(ctx context.Context, s store.Store) error { return s.Write(ctx, Moved) }
