package store

import (
	"binnacle/model"
)

// boat is a kind of record that only tests of the tables know.
type boat struct {
	Key, State        string
	FirstSeq, LastSeq int64
}

var toy = NewRecords(Definition[boat]{
	Noun: "boat", Kind: model.KindGeneric, Topic: "boat/", Table: "boats", Form: 1,
	Fields: []Field[boat]{
		Text("key", func(b *boat) *string { return &b.Key }),
		Text("state", func(b *boat) *string { return &b.State }),
		Int("first_seq", func(b *boat) *int64 { return &b.FirstSeq }).Fixed(),
		Int("last_seq", func(b *boat) *int64 { return &b.LastSeq }),
	},
	Sides: []SideOf[boat]{{SideForm: SideForm{Table: "boat_crew", Columns: []Column{SideInt("boat"), SideInt("sailor")}}}},
})
