package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"binnacle/themes"
	"binnacle/views/canvas"
)

// nextTimes goes through the ways to show instants, and says which it is.
func nextTimes(look *canvas.Look) string {
	look.Times = (look.Times + 1) % 3
	return [...]string{"times: events by the clock, all else by age", "times: ages", "times: by the clock"}[look.Times]
}

// nextTheme goes to the theme after the one that is shown, and says which it
// is.
func nextTheme(look *canvas.Look, all []themes.Theme) string {
	for i, t := range all {
		if t.Name == look.Theme.Name {
			look.Theme = all[(i+1)%len(all)]
			return "theme: " + look.Theme.Name
		}
	}
	return ""
}

// toggleMouse turns the mouse on or off, and says what that means.
func (c *Cockpit) toggleMouse() string {
	c.mouse = !c.mouse
	c.opt.Term.SetMouse(c.mouse)
	if c.mouse {
		return "the mouse is on"
	}
	return "the mouse is off: select text with it; " + c.opt.Keys.KeyOf("mouse") + " turns it on"
}

// back closes what is open: the filter, the zoom, the pause.
func (c *Cockpit) back() tea.Cmd {
	_, filter := c.events.Filter()
	switch {
	case filter != "":
		return c.setFilter("")
	case c.panes.Zoomed():
		c.panes.Zoom(false)
	case !c.events.Following():
		return c.events.Resume()
	}
	return nil
}

// wheelRows is how far one turn of the wheel goes.
const wheelRows = 3

// mouseEvent puts the focus and the cursor where the mouse was pressed, and
// scrolls by the wheel. It acts on nothing: a slip of the hand changes nothing.
func (c *Cockpit) mouseEvent(m tea.MouseMsg) tea.Cmd {
	up := m.Button == tea.MouseButtonWheelUp
	wheel := up || m.Button == tea.MouseButtonWheelDown
	over, at := c.over.Len() > 0, c.panes.Layout()
	switch {
	case over && wheel && up:
		return c.overlaid(tea.KeyMsg{Type: tea.KeyUp}, "up")
	case over && wheel:
		return c.overlaid(tea.KeyMsg{Type: tea.KeyDown}, "down")
	case over || m.Action != tea.MouseActionPress || !wheel && m.Button != tea.MouseButtonLeft:
		return nil
	case at.Tabs.H > 0 && m.Y == at.Tabs.Y:
		if !wheel {
			c.panes.Cycle(1)
		}
		return nil
	}
	p, line, ok := c.panes.Hit(m.X, m.Y)
	switch {
	case !ok:
	case wheel && up:
		return p.Move(-wheelRows)
	case wheel:
		return p.Move(wheelRows)
	case line >= 0:
		p.Point(line)
	}
	return nil
}
