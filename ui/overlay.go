package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/views"
)

// overlay is something that stands over the panes and takes the keys.
type overlay interface {
	// scopes are where keys are looked up while it is the uppermost one.
	scopes(c *Cockpit) []keymap.Scope
	// key takes a key; action is what it means in scopes, "" for nothing.
	key(c *Cockpit, k tea.KeyMsg, action string) tea.Cmd
	// paste takes pasted text. It never acts.
	paste(c *Cockpit, text string) tea.Cmd
	// refresh is called after each snapshot.
	refresh(c *Cockpit) tea.Cmd
	// draw lays it over a frame.
	draw(c *Cockpit, base string) string
}

func (c *Cockpit) push(o overlay) { c.overlays = append(c.overlays, o) }

func (c *Cockpit) pop() {
	if n := len(c.overlays); n > 0 {
		c.overlays = c.overlays[:n-1]
	}
}

// centred lays a box over the middle of a frame.
func (c *Cockpit) centred(base string, size views.Size, draw func(views.Size) string) string {
	at := views.Centre(c.size, size)
	return views.Overlay(base, c.size, draw(at.Size()), at)
}

// quiet is what most overlays leave out.
type quiet struct{}

func (quiet) paste(c *Cockpit, _ string) tea.Cmd {
	c.say(views.Noticed, "pasted text does nothing here")
	return nil
}
func (quiet) refresh(*Cockpit) tea.Cmd { return nil }

// dialog asks before something is done. The safe button is the first and has
// the focus.
type dialog struct {
	quiet
	view    views.Dialog
	typed   field
	confirm func(c *Cockpit) tea.Cmd
}

// ask opens a dialog that the operator's key asked for.
func (c *Cockpit) ask(d *dialog) {
	d.typed = newField("")
	c.push(d)
}

func (d *dialog) scopes(*Cockpit) []keymap.Scope { return []keymap.Scope{keymap.Dialog} }

func (d *dialog) key(c *Cockpit, k tea.KeyMsg, action string) tea.Cmd {
	if d.view.Count != nil {
		if t := k.String(); t == "backspace" || len(t) == 1 && t[0] >= '0' && t[0] <= '9' {
			d.typed.key(k)
			d.view.Count.Input = d.typed.view()
			return nil
		}
	}
	if action == "" && len(d.view.List) > 0 {
		a, _ := c.opt.Keys.Lookup(k.String(), keymap.List)
		rows := d.view.Rows(d.view.Size(c.size), c.look)
		d.view.Top = scrolled(d.view.Top, a.Name, len(d.view.List), views.Size{H: rows + 2})
	}
	switch action {
	case "next-button":
		d.view.At = (d.view.At + 1) % len(d.view.Buttons)
	case "previous-button":
		d.view.At = (d.view.At + len(d.view.Buttons) - 1) % len(d.view.Buttons)
	case "dismiss":
		c.pop()
	case "press":
		if d.view.At == 0 {
			c.pop()
			return nil
		}
		if !d.view.Count.Met() {
			d.view.Fault = "type the number first: nothing happened"
			return nil
		}
		c.pop()
		return d.confirm(c)
	}
	return nil
}

func (d *dialog) draw(c *Cockpit, base string) string {
	return c.centred(base, d.view.Size(c.size), func(s views.Size) string { return d.view.Draw(s, c.look) })
}
