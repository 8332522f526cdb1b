package ui

import (
	"time"

	"binnacle/keymap"
	"binnacle/model"
	"binnacle/model/directive"
	"binnacle/views"
)

// shown lists the panes that there are: the fleet's only where there is one.
func (c *Cockpit) shown() []views.Pane {
	if c.snap.Fleet != nil {
		return views.Panes()
	}
	return []views.Pane{views.PaneEvents, views.PanePlanes, views.PaneLanes, views.PaneLeases, views.PaneNeeds}
}

// arrange lays the panes out and tells the lists how high they are.
func (c *Cockpit) arrange() {
	c.layout = views.Arrange(c.size, c.shown(), c.focus, c.zoom)
	inside := func(p views.Pane) int {
		r, ok := c.layout.Of(p)
		if !ok || r.H < 3 || r.W < 4 {
			return max(r.H, 0)
		}
		return r.H - 2
	}
	c.events.size(inside(views.PaneEvents))
	c.lanes.size(inside(views.PaneLanes))
	c.leases.size(inside(views.PaneLeases))
	c.needs.size(inside(views.PaneNeeds))
	c.fleet.size(inside(views.PaneFleet))
	if r, ok := c.layout.Of(views.PanePlanes); ok {
		c.planes.size(c.planesView().SignalRows(r.Size(), c.look))
	} else {
		c.planes.size(0)
	}
}

// View draws the frame: exactly as many lines and cells as the terminal has.
func (c *Cockpit) View() string {
	if c.size.W < 1 || c.size.H < 1 {
		return ""
	}
	frame := c.base()
	for _, o := range c.overlays {
		frame = o.draw(c, frame)
	}
	return frame
}

func (c *Cockpit) base() string {
	if c.layout.TooSmall {
		return views.TooSmall(c.size, c.look)
	}
	parts := []views.Part{{Rect: c.layout.Header, Text: c.headerView().Draw(c.layout.Header.W, c.look)}}
	if c.layout.Tabs.H > 0 {
		parts = append(parts, views.Part{Rect: c.layout.Tabs, Text: views.Tabs{
			Panes: c.shown(), Active: c.focus, Needs: len(c.snap.Needs) + c.snap.MoreNeeds,
		}.Draw(c.layout.Tabs.W, c.look)})
	}
	for _, p := range c.layout.Places {
		parts = append(parts, views.Part{Rect: p.Rect, Text: c.paneView(p.Pane, p.Rect.Size())})
	}
	parts = append(parts, views.Part{Rect: c.layout.Footer, Text: c.footerView().Draw(c.layout.Footer.W, c.look)})
	return views.Compose(c.size, parts)
}

func (c *Cockpit) paneView(p views.Pane, s views.Size) string {
	switch p {
	case views.PaneEvents:
		v := c.eventList()
		v.Chrome = c.chrome(p)
		if c.fault != "" {
			v.Fault = c.fault
		}
		return v.Draw(s, c.look)
	case views.PanePlanes:
		v := c.planesView()
		v.Chrome, v.Cursor = c.chrome(p), cursorOf(&c.planes)
		return v.Draw(s, c.look)
	case views.PaneLanes:
		v := c.lanesView()
		v.Chrome, v.Cursor = c.chrome(p), cursorOf(&c.lanes)
		return v.Draw(s, c.look)
	case views.PaneLeases:
		v := c.leasesView()
		v.Chrome, v.Cursor = c.chrome(p), cursorOf(&c.leases)
		return v.Draw(s, c.look)
	case views.PaneFleet:
		v := c.fleetPane()
		v.Chrome, v.Cursor = c.chrome(p), cursorOf(&c.fleet)
		return v.Draw(s, c.look)
	case views.PaneNeeds:
		v := c.needsView()
		v.Chrome, v.Cursor = c.chrome(p), cursorOf(&c.needs)
		return v.Draw(s, c.look)
	}
	return ""
}

func cursorOf(l *rows) views.Cursor {
	return views.Cursor{At: l.cursor, Top: l.top, Marks: l.marks}
}

func (c *Cockpit) lanesView() views.Lanes {
	return views.Lanes{Lanes: c.snap.Lanes, Open: c.open}
}

func (c *Cockpit) leasesView() views.Leases {
	taken := int64(0)
	for i := range c.snap.Lanes {
		taken += c.snap.Lanes[i].Taken
	}
	more := taken - int64(len(c.snap.Taken))
	more += c.snap.Counts.Get(model.PlaneWork, model.WorkClaimed) - int64(len(c.snap.Work))
	return views.Leases{Taken: c.snap.Taken, Work: c.snap.Work, More: max(more, 0), Clocks: c.snap.Clocks}
}

func (c *Cockpit) planesView() views.Planes {
	return views.Planes{
		Counts: c.snap.Counts, Lanes: c.snap.Lanes, Signals: c.snap.Signals, Open: c.focus == views.PanePlanes,
	}
}

func (c *Cockpit) needsView() views.Needs {
	return views.Needs{Needs: c.snap.Needs, More: c.snap.MoreNeeds}
}

func (c *Cockpit) fleetPane() views.Fleet { return views.Fleet{View: c.snap.Fleet} }

