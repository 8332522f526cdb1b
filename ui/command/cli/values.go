package cli

import (
	"context"
	"strconv"
	"time"

	"binnacle/model"
	"binnacle/model/clean"
)

// Place is where in the ledger a flag points: a sequence number or a cursor, or
// an instant (a time, or a span before now with its unit).
type Place struct {
	Now    func() model.Time
	text   string
	cursor *model.Cursor
	At     model.Time
}

func (p *Place) String() string { return p.text }

func (p *Place) Set(text string) error {
	if c, err := model.ParseCursor(text); err == nil {
		p.text, p.cursor, p.At = text, &c, 0
		return nil
	}
	t, err := model.ParseMoment(text, p.Now())
	if err != nil {
		return model.Errorf(model.CodeUsage, "%q is not a place in the ledger", clean.Line(text)).
			WithHint("write a sequence number, a cursor, a time (2026-06-20T15:00:00Z), or a span before now (2h)")
	}
	p.text, p.cursor, p.At = text, nil, t
	return nil
}

func (*Place) Type() string { return "place" }

// Seq is the sequence number of a cursor, once it was checked that one can go
// on from it; 0 when there is none.
func (p *Place) Seq(ctx context.Context, w *Workspace) (int64, error) {
	if p.cursor == nil {
		return 0, nil
	}
	return p.cursor.Seq, w.check(ctx, *p.cursor)
}

// check refuses a cursor that can't be gone on from.
func (w *Workspace) check(ctx context.Context, c model.Cursor) error {
	s, err := w.Ledger.Status(ctx)
	if err != nil {
		return err
	}
	return c.Check(w.Ledger.Cursor(s.Head.Seq))
}

func Itoa(n int64) string { return strconv.FormatInt(n, 10) }

// Span is a flag's duration, as model.ParseDuration reads it; a bare number is
// seconds.
type Span time.Duration

func (s *Span) String() string {
	if *s == 0 {
		return ""
	}
	return time.Duration(*s).String()
}

func (s *Span) Set(text string) error {
	d, err := model.ParseDuration(text)
	if err != nil {
		return err
	}
	*s = Span(d)
	return nil
}

func (*Span) Type() string { return "duration" }

// Moment is a flag's instant: RFC 3339, or a duration before now.
type Moment struct {
	Now func() model.Time
	At  model.Time
	set string
}

func (m *Moment) String() string { return m.set }

func (m *Moment) Set(text string) error {
	t, err := model.ParseMoment(text, m.Now())
	if err != nil {
		return err
	}
	m.At, m.set = t, text
	return nil
}

func (*Moment) Type() string { return "time" }

// Choice is a flag that takes one of a few words.
type Choice struct {
	Value string
	Words []string
}

func (c *Choice) String() string { return c.Value }

func (c *Choice) Set(text string) error {
	for _, w := range c.Words {
		if w == text {
			c.Value = text
			return nil
		}
	}
	e := Usage("%q is none of %s", clean.Line(text), List(c.Words))
	if near := nearest(text, append([]string(nil), c.Words...)); near != "" {
		return e.WithHint("did you mean %s?", near)
	}
	return e
}

func (*Choice) Type() string { return "word" }

// List joins words as a sentence does: "a, b or c".
func List(words []string) string {
	out := ""
	for i, w := range words {
		switch {
		case i == 0:
		case i == len(words)-1:
			out += " or "
		default:
			out += ", "
		}
		out += w
	}
	return out
}
