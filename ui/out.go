package ui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/ui/overlay"
	"binnacle/ui/record"
	"binnacle/views"
)

// copy sends a text to the terminal's clipboard. Whether it arrives can't be
// known.
func (c *Cockpit) copy(text, what string) {
	if err := c.opt.Term.Copy(text); err != nil {
		c.refuse(err.Error())
		return
	}
	c.say(views.Flash{Text: what + " sent to the terminal"})
}

// textMsg is a record's JSON, for the clipboard or for a pager.
type textMsg struct {
	text, what string
	page       bool
	err        error
}

// asJSON reads what is selected as JSON in the background.
func (c *Cockpit) asJSON(page bool) tea.Cmd {
	t, _ := c.selected()
	t = t.Written()
	from, m := c.details, textMsg{what: "the JSON of " + t.Label, page: page}
	if t.Noun == views.NounLane {
		m.text, m.err = record.LaneJSON(&c.snap, t.Key)
		return func() tea.Msg { return m }
	}
	return func() tea.Msg {
		d, err := from.Read(t.Detail())
		if err != nil {
			return textMsg{err: err}
		}
		m.text, m.err = record.JSON(d)
		return m
	}
}

// texted takes the JSON that was asked for.
func (c *Cockpit) texted(m textMsg) tea.Cmd {
	switch {
	case m.err != nil:
		c.refuse(overlay.Reason(m.err))
	case m.page:
		return c.opt.Term.Edit(m.text, "record.json", false)
	default:
		c.copy(strings.TrimSuffix(m.text, "\n"), m.what)
	}
	return nil
}
