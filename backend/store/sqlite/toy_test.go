package sqlite

import (
	"binnacle/backend/store"
	"binnacle/model"
)

// boat is a kind of record that only tests of the tables know.
type boat struct {
	Key, State        string
	FirstSeq, LastSeq int64
}

var toy = store.NewRecords(store.Definition[boat]{
	Noun: "boat", Kind: model.KindGeneric, Topic: "boat/", Table: "boats", Form: 1,
	Fields: []store.Field[boat]{
		store.Text("key", func(b *boat) *string { return &b.Key }),
		store.Text("state", func(b *boat) *string { return &b.State }),
		store.Int("first_seq", func(b *boat) *int64 { return &b.FirstSeq }).Fixed(),
		store.Int("last_seq", func(b *boat) *int64 { return &b.LastSeq }),
	},
	Sides: []store.SideOf[boat]{{SideForm: store.SideForm{Table: "boat_crew", Columns: []store.Column{store.SideInt("boat"), store.SideInt("sailor")}}}},
})
