package views

import (
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/views/canvas"
	"binnacle/views/text"
)

// SignalID is who a signal's row is.
func SignalID(key string) ID { return ID{NounSignal, key} }

// SignalRefs lists the rows of signals, in their order.
func SignalRefs(list []model.Signal) []Ref {
	out := make([]Ref, len(list))
	for i := range list {
		out[i] = Ref{SignalID(list[i].Key), list[i].Rev, list[i].State}
	}
	return out
}

// Columns of a list of signals.
const (
	signalState = iota
	signalKey
	signalTopic
	signalSummary
	signalHolder
	signalWaited
)

func signalColumns() []canvas.Column {
	return []canvas.Column{
		signalState:   {Least: 8, Most: 8, Rank: 2},
		signalKey:     {Least: 8, Most: 18},
		signalTopic:   {Least: 10, Most: 20, Rank: 5},
		signalSummary: {Least: 8},
		signalHolder:  {Least: 8, Most: 14, Rank: 4},
		signalWaited:  {Least: 4, Most: 4, Rank: 1, Right: true},
	}
}

// signalLines draws the signals in a window, with the scroll bar's thumb.
func signalLines(l *canvas.Look, list []model.Signal, c Cursor, focus bool, s canvas.Size) (lines []string, from, to int) {
	if len(list) == 0 {
		return l.Empty(s, "No signal is open. A signal asks for somebody's attention:",
			`binnacle ledger emit build/alert '{"summary":"disk is full"}' --kind signal`), 0, 0
	}
	at := find(c.At, len(list), func(i int) ID { return SignalID(list[i].Key) })
	top := canvas.Window(len(list), at, c.Top, s.H)
	widths := canvas.Widths(timeColumn(l, signalColumns(), signalWaited), s.W-canvas.Gutter)
	for i := top; i < min(top+s.H, len(list)); i++ {
		lines = append(lines, signalLine(l, &list[i], i == at, c, focus, s.W, widths))
	}
	from, to = canvas.Thumb(int64(len(list)), int64(top), s.H)
	return lines, from, to
}

// timeColumn makes room for clock times where those are shown.
func timeColumn(l *canvas.Look, cols []canvas.Column, i int) []canvas.Column {
	if l.Times == canvas.Clocks {
		cols[i].Least, cols[i].Most = 11, 11
	}
	return cols
}

func signalLine(l *canvas.Look, x *model.Signal, at bool, c Cursor, focus bool, w int, widths []int) string {
	ln := l.Begin(w, at, len(c.Marks) > 0 && c.Marks[SignalID(x.Key)], focus)
	for i, cw := range widths {
		if cw == 0 {
			continue
		}
		switch i {
		case signalState:
			ln.Cell(l.Theme.StateStyle(x.State), clean.Line(x.State), cw, false)
		case signalKey:
			ln.Cell(l.Theme.Text, clean.Line(x.Key), cw, false)
		case signalTopic:
			ln.Cell(l.Theme.Muted, clean.Line(x.Topic), cw, false)
		case signalSummary:
			ln.Cell(l.Theme.Text, clean.Line(text.Clip(x.Summary, text.MaxShown)), cw, false)
		case signalHolder:
			who := x.Holder
			if who == "" {
				who = l.Glyphs.Dash
			}
			ln.Cell(l.Theme.Text, clean.Line(who), cw, false)
		case signalWaited:
			ln.Cell(l.Theme.Muted, l.When(x.Since), cw, true)
		}
		ln.Gap(1)
	}
	return ln.End()
}
