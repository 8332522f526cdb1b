package views

import (
	"binnacle/model"
	"binnacle/model/clean"
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

func signalColumns() []column {
	return []column{
		signalState:   {least: 8, most: 8, rank: 2},
		signalKey:     {least: 8, most: 18},
		signalTopic:   {least: 10, most: 20, rank: 5},
		signalSummary: {least: 8},
		signalHolder:  {least: 8, most: 14, rank: 4},
		signalWaited:  {least: 4, most: 4, rank: 1, right: true},
	}
}

// signalLines draws the signals in a window, with the scroll bar's thumb.
func (l *Look) signalLines(list []model.Signal, c Cursor, focus bool, s Size) (lines []string, from, to int) {
	if len(list) == 0 {
		return l.empty(s, "No signal is open. A signal asks for somebody's attention:",
			`binnacle ledger emit build/alert '{"summary":"disk is full"}' --kind signal`), 0, 0
	}
	at := find(c.At, len(list), func(i int) ID { return SignalID(list[i].Key) })
	top := Window(len(list), at, c.Top, s.H)
	widths := arrange(l.timeColumn(signalColumns(), signalWaited), s.W-gutter)
	for i := top; i < min(top+s.H, len(list)); i++ {
		lines = append(lines, l.signalLine(&list[i], i == at, c, focus, s.W, widths))
	}
	from, to = thumb(int64(len(list)), int64(top), s.H)
	return lines, from, to
}

// timeColumn makes room for clock times where those are shown.
func (l *Look) timeColumn(cols []column, i int) []column {
	if l.Times == Clocks {
		cols[i].least, cols[i].most = 11, 11
	}
	return cols
}

func (l *Look) signalLine(x *model.Signal, at bool, c Cursor, focus bool, w int, widths []int) string {
	ln := l.begin(w, at, len(c.Marks) > 0 && c.Marks[SignalID(x.Key)], focus)
	for i, cw := range widths {
		if cw == 0 {
			continue
		}
		switch i {
		case signalState:
			ln.cell(l.Theme.StateStyle(x.State), clean.Line(x.State), cw, false)
		case signalKey:
			ln.cell(l.Theme.Text, clean.Line(x.Key), cw, false)
		case signalTopic:
			ln.cell(l.Theme.Muted, clean.Line(x.Topic), cw, false)
		case signalSummary:
			ln.cell(l.Theme.Text, clean.Line(cut(x.Summary, maxShown)), cw, false)
		case signalHolder:
			who := x.Holder
			if who == "" {
				who = l.Glyphs.Dash
			}
			ln.cell(l.Theme.Text, clean.Line(who), cw, false)
		case signalWaited:
			ln.cell(l.Theme.Muted, l.when(x.Since), cw, true)
		}
		ln.gap(1)
	}
	return ln.end()
}
