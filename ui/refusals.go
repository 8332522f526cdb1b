package ui

import (
	"binnacle/ui/record"
	"binnacle/views"
)

// readOnly says why nothing can be changed, "" when it can.
func readOnly(c *Cockpit) string {
	if c.snap.Gone != "" {
		return c.snap.Gone
	}
	if c.opt.Place.ReadOnly == "" {
		return ""
	}
	return "read-only: " + c.opt.Place.ReadOnly
}

func standsYet(c *Cockpit) string {
	if c.snap.Gone == "" {
		return "the workspace is where it was opened"
	}
	return ""
}

func noFleet(c *Cockpit) string {
	if c.snap.Fleet == nil {
		return "there is no fleet here: the workspace is in no Git repository"
	}
	return ""
}

func noRow(c *Cockpit) string {
	if t, ok := c.selected(); ok && t.Noun != "" {
		return ""
	}
	return "no row is selected"
}

func noDirective(c *Cockpit) string {
	if len(c.chosen(views.NounDirective)) == 0 {
		return "no directive is selected"
	}
	return ""
}

func noFilter(c *Cockpit) string {
	if f, _ := c.events.Filter(); f.Empty() {
		return "there is no filter; / sets one"
	}
	return ""
}

func noMark(c *Cockpit) string {
	p := c.panes.Focus()
	if p.Marks() == nil {
		return "events can't be marked; mark in Lanes, Leases, Planes or Needs you"
	}
	if t, ok := p.Target(); !ok || t.Kind() == "" {
		return "no record is selected"
	}
	return ""
}

func noProblem(c *Cockpit) string {
	if len(c.snap.Needs) == 0 {
		return "there is no problem"
	}
	return ""
}

func noUndo(c *Cockpit) string {
	if c.acts.nextUndo() == "" {
		return "there is nothing to undo"
	}
	return ""
}

// onRecord says why the action does not apply to what is selected, and which
// keys do.
func onRecord(action, what string, nouns ...views.Noun) func(*Cockpit) string {
	return func(c *Cockpit) string {
		var first *record.Target
		for _, t := range c.targets() {
			for _, n := range nouns {
				if t.Noun != n {
					continue
				}
				if t.Allows(action) {
					return "" // at least one can
				}
				if first == nil {
					first = &t
				}
			}
		}
		switch {
		case first != nil:
			return first.Explain(action, c.opt.Keys)
		case c.panes.Focus() == c.events && c.events.Following() && c.over.Len() == 0:
			return "the events follow: pause them first (" + c.opt.Keys.KeyOf("pause") + ")"
		}
		return "no " + what + " is selected"
	}
}
