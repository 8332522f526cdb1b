package views

import (
	"binnacle/model/clean"
	"binnacle/themes"
	"binnacle/views/text"
)

// FilterBar is the line in which a filter is typed, with what is wrong with it
// or what could come next below.
type FilterBar struct {
	Input   Input
	Fault   string // what is wrong; "" when nothing is
	At      int    // where, in bytes of the text
	Len     int    // how much of it, in bytes; 0 is a place
	Choices []Choice
	Chosen  int // -1: none
}

// Choice is a completion.
type Choice struct {
	Text string
	Says string // what it means, or how many it would show
}

// Height is how many lines the bar wants: at most six.
func (f FilterBar) Height() int {
	if f.Fault != "" {
		return 2
	}
	return 1 + min(len(f.Choices), 5)
}

// Draw draws the bar. Of a height of 1, the fault stands behind the text.
func (f FilterBar) Draw(s Size, look Look) string {
	l := &look
	const prompt = "/"
	f.Input.Focus = true
	ln := newLine(s.W, l)
	ln.put(l.Theme.Key, prompt)
	room := ln.room()
	if s.H == 1 && f.Fault != "" {
		room = max(room/2, room-text.Width(clean.Line(f.Fault))-4)
	}
	skipped := ln.input(f.Input, l.Theme.Text, l.Theme.Cursor, room)
	if s.H == 1 && f.Fault != "" {
		ln.gap(1)
		ln.put(l.Theme.Danger, l.Glyphs.Bad+" "+clean.Line(f.Fault))
	}
	lines := []string{ln.end()}
	if f.Fault != "" {
		return join(append(lines, f.faultLine(l, skipped, s.W)), s)
	}
	top := Window(len(f.Choices), f.Chosen, 0, s.H-1)
	label := 12
	for _, c := range f.Choices {
		label = max(label, text.Width(clean.Line(c.Text)))
	}
	for i := top; i < min(top+s.H-1, len(f.Choices)); i++ {
		c := f.Choices[i]
		ln := l.begin(s.W, i == f.Chosen, false, true)
		ln.cell(l.Theme.Text, clean.Line(c.Text), min(label, max(s.W/2, 1)), false)
		ln.gap(2)
		ln.put(l.Theme.Muted, clean.Line(c.Says))
		lines = append(lines, ln.end())
	}
	return join(lines, s)
}

// faultLine puts marks under the mistake and says beside them what it is; on
// the left of them when there is more room.
func (f FilterBar) faultLine(l *Look, skipped, w int) string {
	from := 1 + f.Input.cells(f.At) - skipped
	n := max(f.Input.cells(f.At+f.Len)-f.Input.cells(f.At), 1)
	from = min(max(from, 0), max(w-1, 0))
	n = min(n, max(w-from, 1))
	say := clean.Line(f.Fault)
	ln := newLine(w, l)
	mark := func() {
		for range n {
			ln.put(l.Theme.Danger, l.Glyphs.Caret)
		}
	}
	if sw := text.Width(say); w-from-n-1 < sw && from > w-from-n {
		room := from - 1
		ln.put(l.Theme.Danger, text.FitTail(say, min(room, sw), l.Glyphs.Ellipsis))
		ln.gap(from - ln.used)
		mark()
		return ln.end()
	}
	ln.gap(from)
	mark()
	ln.put(themes.Style{}, " ")
	ln.put(l.Theme.Danger, say)
	return ln.end()
}
