package ui

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/model/directive"
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

// written is what is copied and opened as text. A row of Events is an event,
// also where keys that act take it for its record.
func (c *Cockpit) written() target {
	t, _ := c.selected()
	if t.seq > 0 {
		return eventOf(t.seq)
	}
	return t
}

// copyID sends the id to the terminal's clipboard. Whether it arrives can't be
// known.
func (c *Cockpit) copyID() tea.Cmd {
	t := c.written()
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

// asJSON reads what is selected as JSON in the background.
func (c *Cockpit) asJSON(page bool) tea.Cmd {
	t, from := c.written(), c.desk
	m := textMsg{what: "the JSON of " + t.label, page: page}
	if t.Noun == views.NounLane {
		m.text, m.err = c.laneJSON(t.Key)
		return func() tea.Msg { return m }
	}
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(background(), pageTimeout)
		defer cancel()
		d, err := from.Detail(ctx, t.ref())
		if err != nil {
			return textMsg{err: err}
		}
		m.text, m.err = detailJSON(d)
		return m
	}
}

// laneJSON writes a lane as it is on screen: what it holds, and its open
// directives in the order in which they would be taken.
func (c *Cockpit) laneJSON(name string) (string, error) {
	for _, l := range c.snap.Lanes {
		if l.Name != name {
			continue
		}
		return indented(struct {
			Lane       string                `json:"lane"`
			Pending    map[string]int64      `json:"pending"`
			Taken      int64                 `json:"taken"`
			Deferred   int64                 `json:"deferred"`
			Parked     int64                 `json:"parked"`
			Done       int64                 `json:"done"`
			Dropped    int64                 `json:"dropped"`
			Directives []directive.Directive `json:"directives"`
			More       int64                 `json:"more"`
		}{
			l.Name,
			map[string]int64{"P0": l.Pending[0], "P1": l.Pending[1], "P2": l.Pending[2]},
			l.Taken, l.Deferred, l.Parked, l.Done, l.Dropped, append([]directive.Directive{}, l.Directives...), l.More,
		})
	}
	return "", model.Errorf(model.CodeNotFound, "the lane %s is gone", clean.Line(name))
}

// detailJSON writes what a detail is about: the event, or the record.
func detailJSON(d desk.Detail) (string, error) {
	var v any
	switch {
	case d.Event != nil:
		line := d.Event.AppendJSON(nil)
		return string(clean.AppendJSON(nil, line)) + "\n", nil
	case d.Signal != nil:
		v = d.Signal
	case d.Work != nil:
		v = d.Work
	case d.Directive != nil:
		v = d.Directive
	case d.Session != nil:
		v = d.Session
	case d.Machine != nil:
		v = d.Machine
	}
	return indented(v)
}

// indented writes JSON for people to read, safe to print.
func indented(v any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return string(clean.AppendJSON(nil, []byte(b.String()))), nil
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
	if v := c.snap.Verified; v.State == desk.VerifyFailed {
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
	if v := c.snap.Verified; v.State == desk.VerifyOK && v.Whole != 0 {
		d.Says = append(d.Says, "Everything up to event "+strconv.FormatInt(v.Seq, 10)+" is verified. "+views.LastWalk(&c.look, v.Whole))
	}
	return c.centred(base, d.Size(c.size), func(s views.Size) string { return d.Draw(s, c.look) })
}
