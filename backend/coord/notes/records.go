package notes

import (
	"database/sql/driver"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/note"
)

// Part is what the engine keeps in the database: notes, and what was written of them.
func Part() store.Part {
	return store.Part{Records: []store.Projection{Records, Texts}}
}

// Records are the projection of the facts about notes: events of kind coord
// whose topic begins with "note.".
var Records = store.NewRecords(store.Definition[note.Note]{
	Noun: note.Machine().Noun, Kind: model.KindCoord, Topic: "note.", Table: "notes", Form: 1,
	Fields: []store.Field[note.Note]{
		store.Text("id", func(n *note.Note) *string { return &n.ID }),
		store.Text("state", func(n *note.Note) *string { return &n.State }),
		store.Text("path", func(n *note.Note) *string { return &n.Path }).Fixed(),
		store.Text("writer", func(n *note.Note) *string { return &n.Writer }).Fixed(),
		store.Text("trust", func(n *note.Note) *string { return (*string)(&n.Trust) }).Fixed(),
		store.TextOrNull("at_commit", func(n *note.Note) *string { return &n.At }).Fixed(),
		store.TextOrNull("at_blob", func(n *note.Note) *string { return &n.Blob }).Fixed(),
		store.TextOrNull("supersedes", func(n *note.Note) *string { return &n.Supersedes }).Fixed(),
		store.TextOrNull("superseded_by", func(n *note.Note) *string { return &n.SupersededBy }),
		store.TextOrNull("endorsed_by", func(n *note.Note) *string { return &n.EndorsedBy }),
		store.IntOrNull("endorsed_at", func(n *note.Note) *model.Time { return &n.EndorsedAt }),
		store.TextOrNull("reported_by", func(n *note.Note) *string { return &n.ReportedBy }),
		store.IntOrNull("why_seq", func(n *note.Note) *int64 { return &n.WhySeq }),
		store.ListOrNull("reports", func(n *note.Note) *[]note.Report { return &n.Reports }),
		store.Int("added", func(n *note.Note) *model.Time { return &n.Added }).Fixed(),
		store.Int("since", func(n *note.Note) *model.Time { return &n.Since }),
		store.Int("first_seq", func(n *note.Note) *int64 { return &n.FirstSeq }).Fixed(),
		store.Int("last_seq", func(n *note.Note) *int64 { return &n.LastSeq }),
		store.Int("rev", func(n *note.Note) *int64 { return &n.Rev }),
	},
	Indexes: []string{
		`CREATE INDEX notes_path ON notes (path, state)`,
		`CREATE INDEX notes_writer ON notes (writer, added)`,
		`CREATE INDEX notes_reported ON notes (reported_by) WHERE state = 'reported'`,
	},
	Sides: []store.SideOf[note.Note]{{
		SideForm: store.SideForm{
			Table: "note_reports",
			Columns: []store.Column{
				{Name: "id", Type: "TEXT NOT NULL"}, store.SideInt("seq"), {Name: "reporter", Type: "TEXT NOT NULL"}, store.SideInt("at"),
			},
			Indexes: []string{`CREATE INDEX note_reports_reporter ON note_reports (reporter, at)`},
		},
		Rows: func(n *note.Note) [][]driver.Value {
			var rows [][]driver.Value
			for _, r := range n.Reports {
				rows = append(rows, []driver.Value{n.ID, r.Seq, r.By, int64(r.At)})
			}
			return rows
		},
	}},
	Apply: (*note.Note).Apply,
})

// Texts are the projection of what is written about notes: events of kind
// note whose topic is note.text. The first event of one names the note, by its
// sequence number.
var Texts = store.NewRecords(store.Definition[note.Text]{
	Noun: "note's text", Kind: model.KindNote, Topic: note.TopicText, Table: "note_texts", Form: 1,
	Fields: []store.Field[note.Text]{
		store.Text("id", func(t *note.Text) *string { return &t.ID }),
		store.Text("state", func(t *note.Text) *string { return &t.State }).Fixed(),
		store.Text("title", func(t *note.Text) *string { return &t.Title }).Fixed(),
		store.TextOrNull("body", func(t *note.Text) *string { return &t.Body }).Fixed().Long(),
		store.TextOrNull("anchor", func(t *note.Text) *string { return &t.Anchor }).Fixed(),
		store.TextOrNull("model", func(t *note.Text) *string { return &t.Model }).Fixed(),
		store.TextOrNull("why", func(t *note.Text) *string { return &t.Why }).Long(),
		store.IntOrNull("why_seq", func(t *note.Text) *int64 { return &t.WhySeq }),
		store.Int("first_seq", func(t *note.Text) *int64 { return &t.FirstSeq }).Fixed(),
		store.Int("last_seq", func(t *note.Text) *int64 { return &t.LastSeq }),
	},
	Unnamed: store.NameBySeq,
	Apply:   (*note.Text).Apply,
})
