package views

import (
	"strconv"

	"binnacle/views/text"
)

// Tabs is the line that stands for the other panes where only one has room.
type Tabs struct {
	Panes  []Pane
	Active Pane
	Needs  int // shown beside Needs you, for that must not be hidden
}

// Draw draws the line: exactly one line of w cells. Where not all titles fit,
// the others are numbers.
func (t Tabs) Draw(w int, look Look) string {
	l := &look
	full := 1
	for _, p := range t.Panes {
		full += text.Width(t.name(p, true)) + 3
	}
	ln := newLine(w, l)
	for _, p := range t.Panes {
		name := t.name(p, full <= w || p == t.Active)
		if p == t.Active {
			ln.put(l.Theme.Focus, "[")
			ln.put(l.Theme.FocusHead, name)
			ln.put(l.Theme.Focus, "]")
		} else {
			ln.gap(1)
			ln.put(l.Theme.Muted, name)
			ln.gap(1)
		}
	}
	return ln.end()
}

func (t Tabs) name(p Pane, long bool) string {
	s := strconv.Itoa(int(p))
	if long {
		s += " " + p.Title()
	}
	if p == PaneNeeds && t.Needs > 0 {
		if long {
			s += " "
		}
		s += "(" + strconv.Itoa(t.Needs) + ")"
	}
	return s
}