// chrome says how a pane stands: with the focus, zoomed, old.
func (c *Cockpit) chrome(p views.Pane) views.Chrome {
	ch := views.Chrome{Focus: p == c.focus && len(c.overlays) == 0, Zoom: c.zoom && p == c.focus}
	for _, a := range c.snap.Health {
		if a.Engine == "store" || c.snap.Gone != "" {
			ch.Old = c.look.Now.Sub(c.snap.At)
			ch.Fault = a.Text
		}
	}
	return ch
}

func (c *Cockpit) headerView() views.Header {
	h := views.Header{
		Workspace: c.opt.Place.Workspace, Paused: !c.stream.follow, ReadOnly: c.opt.Place.ReadOnly != "",
		Events: c.snap.Counts.Total(), Verified: c.snap.Verified, Rate: c.snap.Rate,
		Needs: len(c.snap.Needs) + c.snap.MoreNeeds, Alarms: c.snap.Health, Gone: c.snap.Gone != "",
	}
	for i := range c.snap.Lanes {
		h.Queue += c.snap.Lanes[i].Open()
	}
	if f := c.snap.Fleet; f != nil {
		h.Working, h.Sessions = f.Working()
	}
	return h
}

func (c *Cockpit) footerView() views.Footer {
	f := views.Footer{Actions: c.hints(), Mode: "read-write", Marked: c.marked()}
	if c.opt.Place.ReadOnly != "" {
		f.Mode = "read-only"
	}
	if c.flash.text != "" && c.look.Now < c.flash.until {
		f.Flash = views.Flash{Text: c.flash.text, Level: c.flash.level}
	}
	if c.snap.Gone != "" && f.Flash.Text == "" {
		f.Flash = views.Flash{Text: c.goneText(), Level: views.Refused}
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
			a.Short += ": " + firstLine(c.nextUndo(), nextUndoCells)
		}
		out = append(out, a)
	}
	return out
}

// goneText says what can be done when the workspace is gone.
func (c *Cockpit) goneText() string {
	say := "the workspace is gone from its place; nothing is written any more"
	if a, ok := c.opt.Keys.Action("reopen"); ok && len(a.Keys) > 0 {
		say += "; " + a.Keys[0] + " opens it anew"
	}
	return say
}

func (c *Cockpit) marked() int {
	return len(c.planes.marks) + len(c.lanes.marks) + len(c.leases.marks) + len(c.needs.marks)
}

// scopes are where a key is looked up, the narrowest first.
func (c *Cockpit) scopes() []keymap.Scope {
	if n := len(c.overlays); n > 0 {
		return c.overlays[n-1].scopes(c)
	}
	var out []keymap.Scope
	if t, ok := c.target(); ok {
		out = append(out, recordScopes(t)...)
	}
	switch c.focus {
	case views.PaneEvents:
		out = append(out, keymap.Events)
	case views.PaneFleet:
		out = append(out, keymap.Fleet)
	}
	return append(out, keymap.List, keymap.Global)
}

// recordScopes are the scopes of one record.
func recordScopes(t target) []keymap.Scope {
	var out []keymap.Scope
	switch t.Noun {
	case views.NounSignal:
		out = append(out, keymap.Signal)
	case views.NounDirective:
		if t.State == directive.StatusTaken {
			out = append(out, keymap.Lease)
		}
		out = append(out, keymap.Directive)
	case views.NounWork:
		out = append(out, keymap.Lease, keymap.Work)
	case views.NounSession, views.NounMachine:
		return nil
	}
	return append(out, keymap.Record)
}

// NextTick returns how long nothing on the screen changes by itself, so that
// the program sleeps until then.
func (c *Cockpit) NextTick() time.Duration {
	now := c.look.Now
	next := toMinute(now)
	if c.flash.text != "" && now < c.flash.until {
		next = soonest(next, c.flash.until.Sub(now))
	}
	reading := c.look.Clocks
	reading.Wall = now
	lease := func(l model.Lease) {
		if d := views.LeaseStep(l, reading); d > 0 {
			next = soonest(next, d)
		}
	}
	for i := range c.snap.Taken {
		lease(c.snap.Taken[i].Term())
	}
	for i := range c.snap.Work {
		lease(c.snap.Work[i].Term())
	}
	age := func(t model.Time) { next = soonest(next, nextStep(now.Sub(t))) }
	for i := range c.snap.Signals {
		age(c.snap.Signals[i].Since)
	}
	for i := range c.snap.Needs {
		age(c.snap.Needs[i].Since)
	}
	for i := range c.snap.Lanes {
		for j := range c.snap.Lanes[i].Directives {
			age(c.snap.Lanes[i].Directives[j].Since)
		}
	}
	if f := c.snap.Fleet; f != nil {
		step := func(d time.Duration) { next = soonest(next, nextStep(f.Since(d, now))) }
		if f.Map.FetchedAt != 0 {
			step(f.Map.FetchAge)
		}
		for i := range f.Map.Sessions {
			step(f.Map.Sessions[i].RowAge)
		}
		for i := range f.Map.Machines {
			step(f.Map.Machines[i].Age)
		}
	}
	if c.look.Times == views.Ages {
		for i := c.events.top; i < min(c.events.top+c.events.height, len(c.stream.rows)); i++ {
			age(c.stream.rows[i].event.TS)
		}
	}
	return next
}
