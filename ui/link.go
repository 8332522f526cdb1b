package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"binnacle/model/desk"
	"binnacle/ui/overlay"
	"binnacle/ui/record"
	"binnacle/views"
	"binnacle/views/document"
)

// linkMsg is what stands around the row from which a link is to be followed.
type linkMsg struct {
	from   record.Target
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
	if t, _ := c.selected(); t.Seq == 0 && t.Kind() == "" {
		return "cause and effect are an event's, and this row is of none"
	}
	return ""
}

// openLink opens what caused the row under the cursor, or what that caused: of
// its event, or of the newest event of its record. It lies over what is open.
func (c *Cockpit) openLink(way int) tea.Cmd {
	t, _ := c.selected()
	from, m := c.details, linkMsg{from: t, way: way, ticket: c.details.Ask()}
	return func() tea.Msg {
		if m.detail, m.err = from.Read(t.Detail()); m.err != nil {
			return m
		}
		if n := len(m.detail.History); t.Seq == 0 && n > 0 {
			m.from = record.Event(m.detail.History[n-1].Seq)
			m.detail, m.err = from.Read(m.from.Detail())
		}
		return m
	}
}

// linked opens the detail to which the link leads. An answer that comes after
// the operator went on is dropped.
func (c *Cockpit) linked(m linkMsg) tea.Cmd {
	if c.details.Void(m.ticket) {
		return nil
	}
	if o := c.over.Top(); o != nil {
		if _, ok := o.(*overlay.Detail); !ok {
			return nil
		}
	}
	if m.err != nil {
		c.refuse(overlay.Reason(m.err))
		return nil
	}
	links := document.Detail{Of: m.detail}.Links()
	if m.way > 0 && m.detail.Cause != nil {
		links = links[1:]
	}
	if len(links) == 0 || m.way < 0 && m.detail.Cause == nil {
		c.say(views.Flash{Text: overlay.NoLink(m.from.Label, m.way), Level: views.Noticed})
		return nil
	}
	return c.openDetail(overlay.NewDetail(c.details, record.Event(links[0])))
}
