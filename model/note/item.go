package note

import "binnacle/model"

// Item is a note as it is shown. All that its writer said, and why somebody
// reported it, stands under untrusted.
type Item struct {
	ID           string     `json:"id"`
	State        string     `json:"state"`
	Rank         Rank       `json:"rank"`
	Freshness    Freshness  `json:"freshness"`
	Trust        Trust      `json:"trust"`
	Writer       string     `json:"writer"`
	At           string     `json:"at,omitempty"`
	Blob         string     `json:"at_blob,omitempty"`
	Supersedes   string     `json:"supersedes,omitempty"`
	SupersededBy string     `json:"superseded_by,omitempty"`
	EndorsedBy   string     `json:"endorsed_by,omitempty"`
	EndorsedAt   model.Time `json:"endorsed_at,omitzero"`
	ReportedBy   string     `json:"reported_by,omitempty"`
	Added        model.Time `json:"added"`
	Since        model.Time `json:"since"`
	Rev          int64      `json:"rev"`
	Seq          int64      `json:"seq"` // of its newest fact
	Untrusted    Untrusted  `json:"untrusted"`
}

// Untrusted is what somebody wrote.
type Untrusted struct {
	Path   string `json:"path"`
	Title  string `json:"title"`
	Body   string `json:"body,omitempty"`
	Anchor string `json:"anchor,omitempty"`
	Model  string `json:"model,omitempty"`
	Why    string `json:"why,omitempty"`
}

// Lapsed says whether the note was endorsed, and is not while it is stale.
func (i Item) Lapsed() bool { return i.EndorsedBy != "" && i.Rank != RankEndorsed }
