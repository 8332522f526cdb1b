package note

import (
	"encoding/json"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
)

// Bounds of a note's texts, in bytes.
const (
	MaxTitle  = 200
	MaxBody   = 8 << 10
	MaxAnchor = 200
	MaxModel  = 128
	MaxWhy    = 1 << 10
	MaxPath   = 256
)

// Text is what was written about a note: nothing of it is to be believed, and
// none of it stands in a fact.
type Text struct {
	ID       string
	State    string // always Written: a text has no life of its own
	Title    string
	Body     string
	Anchor   string // what of the path it is about: a function, a heading
	Model    string // of the writer, in its own words
	Why      string // the newest reason for a report
	WhySeq   int64  // the event that gave it; see Note.WhySeq
	FirstSeq int64
	LastSeq  int64
}

// Written is the state of every Text.
const Written = "written"

// TextPayload is an event of kind note about a note. Text is the title, and
// below an empty line the body; where Report says so, it is why the note was
// reported.
type TextPayload struct {
	Text   string `json:"text"`
	Anchor string `json:"anchor,omitempty"`
	Model  string `json:"model,omitempty"`
	Report bool   `json:"report,omitempty"`
}

// Check refuses a text that breaks the rules: what can't be seen, or is too
// long. It never changes one.
func (t Text) Check() error {
	for _, f := range []struct {
		name, text string
		most       int
		shape      clean.Prose
		may        bool // be empty
	}{
		{"title", t.Title, MaxTitle, clean.OneLine, false},
		{"body", t.Body, MaxBody, clean.Paragraphs, true},
		{"anchor", t.Anchor, MaxAnchor, clean.OneLine, true},
		{"model", t.Model, MaxModel, clean.OneLine, true},
		{"reason", t.Why, MaxWhy, clean.Paragraphs, true},
	} {
		if f.may && f.text == "" {
			continue
		}
		if err := model.CheckProse(f.name, f.text, f.most, f.shape); err != nil {
			return err
		}
		if strings.TrimSpace(f.text) == "" {
			return model.Errorf(model.CodeInvalid, "the %s has nothing but spaces", f.name)
		}
	}
	return nil
}

// Payload is the event's for a new note.
func (t Text) Payload() TextPayload {
	p := TextPayload{Text: t.Title, Anchor: t.Anchor, Model: t.Model}
	if t.Body != "" {
		p.Text += "\n\n" + t.Body
	}
	return p
}

// Apply takes in one event about the note's text.
func (t *Text) Apply(e model.Event) error {
	var p TextPayload
	if err := json.Unmarshal(e.Payload, &p); err != nil {
		return unreadable(e, err)
	}
	next := *t
	switch {
	case p.Report == (t.State == ""):
		return model.Errorf(model.CodeRefused, "note %q has its text, and event %d is not about a report", clean.Line(e.Key), e.Seq)
	case p.Report:
		next.Why, next.WhySeq = p.Text, e.Seq
	default:
		title, body, _ := strings.Cut(p.Text, "\n")
		next = Text{
			ID: e.Key, State: Written, Title: title, Body: strings.TrimPrefix(body, "\n"), Anchor: p.Anchor, Model: p.Model, FirstSeq: e.Seq,
		}
	}
	next.LastSeq = e.Seq
	*t = next
	return nil
}
