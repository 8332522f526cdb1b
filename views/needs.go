package views

import (
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/themes"
)

// Needs is the pane of what asks for an operator, the longest wait first.
type Needs struct {
	Chrome
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

func needColumns() []column {
	return []column{
		needKind:   {least: 8, most: 8, rank: 3},
		needKey:    {least: 6, most: 12},
		needText:   {least: 8},
		needWaited: {least: 4, most: 4, rank: 2, right: true},
	}
}

// Draw draws the needs pane.
func (p Needs) Draw(s Size, look Look) string {
	l := &look
	in := inner(s)
	if len(p.Needs) == 0 {
		lines := l.empty(in, "Nothing needs you. Pending signals, parked directives, leases about to lapse, "+
			"and sessions that are stalled or ask something will stand here. Ask for somebody:",
			`binnacle ledger emit build/alert '{"summary":"disk is full"}' --kind signal`)
		return l.pane(p.Chrome, "6", "Needs you", "", lines, s, [2]int{})
	}
	at := find(p.At, len(p.Needs), func(i int) ID { return NeedID(p.Needs[i]) })
	top := Window(len(p.Needs), at, p.Top, in.H)
	widths := arrange(l.timeColumn(needColumns(), needWaited), in.W-gutter)
	lines := make([]string, 0, in.H)
	for i := top; i < min(top+in.H, len(p.Needs)); i++ {
		lines = append(lines, l.needLine(&p.Needs[i], i == at, p.Cursor, p.Focus, in.W, widths))
	}
	from, to := thumb(int64(len(p.Needs)), int64(top), in.H)
	return l.pane(p.Chrome, "6", "Needs you", thousands(int64(len(p.Needs)+p.More)), lines, s, [2]int{from, to})
}

func (l *Look) needLine(n *desk.Need, at bool, c Cursor, focus bool, w int, widths []int) string {
	ln := l.begin(w, at, len(c.Marks) > 0 && c.Marks[NeedID(*n)], focus)
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
			ln.cell(l.needTone(n.Kind), clean.Line(string(n.Kind)), cw, false)
		case needKey:
			ln.cell(l.Theme.Text, clean.Line(key), cw, false)
		case needText:
			ln.cell(l.Theme.Text, clean.Line(cut(firstLine(say), maxShown)), cw, false)
		case needWaited:
			ln.cell(l.Theme.Muted, l.when(n.Since), cw, true)
		}
		ln.gap(1)
	}
	return ln.end()
}

func (l *Look) needTone(k desk.NeedKind) themes.Style {
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
