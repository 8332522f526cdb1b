package views

import (
	"strconv"

	"binnacle/views/canvas"
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
func (t Tabs) Draw(w int, look canvas.Look) string {
	l := &look
	full := 1
	for _, p := range t.Panes {
		full += text.Width(t.name(p, true)) + 3
	}
	ln := canvas.NewLine(w, l)
	for _, p := range t.Panes {
		name := t.name(p, full <= w || p == t.Active)
		if p == t.Active {
			ln.Put(l.Theme.Focus, "[")
			ln.Put(l.Theme.FocusHead, name)
			ln.Put(l.Theme.Focus, "]")
		} else {
			ln.Gap(1)
			ln.Put(l.Theme.Muted, name)
			ln.Gap(1)
		}
	}
	return ln.End()
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
