package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"binnacle/views"
)

// wheelRows is how far one turn of the wheel goes.
const wheelRows = 3

// mouseEvent puts the focus and the cursor where the mouse was pressed, and
// scrolls by the wheel. It acts on nothing: a slip of the hand changes nothing.
func (c *Cockpit) mouseEvent(m tea.MouseMsg) tea.Cmd {
	if n := len(c.overlays); n > 0 {
		switch m.Button {
		case tea.MouseButtonWheelUp:
			return c.overlays[n-1].key(c, tea.KeyMsg{Type: tea.KeyUp}, "up")
		case tea.MouseButtonWheelDown:
			return c.overlays[n-1].key(c, tea.KeyMsg{Type: tea.KeyDown}, "down")
		}
		return nil
	}
	if c.layout.Tabs.H > 0 && m.Y == c.layout.Tabs.Y {
		if m.Action == tea.MouseActionPress && m.Button == tea.MouseButtonLeft {
			c.cycle(1)
		}
		return nil
	}
	p, _, dy, ok := c.layout.At(m.X, m.Y)
	if !ok || m.Action != tea.MouseActionPress {
		return nil
	}
	switch m.Button {
	case tea.MouseButtonWheelUp, tea.MouseButtonWheelDown:
		c.setFocus(p.Pane)
		if m.Button == tea.MouseButtonWheelUp {
			return c.move(-wheelRows)
		}
		return c.move(wheelRows)
	case tea.MouseButtonLeft:
		c.setFocus(p.Pane)
		return c.point(p, dy-1)
	}
	return nil
}

// point puts the cursor on the row of a pane's line.
func (c *Cockpit) point(p views.Place, line int) tea.Cmd {
	if line < 0 || line >= p.Rect.H-2 {
		return nil
	}
	if p.Pane == views.PaneEvents {
		if i := c.events.top + line; i < len(c.stream.rows) {
			if i < len(c.stream.rows)-1 {
				c.stream.pause()
			}
			c.events.to(i)
		}
		return nil
	}
	l := c.listOf(p.Pane)
	if l == nil || p.Pane == views.PanePlanes {
		return nil // its rows begin below the counts, at a line that the width decides
	}
	if i := l.top + line; i < len(l.ids) {
		l.to(i)
	}
	return nil
}
