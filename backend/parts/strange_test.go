package parts_test

import (
	"testing"

	"binnacle/backend/coord"
	"binnacle/backend/fleet"
	"binnacle/backend/ledger"
	"binnacle/backend/queue"
	"binnacle/backend/store"
	"binnacle/model"
)

// strange is a projection that takes no event at all.
func strange(kind model.Kind, topic string) store.Part {
	return store.Part{Records: []store.Projection{store.NewRecords(store.Definition[boat]{
		Noun: "strange boat", Kind: kind, Topic: topic, Table: "strange_boats", Form: 1,
		Fields: []store.Field[boat]{
			store.Text("key", func(b *boat) *string { return &b.Key }),
			store.Text("state", func(b *boat) *string { return &b.State }),
			store.Int("first_seq", func(b *boat) *int64 { return &b.FirstSeq }),
			store.Int("last_seq", func(b *boat) *int64 { return &b.LastSeq }),
		},
		Apply: func(*boat, model.Event) error { return model.Errorf(model.CodeRefused, "it takes none") },
	})}}
}

// A projection that could refuse another engine's events is refused when it is
// registered, so that no commit of theirs ever meets it.
func TestAStrangeProjectionIsRefusedWhenItIsRegistered(t *testing.T) {
	for _, of := range []struct {
		kind  model.Kind
		topic string
	}{
		{model.KindDirective, ""},
		{model.KindDirective, "queue"},
		{model.KindSignal, ""},
		{model.KindWork, "ledger/work"},
		{model.KindCoord, ""},
		{model.KindCoord, "session.started"},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a second projection of %s %q is registered", of.kind, of.topic)
				}
			}()
			store.NewParts(ledger.Part(), queue.Part(), coord.Part(), fleet.Part(), strange(of.kind, of.topic))
		}()
	}
}
