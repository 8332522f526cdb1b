package dialog

import (
	"binnacle/model/clean"
	"binnacle/themes"
	"binnacle/views/canvas"
	"binnacle/views/text"
)

// FilterBar is the line in which a filter is typed, with what is wrong with it
// or what could come next below.
type FilterBar struct {
	Input   canvas.Input
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
func (f FilterBar) Draw(s canvas.Size, look canvas.Look) string {
	l := &look
	const prompt = "/"
	f.Input.Focus = true
	ln := canvas.NewLine(s.W, l)
	ln.Put(l.Theme.Key, prompt)
	room := ln.Room()
	if s.H == 1 && f.Fault != "" {
		room = max(room/2, room-text.Width(clean.Line(f.Fault))-4)
	}
	skipped := ln.Input(f.Input, l.Theme.Text, l.Theme.Cursor, room)
	if s.H == 1 && f.Fault != "" {
		ln.Gap(1)
		ln.Put(l.Theme.Danger, l.Glyphs.Bad+" "+clean.Line(f.Fault))
	}
	lines := []string{ln.End()}
	if f.Fault != "" {
		return canvas.Join(append(lines, f.faultLine(l, skipped, s.W)), s)
	}
	top := canvas.Window(len(f.Choices), f.Chosen, 0, s.H-1)
	label := 12
	for _, c := range f.Choices {
		label = max(label, text.Width(clean.Line(c.Text)))
	}
	for i := top; i < min(top+s.H-1, len(f.Choices)); i++ {
		c := f.Choices[i]
		ln := l.Begin(s.W, i == f.Chosen, false, true)
		ln.Cell(l.Theme.Text, clean.Line(c.Text), min(label, max(s.W/2, 1)), false)
		ln.Gap(2)
		ln.Put(l.Theme.Muted, clean.Line(c.Says))
		lines = append(lines, ln.End())
	}
	return canvas.Join(lines, s)
}

// faultLine puts marks under the mistake and says beside them what it is; on
// the left of them when there is more room.
func (f FilterBar) faultLine(l *canvas.Look, skipped, w int) string {
	from := 1 + f.Input.Cells(f.At) - skipped
	n := max(f.Input.Cells(f.At+f.Len)-f.Input.Cells(f.At), 1)
	from = min(max(from, 0), max(w-1, 0))
	n = min(n, max(w-from, 1))
	say := clean.Line(f.Fault)
	ln := canvas.NewLine(w, l)
	mark := func() {
		for range n {
			ln.Put(l.Theme.Danger, l.Glyphs.Caret)
		}
	}
	if sw := text.Width(say); w-from-n-1 < sw && from > w-from-n {
		room := from - 1
		ln.Put(l.Theme.Danger, text.FitTail(say, min(room, sw), l.Glyphs.Ellipsis))
		ln.Gap(from - ln.Used)
		mark()
		return ln.End()
	}
	ln.Gap(from)
	mark()
	ln.Put(themes.Style{}, " ")
	ln.Put(l.Theme.Danger, say)
	return ln.End()
}
