package ui

import (
	"time"

	"binnacle/keymap"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/ui/pane"
	"binnacle/ui/record"
	"binnacle/views"
	"binnacle/views/canvas"
)

// View draws the frame: exactly as many lines and cells as the terminal has.
func (c *Cockpit) View() string {
	if c.size.W < 1 || c.size.H < 1 {
		return ""
	}
	return c.over.Draw(c.base())
}

// base draws all but the overlays.
func (c *Cockpit) base() string {
	at := c.panes.Layout()
	if at.TooSmall {
		return views.TooSmall(c.size, c.look)
	}
	parts := append(c.panes.Parts(c.over.Len() == 0, chrome(&c.snap, c.look.Now)),
		canvas.Part{Rect: at.Header, Text: header(c.opt.Place, c.events.Following(), &c.snap).Draw(at.Header.W, c.look)},
		canvas.Part{Rect: at.Footer, Text: c.footer().Draw(at.Footer.W, c.look)},
	)
	if at.Tabs.H > 0 {
		tabs := views.Tabs{Panes: c.panes.Names(), Active: c.panes.Focus().Name(), Needs: len(c.snap.Needs) + c.snap.MoreNeeds}
		parts = append(parts, canvas.Part{Rect: at.Tabs, Text: tabs.Draw(at.Tabs.W, c.look)})
	}
	return canvas.Compose(c.size, parts)
}

// chrome says how old what the panes show is, where it is older than it should
// be.
func chrome(s *desk.Snapshot, now model.Time) (ch canvas.Chrome) {
	for _, a := range s.Health {
		if a.Engine == "store" || s.Gone != "" {
			ch.Old, ch.Fault = now.Sub(s.At), a.Text
		}
	}
	return ch
}

func header(p Place, following bool, s *desk.Snapshot) views.Header {
	h := views.Header{
		Workspace: p.Workspace, Paused: !following, ReadOnly: p.ReadOnly != "",
		Events: s.Counts.Total(), Verified: s.Verified, Rate: s.Rate,
		Needs: len(s.Needs) + s.MoreNeeds, Alarms: s.Health, Gone: s.Gone != "",
	}
	for i := range s.Lanes {
		h.Queue += s.Lanes[i].Open()
	}
	if f := s.Fleet; f != nil {
		h.Working, h.Sessions = f.Working()
	}
	return h
}

func (c *Cockpit) footer() views.Footer {
	f := views.Footer{Actions: c.hints(), Mode: "read-write", Marked: c.panes.Marked()}
	if c.opt.Place.ReadOnly != "" {
		f.Mode = "read-only"
	}
	if c.flash.Text != "" && c.look.Now < c.flash.until {
		f.Flash = c.flash.Flash
	}
	if c.snap.Gone != "" && f.Flash.Text == "" {
		f.Flash = views.Flash{Text: goneText(c.opt.Keys), Level: views.Refused}
	}
	return f
}

// nextUndoCells bounds how much of the bottom line names what undo takes back.
const nextUndoCells = 24

// hints are the actions of the bottom line: what would be done now on the row
// under the cursor, and undo by the name of what it takes back.
func (c *Cockpit) hints() []keymap.Action {
	var out []keymap.Action
	for _, a := range c.opt.Keys.Line(c.scopes()...) {
		if c.refusal(a.Name) != "" {
			continue
		}
		if a.Name == "undo" {
			a.Short += ": " + record.FirstLine(c.acts.nextUndo(), nextUndoCells)
		}
		out = append(out, a)
	}
	return out
}

// goneText says what can be done when the workspace is gone.
func goneText(keys keymap.Map) string {
	say := "the workspace is gone from its place; nothing is written any more"
	if a, ok := keys.Action("reopen"); ok && len(a.Keys) > 0 {
		say += "; " + a.Keys[0] + " opens it anew"
	}
	return say
}

// scopes are where a key is looked up, the narrowest first.
func (c *Cockpit) scopes() []keymap.Scope {
	if o := c.over.Top(); o != nil {
		return o.Scopes()
	}
	var out []keymap.Scope
	if t, ok := c.panes.Target(); ok {
		out = append(out, t.Scopes()...)
	}
	out = append(out, c.panes.Focus().Scopes()...)
	return append(out, keymap.List, keymap.Global)
}

// NextTick returns how long nothing on the screen changes by itself, so that
// the program sleeps until then.
func (c *Cockpit) NextTick() time.Duration {
	w := pane.NewWait(&c.look)
	if c.flash.Text != "" && c.look.Now < c.flash.until {
		w.In(c.flash.until.Sub(c.look.Now))
	}
	c.panes.Step(w)
	return w.Next()
}
