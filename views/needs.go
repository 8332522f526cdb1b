package views

import (
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/themes"
	"binnacle/views/canvas"
	"binnacle/views/text"
)

// Needs is the pane of what asks for an operator, the longest wait first.
type Needs struct {
	canvas.Chrome
	Cursor
	Needs []desk.Need
	More  int // needs that the list leaves out
}

// NeedID is who a need's row is: the record that asks.
func NeedID(n desk.Need) ID {
	switch n.Kind {
	case desk.NeedSignal, desk.NeedMine:
		return SignalID(n.Key)
	case desk.NeedParked:
		return ID{NounDirective, n.Key}
	case desk.NeedLapsing:
		if n.State == "work" {
			return WorkID(n.Key)
		}
		return ID{NounDirective, n.Key}
	}
	return ID{NounSession, n.Key}
}

// Rows lists the pane's rows, in their order.
func (p Needs) Rows() []Ref {
	out := make([]Ref, len(p.Needs))
	for i, n := range p.Needs {
		out[i] = Ref{NeedID(n), n.Rev, n.State}
	}
	return out
}

// Columns of the needs pane.
const (
	needKind = iota
	needKey
	needText
	needWaited
)

func needColumns() []canvas.Column {
	return []canvas.Column{
		needKind:   {Least: 8, Most: 8, Rank: 3},
		needKey:    {Least: 6, Most: 12},
		needText:   {Least: 8},
		needWaited: {Least: 4, Most: 4, Rank: 2, Right: true},
	}
}

// Draw draws the needs pane.
func (p Needs) Draw(s canvas.Size, look canvas.Look) string {
	l := &look
	in := canvas.Inner(s)
	if len(p.Needs) == 0 {
		lines := l.Empty(in, "Nothing needs you. Pending signals, parked directives, leases about to lapse, "+
			"and sessions that are stalled or ask something will stand here. Ask for somebody:",
			`binnacle ledger emit build/alert '{"summary":"disk is full"}' --kind signal`)
		return PaneNeeds.box(l, p.Chrome, "", "", lines, s, [2]int{})
	}
	at := find(p.At, len(p.Needs), func(i int) ID { return NeedID(p.Needs[i]) })
	top := canvas.Window(len(p.Needs), at, p.Top, in.H)
	widths := canvas.Widths(timeColumn(l, needColumns(), needWaited), in.W-canvas.Gutter)
	lines := make([]string, 0, in.H)
	for i := top; i < min(top+in.H, len(p.Needs)); i++ {
		lines = append(lines, needLine(l, &p.Needs[i], i == at, p.Cursor, p.Focus, in.W, widths))
	}
	from, to := canvas.Thumb(int64(len(p.Needs)), int64(top), in.H)
	return PaneNeeds.box(l, p.Chrome, "", canvas.Thousands(int64(len(p.Needs)+p.More)), lines, s, [2]int{from, to})
}

func needLine(l *canvas.Look, n *desk.Need, at bool, c Cursor, focus bool, w int, widths []int) string {
	ln := l.Begin(w, at, len(c.Marks) > 0 && c.Marks[NeedID(*n)], focus)
	key, say := n.Key, n.Text
	if NeedID(*n).Noun == NounDirective {
		key = "#" + key
	}
	if n.Kind == desk.NeedLapsing {
		say = "held by " + say
	}
	for i, cw := range widths {
		if cw == 0 {
			continue
		}
		switch i {
		case needKind:
			ln.Cell(needTone(l, n.Kind), clean.Line(string(n.Kind)), cw, false)
		case needKey:
			ln.Cell(l.Theme.Text, clean.Line(key), cw, false)
		case needText:
			ln.Cell(l.Theme.Text, clean.Line(text.Clip(text.FirstLine(say), text.MaxShown)), cw, false)
		case needWaited:
			ln.Cell(l.Theme.Muted, l.When(n.Since), cw, true)
		}
		ln.Gap(1)
	}
	return ln.End()
}

func needTone(l *canvas.Look, k desk.NeedKind) themes.Style {
	switch k {
	case desk.NeedSignal:
		return l.Theme.Signal
	case desk.NeedLapsing:
		return l.Theme.Danger
	case desk.NeedQuestion, desk.NeedMine:
		return l.Theme.Info
	}
	return l.Theme.Warn
}
