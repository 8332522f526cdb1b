package command

import (
	"context"

	"binnacle/model"
	"binnacle/model/clean"
)

// place is where in the ledger a flag points: a sequence number or a cursor, or
// an instant (a time, or a span before now with its unit).
type place struct {
	now    func() model.Time
	text   string
	cursor *model.Cursor
	at     model.Time
}

func (p *place) String() string { return p.text }

func (p *place) Set(text string) error {
	if c, err := model.ParseCursor(text); err == nil {
		p.text, p.cursor, p.at = text, &c, 0
		return nil
	}
	t, err := model.ParseMoment(text, p.now())
	if err != nil {
		return model.Errorf(model.CodeUsage, "%q is not a place in the ledger", clean.Line(text)).
			WithHint("write a sequence number, a cursor, a time (2026-06-20T15:00:00Z), or a span before now (2h)")
	}
	p.text, p.cursor, p.at = text, nil, t
	return nil
}

func (*place) Type() string { return "place" }

// seq is the sequence number of a cursor, once it was checked that one can go
// on from it; 0 when there is none.
func (p *place) seq(ctx context.Context, w *workspace) (int64, error) {
	if p.cursor == nil {
		return 0, nil
	}
	return p.cursor.Seq, w.check(ctx, *p.cursor)
}

// check refuses a cursor that can't be gone on from.
func (w *workspace) check(ctx context.Context, c model.Cursor) error {
	s, err := w.ledger.Status(ctx)
	if err != nil {
		return err
	}
	return c.Check(w.ledger.Cursor(s.Head.Seq))
}
