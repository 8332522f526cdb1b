package ui

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/model/desk"
	"binnacle/views"
)

// linkMsg is what stands around the row from which a link is to be followed.
type linkMsg struct {
	from   target
	way    int // -1 the cause, 1 the effect
	ticket int
	detail desk.Detail
	err    error
}

// noLink says why no link leads from here.
func noLink(c *Cockpit) string {
	if why := noRow(c); why != "" {
		return why
	}
	if t, _ := c.selected(); t.seq == 0 && t.kind() == "" {
		return "cause and effect are an event's, and this row is of none"
	}
	return ""
}

// openLink opens what caused the row under the cursor, or what that caused: of
// its event, or of the newest event of its record. It lies over what is open.
func (c *Cockpit) openLink(way int) tea.Cmd {
	t, _ := c.selected()
	c.ticket++
	d, m := c.desk, linkMsg{from: t, way: way, ticket: c.ticket}
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(background(), pageTimeout)
		defer cancel()
		if m.detail, m.err = d.Detail(ctx, t.ref()); m.err != nil {
			return m
		}
		if n := len(m.detail.History); t.seq == 0 && n > 0 {
			m.from = eventOf(m.detail.History[n-1].Seq)
			m.detail, m.err = d.Detail(ctx, m.from.ref())
		}
		return m
	}
}

// linked opens the detail to which the link leads. An answer that comes after
// the operator went on is dropped.
func (c *Cockpit) linked(m linkMsg) tea.Cmd {
	if m.ticket != c.ticket {
		return nil
	}
	if n := len(c.overlays); n > 0 {
		if _, ok := c.overlays[n-1].(*detail); !ok {
			return nil
		}
	}
	if m.err != nil {
		c.say(views.Refused, reason(m.err))
		return nil
	}
	d := &detail{target: m.from}
	d.of = views.Detail{Of: m.detail, Link: -1}
	links := d.of.Links()
	if m.way > 0 && m.detail.Cause != nil {
		links = links[1:]
	}
	if len(links) == 0 || m.way < 0 && m.detail.Cause == nil {
		c.say(views.Noticed, noSuchLink(m.from.label, m.way))
		return nil
	}
	c.push(d)
	return d.visit(c, links[0])
}

func noSuchLink(what string, way int) string {
	if way < 0 {
		return "nothing caused " + what + ", as far as the ledger says"
	}
	return what + " caused nothing, as far as the ledger says"
}
