package fleet

import (
	"binnacle/backend/store"
	"binnacle/model"
)

// Sessions are the projection of the facts about sessions: events of kind coord
// whose topic begins with "session.".
var Sessions = store.NewRecords(store.Definition[model.Session]{
	Noun: model.SessionMachine().Noun, Kind: model.KindCoord, Topic: "session.", Table: "sessions", Form: 1,
	Fields: []store.Field[model.Session]{
		store.Text("key", func(s *model.Session) *string { return &s.Key }),
		store.Text("tool", func(s *model.Session) *string { return &s.Tool }),
		store.Text("id", func(s *model.Session) *string { return &s.ID }),
		store.TextOrNull("machine", func(s *model.Session) *string { return &s.Machine }),
		store.TextOrNull("boot", func(s *model.Session) *string { return &s.Boot }),
		store.Int("incarnation", func(s *model.Session) *int64 { return &s.Incarnation }),
		store.TextOrNull("parent", func(s *model.Session) *string { return &s.Parent }),
		store.TextOrNull("actor", func(s *model.Session) *string { return &s.Actor }),
		store.TextOrNull("change", func(s *model.Session) *string { return &s.Change }),
		store.TextOrNull("base", func(s *model.Session) *string { return &s.Base }),
		store.TextOrNull("view", func(s *model.Session) *string { return &s.View }),
		store.Text("state", func(s *model.Session) *string { return &s.State }),
		store.TextOrNull("reason", func(s *model.Session) *string { return &s.Reason }),
		store.Int("started", func(s *model.Session) *model.Time { return &s.Started }),
		store.Int("since", func(s *model.Session) *model.Time { return &s.Since }),
		store.ListOrNull("paths", func(s *model.Session) *[]string { return &s.Paths }),
		store.Int("rev", func(s *model.Session) *int64 { return &s.Rev }),
		store.Int("first_seq", func(s *model.Session) *int64 { return &s.FirstSeq }).Fixed(),
		store.Int("last_seq", func(s *model.Session) *int64 { return &s.LastSeq }),
	},
	Indexes: []string{
		`CREATE INDEX sessions_open ON sessions (since) WHERE state <> 'ended'`,
		`CREATE INDEX sessions_ended ON sessions (since) WHERE state = 'ended'`,
	},
	Apply: (*model.Session).Apply,
})

// loadSession returns the zero Session when there is none.
func loadSession(r store.Reader, key string) (model.Session, error) {
	s, err := Sessions.Get(r, key)
	if model.CodeOf(err) == model.CodeNotFound {
		return model.Session{}, nil
	}
	return s, err
}

// tell appends facts about one session, and brings s up to them.
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
		if *s, err = Sessions.Get(tx, e.Key); err != nil {
			return err
		}
	}
	if len(facts) == 0 {
		return nil
	}
	return moved(tx)
}
