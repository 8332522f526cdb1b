package ledger

import (
	"encoding/json"

	"binnacle/backend/store"
	"binnacle/model"
)

// Part is what the ledger keeps in the database beside the events: signals and
// work.
func Part() store.Part { return store.Part{Records: []store.Projection{Signals, Work}} }

// Signals are the projection of the events of kind signal.
var Signals = store.NewRecords(store.Definition[model.Signal]{
	Noun: model.SignalMachine().Noun, Kind: model.KindSignal, Table: "signals", Form: 1,
	Fields: []store.Field[model.Signal]{
		store.Text("key", func(s *model.Signal) *string { return &s.Key }),
		store.Text("state", func(s *model.Signal) *string { return &s.State }),
		store.Text("topic", func(s *model.Signal) *string { return &s.Topic }).Fixed(),
		store.Text("summary", func(s *model.Signal) *string { return &s.Summary }).Fixed(),
		store.Text("producer", func(s *model.Signal) *string { return &s.Producer }).Fixed(),
		store.TextOrNull("holder", func(s *model.Signal) *string { return &s.Holder }),
		store.Int("raised", func(s *model.Signal) *model.Time { return &s.Raised }).Fixed(),
		store.Int("since", func(s *model.Signal) *model.Time { return &s.Since }),
		store.IntOrNull("expires", func(s *model.Signal) *model.Time { return &s.Expires }).Fixed(),
		store.Int("first_seq", func(s *model.Signal) *int64 { return &s.FirstSeq }).Fixed(),
		store.Int("last_seq", func(s *model.Signal) *int64 { return &s.LastSeq }),
		store.Int("rev", func(s *model.Signal) *int64 { return &s.Rev }),
	},
	Indexes: []string{
		`CREATE INDEX signals_state ON signals (state, since)`,
		`CREATE INDEX signals_due ON signals (state, expires) WHERE expires IS NOT NULL`,
	},
	Unnamed: store.NameBySeq,
	Apply:   (*model.Signal).Apply,
	Counter: model.SignalCounter,
})

// Work is the projection of the events of kind work. The lease has a second end
// on the machine's own clock (model.Lease); the index serves what is due by
// either: on this boot along lease_awake, without a boot along lease_until, on
// other boots by a walk over their entries alone.
var Work = store.NewRecords(store.Definition[model.Work]{
	Noun: model.WorkMachine().Noun, Kind: model.KindWork, Table: "work_items", Form: 1,
	Fields: []store.Field[model.Work]{
		store.Text("key", func(w *model.Work) *string { return &w.Key }),
		store.Text("state", func(w *model.Work) *string { return &w.State }),
		store.Text("topic", func(w *model.Work) *string { return &w.Topic }).Fixed(),
		store.Text("executor", func(w *model.Work) *string { return &w.Executor }),
		store.TextOrNull("token_hash", func(w *model.Work) *string { return &w.TokenHash }),
		store.IntOrNull("lease_until", func(w *model.Work) *model.Time { return &w.LeaseUntil }),
		store.IntOrNull("lease_seconds", func(w *model.Work) *int64 { return &w.Lease }),
		store.Int("attempt", func(w *model.Work) *int64 { return &w.Attempt }),
		store.Int("claimed_at", func(w *model.Work) *model.Time { return &w.ClaimedAt }),
		store.Int("since", func(w *model.Work) *model.Time { return &w.Since }),
		store.TextOrNull("reason", func(w *model.Work) *string { return &w.Reason }),
		store.JSONOrNull("evidence", func(w *model.Work) *json.RawMessage { return &w.Evidence }),
		store.Int("first_seq", func(w *model.Work) *int64 { return &w.FirstSeq }).Fixed(),
		store.Int("last_seq", func(w *model.Work) *int64 { return &w.LastSeq }),
		store.Int("rev", func(w *model.Work) *int64 { return &w.Rev }),
		store.TextOrNull("lease_boot", func(w *model.Work) *string { return &w.LeaseBoot }),
		store.IntOrNull("lease_awake", func(w *model.Work) *int64 { return &w.LeaseAwake }),
	},
	Indexes: []string{
		`CREATE INDEX work_items_state ON work_items (state, since)`,
		`CREATE INDEX work_items_lease ON work_items (lease_boot, lease_awake, lease_until) WHERE state = 'claimed'`,
	},
	Apply:   (*model.Work).Apply,
	Counter: model.WorkCounter,
})
