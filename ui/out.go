package ui

import (
	"context"
	"encoding/json"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/model"
	"binnacle/views"
)

// selected is the record that keys apply to: the detail's, or the row's.
func (c *Cockpit) selected() (target, bool) {
	if n := len(c.overlays); n > 0 {
		if d, ok := c.overlays[n-1].(*detail); ok {
			return d.record(), true
		}
	}
	return c.target()
}

// copyID sends the id to the terminal's clipboard. Whether it arrives can't be
// known.
func (c *Cockpit) copyID() tea.Cmd {
	t, _ := c.selected()
	c.copy(t.Key, t.label)
	return nil
}

func (c *Cockpit) copy(text, what string) {
	if err := c.opt.Term.Copy(text); err != nil {
		c.say(views.Refused, err.Error())
		return
	}
	c.say(views.Said, what+" sent to the terminal")
}

// textMsg is a record's JSON, for the clipboard or for a pager.
type textMsg struct {
	text, what string
	page       bool
	err        error
}

func (c *Cockpit) copyJSON() tea.Cmd  { return c.asJSON(false) }
func (c *Cockpit) openPager() tea.Cmd { return c.asJSON(true) }

// asJSON reads the record as JSON in the background.
func (c *Cockpit) asJSON(page bool) tea.Cmd {
	t, _ := c.selected()
	engine := c.engine
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(background(), pageTimeout)
		defer cancel()
		var d model.Detail
		var err error
		if t.seq > 0 {
			d, err = engine.EventDetail(ctx, t.seq)
		} else {
			d, err = engine.RecordDetail(ctx, t.kind(), t.Key)
		}
		if err != nil {
			return textMsg{err: err}
		}
		text, err := detailJSON(d)
		return textMsg{text: text, what: "the JSON of " + t.label, page: page, err: err}
	}
}

// detailJSON writes what a detail is about: the event, or the record.
func detailJSON(d model.Detail) (string, error) {
	var v any
	switch {
	case d.Event != nil:
		line := d.Event.AppendJSON(nil)
		return string(model.AppendSafeJSON(nil, line)) + "\n", nil
	case d.Signal != nil:
		v = d.Signal
	case d.Work != nil:
		v = d.Work
	case d.Directive != nil:
		v = d.Directive
	}
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return string(model.AppendSafeJSON(nil, []byte(b.String()))), nil
}

// texted takes the JSON that was asked for.
func (c *Cockpit) texted(m textMsg) tea.Cmd {
	switch {
	case m.err != nil:
		c.say(views.Refused, reason(m.err))
	case m.page:
		return c.opt.Term.Edit(m.text, "record.json", false)
	default:
		c.copy(strings.TrimSuffix(m.text, "\n"), m.what)
	}
	return nil
}

// alarms shows what is wrong, in full.
type alarms struct{ quiet }

func (c *Cockpit) openAlarms() { c.push(&alarms{}) }

func (*alarms) scopes(*Cockpit) []keymap.Scope { return []keymap.Scope{keymap.Dialog} }

func (*alarms) key(c *Cockpit, _ tea.KeyMsg, action string) tea.Cmd {
	if action == "press" || action == "dismiss" {
		c.pop()
	}
	return nil
}

func (*alarms) draw(c *Cockpit, base string) string {
	d := views.Dialog{Title: "Alarms", Buttons: []string{"Close"}}
	if v := c.snap.Verified; v.State == model.VerifyFailed {
		d.Says = append(d.Says, "The chain of events is broken: "+v.Finding+".")
	}
	for _, a := range c.snap.Health {
		d.Says = append(d.Says, a.Engine+": "+a.Text)
	}
	if c.fault != "" {
		d.Says = append(d.Says, "events: "+c.fault)
	}
	if len(d.Says) == 0 {
		d.Says = []string{"Nothing is wrong."}
	}
	return c.centred(base, d.Size(c.size), func(s views.Size) string { return d.Draw(s, c.look) })
}
