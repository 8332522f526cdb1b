package ui

import (
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/views"
)

// setFocus gives the keys to a pane.
func (c *Cockpit) setFocus(p views.Pane) {
	c.focus = p
	c.arrange()
}

// cycle goes to the next pane that is there, or the one before.
func (c *Cockpit) cycle(n int) {
	all := c.shown()
	if c.size.W >= views.TwoColumns && !c.zoom {
		all = all[:0:0]
		for _, p := range c.layout.Places {
			all = append(all, p.Pane)
		}
	}
	if len(all) == 0 {
		return
	}
	for i, p := range all {
		if p == c.focus {
			c.setFocus(all[(i+n+len(all))%len(all)])
			return
		}
	}
	c.setFocus(all[0])
}

// height is how many rows the focused pane shows.
func (c *Cockpit) height() int {
	if l := c.listOf(c.focus); l != nil {
		return l.height
	}
	return c.events.height
}

// move takes the focused pane's cursor by n rows.
func (c *Cockpit) move(n int) tea.Cmd {
	if l := c.listOf(c.focus); l != nil {
		l.move(n)
		if l.cursor.Noun == nounMore && !l.move(sign(n)) {
			l.move(-sign(n))
		}
		return nil
	}
	return c.moveEvents(n)
}

func (c *Cockpit) goTop() tea.Cmd {
	if l := c.listOf(c.focus); l != nil {
		l.to(0)
		return nil
	}
	return c.toTop()
}

func (c *Cockpit) goBottom() tea.Cmd {
	if l := c.listOf(c.focus); l != nil {
		l.to(len(l.ids) - 1)
		return nil
	}
	return c.followAgain()
}

// goLeft closes a lane, or goes to the pane on the left.
func (c *Cockpit) goLeft() {
	if c.focus == views.PaneLanes && c.setLane(false) {
		return
	}
	c.beside(-1)
}

// goRight opens a lane, or goes to the pane on the right.
func (c *Cockpit) goRight() {
	if c.focus == views.PaneLanes && c.setLane(true) {
		return
	}
	c.beside(1)
}

// setLane opens or closes the lane under the cursor and says whether that
// changed something.
func (c *Cockpit) setLane(open bool) bool {
	id := c.lanes.cursor
	if id.Noun == views.NounDirective && !open {
		// From a directive, left goes up to its lane.
		for i := c.lanes.at; i >= 0; i-- {
			if c.lanes.ids[i].Noun == views.NounLane {
				c.lanes.to(i)
				return true
			}
		}
	}
	if id.Noun != views.NounLane || c.open[id.Key] == open {
		return false
	}
	c.open[id.Key] = open
	c.refill()
	return true
}

// beside goes to the nearest pane on one side.
func (c *Cockpit) beside(side int) {
	at, ok := c.layout.Of(c.focus)
	if !ok || len(c.layout.Places) < 2 {
		c.cycle(side)
		return
	}
	best, distance := views.Pane(0), 1<<30
	for _, p := range c.layout.Places {
		r := p.Rect
		if side > 0 && r.X < at.X+at.W || side < 0 && r.X+r.W > at.X {
			continue
		}
		d := abs(r.X-at.X)*4 + abs(r.Y-at.Y)
		if d < distance {
			best, distance = p.Pane, d
		}
	}
	if best != 0 {
		c.setFocus(best)
	}
}

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}

func abs(n int) int { return max(n, -n) }

// problem goes to the next thing that needs an operator, in the pane of those.
func (c *Cockpit) problem(n int) tea.Cmd {
	if c.focus == views.PaneNeeds {
		c.needs.to((c.needs.at + n + len(c.needs.ids)) % max(len(c.needs.ids), 1))
	}
	c.setFocus(views.PaneNeeds)
	return nil
}

// match goes to the next row that the filter's words match.
func (c *Cockpit) match(n int) tea.Cmd {
	if c.focus != views.PaneEvents {
		c.setFocus(views.PaneEvents)
	}
	// The stream holds matching events only: the next row is the next match.
	return c.moveEvents(n)
}

func (c *Cockpit) togglePause() tea.Cmd {
	if !c.stream.follow {
		return c.followAgain()
	}
	c.stream.pause()
	return nil
}

// cycleTimes goes through the ways to show instants.
func (c *Cockpit) cycleTimes() {
	c.look.Times = (c.look.Times + 1) % 3
	c.say(views.Said, [...]string{"times: events by the clock, all else by age", "times: ages", "times: by the clock"}[c.look.Times])
}

// cycleTheme goes to the next theme.
func (c *Cockpit) cycleTheme() {
	for i, t := range c.opt.Themes {
		if t.Name == c.look.Theme.Name {
			c.look.Theme = c.opt.Themes[(i+1)%len(c.opt.Themes)]
			c.say(views.Said, "theme: "+c.look.Theme.Name)
			return
		}
	}
}

func (c *Cockpit) toggleMouse() {
	c.mouse = !c.mouse
	c.opt.Term.SetMouse(c.mouse)
	if c.mouse {
		c.say(views.Said, "the mouse is on")
		return
	}
	c.say(views.Said, "the mouse is off: select text with it; "+c.opt.Keys.KeyOf("mouse")+" turns it on")
}

// back closes what is open: the overlay, the filter, the zoom.
func (c *Cockpit) back() tea.Cmd {
	switch {
	case !c.filter.Empty() || c.filterText != "":
		return c.setFilter("")
	case c.zoom:
		c.zoom = false
		c.arrange()
	case !c.stream.follow:
		return c.followAgain()
	}
	return nil
}

// mark marks the row and goes to the next one.
func (c *Cockpit) mark() tea.Cmd {
	l := c.listOf(c.focus)
	l.toggle()
	l.move(1)
	return nil
}

// unmarkRow takes the mark of one record away, in whatever pane it has one.
func (c *Cockpit) unmarkRow(id views.ID) {
	for _, l := range []*rows{&c.planes, &c.lanes, &c.leases, &c.needs} {
		delete(l.marks, id)
	}
}

func (c *Cockpit) unmark() {
	n := c.marked()
	c.planes.marks, c.lanes.marks, c.leases.marks, c.needs.marks = nil, nil, nil, nil
	if n > 0 {
		c.say(views.Said, plural(int64(n), "mark taken away", "marks taken away"))
	}
}

// plural writes "1 mark", "2 marks".
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}
