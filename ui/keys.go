package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/views"
)

// key does what a key means. A paste is text: over a line of input it is typed,
// elsewhere it does nothing.
func (c *Cockpit) key(k tea.KeyMsg) tea.Cmd {
	if c.look.Now >= c.flash.until.Add(flashRead-flashFor) {
		c.flash = flash{} // it was there to be read, and the keys want their line back
	}
	over := c.over.Len() > 0
	if k.Paste {
		if over {
			return c.overlaid(k, "")
		}
		c.say(views.Flash{Text: "pasted text does nothing here; / or : takes it", Level: views.Noticed})
		return nil
	}
	a, ok := c.opt.Keys.Lookup(k.String(), c.scopes()...)
	if c.panes.Layout().TooSmall && !a.In(keymap.Always) && a.Name != "quit" {
		return nil // nothing is on screen that it could mean
	}
	if over && !a.In(keymap.Always) {
		return c.overlaid(k, a.Name)
	}
	if !ok {
		return c.elsewhere(k)
	}
	return c.perform(a.Name)
}

// overlaid hands a key to the uppermost overlay and does what that wants done.
func (c *Cockpit) overlaid(k tea.KeyMsg, action string) tea.Cmd {
	r := c.over.Key(k, action)
	if r.Say.Text != "" {
		c.say(r.Say)
	}
	switch {
	case r.Pass && action == "":
		return c.elsewhere(k)
	case r.Pass:
		return c.perform(action)
	case r.Then != nil:
		return r.Then()
	}
	return nil
}

// elsewhere says why a key that means something on other rows does nothing on
// this one: no key is dead.
func (c *Cockpit) elsewhere(k tea.KeyMsg) tea.Cmd {
	for _, s := range keymap.Scopes() {
		if s == keymap.Dialog || s == keymap.Input || s == keymap.Detail {
			continue
		}
		if a, ok := c.opt.Keys.Lookup(k.String(), s); ok {
			return c.perform(a.Name)
		}
	}
	return nil
}

// perform does an action, or says why it can't be done.
func (c *Cockpit) perform(name string) tea.Cmd {
	d, ok := c.deeds[name]
	if !ok {
		return nil
	}
	if why := c.refusal(name); why != "" {
		c.refuse(why)
		return nil
	}
	return d.do(c)
}

// refusal says why the action can't be done now, "" when it can.
func (c *Cockpit) refusal(name string) string {
	if a, ok := c.opt.Keys.Action(name); ok && a.Changes {
		if why := readOnly(c); why != "" {
			return why
		}
	}
	if d := c.deeds[name]; d.why != nil {
		return d.why(c)
	}
	return ""
}
