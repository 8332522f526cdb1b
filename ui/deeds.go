package ui

import (
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/model/desk"
	"binnacle/ui/overlay"
	"binnacle/ui/pane"
	"binnacle/ui/record"
	"binnacle/views"
)

// deed is what an action does here. why says why it can't be done now, "" when
// it can: the key then says so instead of doing nothing, and the palette shows
// it.
type deed struct {
	do  func(*Cockpit) tea.Cmd
	why func(*Cockpit) string
}

// deeds has every action of the keymap that is not part of an overlay.
func deeds() map[string]deed {
	free := func(do func(*Cockpit)) deed {
		return deed{do: func(c *Cockpit) tea.Cmd { do(c); return nil }}
	}
	cmd := func(do func(*Cockpit) tea.Cmd) deed { return deed{do: do} }
	move := func(n func(*Cockpit) int) deed {
		return cmd(func(c *Cockpit) tea.Cmd { return c.panes.Focus().Move(n(c)) })
	}
	page := func(c *Cockpit) int { return max(c.panes.Focus().Height()-1, 1) }
	side := func(f pane.Fold, way int) deed {
		return free(func(c *Cockpit) {
			if !c.panes.Focus().Fold(f) {
				c.panes.Beside(way)
			}
		})
	}
	says := func(do func(*Cockpit) string) deed {
		return free(func(c *Cockpit) {
			if text := do(c); text != "" {
				c.say(views.Flash{Text: text})
			}
		})
	}
	problem := func(n int) deed {
		return deed{why: noProblem, do: func(c *Cockpit) tea.Cmd {
			if c.panes.Focus() == c.needs {
				c.needs.Round(n)
			}
			c.panes.SetFocus(views.PaneNeeds)
			return nil
		}}
	}
	// The stream holds matching events only: the next row is the next match.
	match := func(n int) deed {
		return deed{why: noFilter, do: func(c *Cockpit) tea.Cmd {
			c.panes.SetFocus(views.PaneEvents)
			return c.events.Move(n)
		}}
	}
	priority := func(step int) func(*Cockpit) tea.Cmd {
		return func(c *Cockpit) tea.Cmd {
			all := reprioritizing(&c.snap, c.chosen(views.NounDirective), step)
			if len(all) == 0 {
				c.say(views.Flash{Text: "the priority is at its end already", Level: views.Noticed})
			}
			return c.do(all)
		}
	}
	directives := func(action string, do func(*Cockpit) tea.Cmd) deed {
		return deed{do: do, why: onRecord(action, "directive", views.NounDirective)}
	}
	signals := func(action string, do func(*Cockpit) tea.Cmd) deed {
		return deed{do: do, why: onRecord(action, "signal", views.NounSignal)}
	}
	step := func(verb desk.Verb) func(*Cockpit) tea.Cmd {
		return func(c *Cockpit) tea.Cmd { return c.do(actsOn(verb, c.chosen(views.NounSignal), nil)) }
	}
	all := map[string]deed{
		"up":               move(func(*Cockpit) int { return -1 }),
		"down":             move(func(*Cockpit) int { return 1 }),
		"page-up":          move(func(c *Cockpit) int { return -page(c) }),
		"page-down":        move(page),
		"left":             side(pane.Close, -1),
		"right":            side(pane.Open, 1),
		"top":              cmd(func(c *Cockpit) tea.Cmd { return c.panes.Focus().Jump(-1) }),
		"bottom":           cmd(func(c *Cockpit) tea.Cmd { return c.panes.Focus().Jump(1) }),
		"next-pane":        free(func(c *Cockpit) { c.panes.Cycle(1) }),
		"previous-pane":    free(func(c *Cockpit) { c.panes.Cycle(-1) }),
		"next-problem":     problem(1),
		"previous-problem": problem(-1),

		"open":           {do: (*Cockpit).openRow, why: noRow},
		"back":           cmd((*Cockpit).back),
		"filter":         free((*Cockpit).openFilter),
		"next-match":     match(1),
		"previous-match": match(-1),
		"pause":          cmd(func(c *Cockpit) tea.Cmd { return c.events.TogglePause() }),
		"times":          says(func(c *Cockpit) string { return nextTimes(&c.look) }),
		"zoom":           free(func(c *Cockpit) { c.panes.Zoom(!c.panes.Zoomed()) }),
		"theme":          says(func(c *Cockpit) string { return nextTheme(&c.look, c.opt.Themes) }),
		"mouse":          says((*Cockpit).toggleMouse),
		"cause":          {do: func(c *Cockpit) tea.Cmd { return c.openLink(-1) }, why: noLink},
		"effect":         {do: func(c *Cockpit) tea.Cmd { return c.openLink(1) }, why: noLink},
		"alarms": free(func(c *Cockpit) {
			c.over.Push(&overlay.Message{Title: "Alarms", Says: func() []string { return alarms(&c.snap, c.events.Fault(), &c.look) }})
		}),
		"reopen": {do: func(c *Cockpit) tea.Cmd { c.quitting, c.reopen = true, true; return nil }, why: standsYet},
		"fetch": {do: func(c *Cockpit) tea.Cmd {
			c.say(views.Flash{Text: "fetching the fleet"})
			return c.acts.fetch()
		}, why: noFleet},

		"requeue": directives("requeue", func(c *Cockpit) tea.Cmd { return c.ask(requeueing(c.chosen(views.NounDirective))) }),
		"drop":    directives("drop", func(c *Cockpit) tea.Cmd { return c.ask(dropping(c.chosen(views.NounDirective))) }),
		"raise":   directives("raise", priority(-1)),
		"lower":   directives("lower", priority(1)),
		"defer": directives("defer", func(c *Cockpit) tea.Cmd {
			return c.fill(deferring(c.chosen(views.NounDirective), c.opt.Place.Redactor))
		}),
		"extend": {
			do:  func(c *Cockpit) tea.Cmd { return c.fill(extending(c.targets())) },
			why: onRecord("extend", "lease", views.NounDirective, views.NounWork),
		},
		"push": {
			do:  func(c *Cockpit) tea.Cmd { return c.fill(pushing(laneOf(c), c.opt.Place.Redactor)) },
			why: readOnly,
		},
		"why": {
			do: func(c *Cockpit) tea.Cmd {
				t := c.chosen(views.NounDirective)[0]
				t.Seq = 0
				return c.openDetail(overlay.NewDetail(c.details, t).Brief())
			},
			why: noDirective,
		},

		"claim":   signals("claim", step(desk.VerbSignalClaim)),
		"clear":   signals("clear", func(c *Cockpit) tea.Cmd { return c.ask(clearing(c.chosen(views.NounSignal))) }),
		"release": signals("release", step(desk.VerbSignalRelease)),

		"mark": {do: func(c *Cockpit) tea.Cmd { return c.panes.Mark() }, why: noMark},
		"unmark-all": says(func(c *Cockpit) string {
			n := c.panes.UnmarkAll()
			if n == 0 {
				return ""
			}
			return record.Plural(int64(n), "mark taken away", "marks taken away")
		}),
		"undo": {do: func(c *Cockpit) tea.Cmd { return c.acts.undoLast() }, why: noUndo},

		"copy-id": {
			do: func(c *Cockpit) tea.Cmd {
				t, _ := c.selected()
				t = t.Written()
				c.copy(t.Key, t.Label)
				return nil
			},
			why: noRow,
		},
		"copy-json": {do: func(c *Cockpit) tea.Cmd { return c.asJSON(false) }, why: noRow},
		"edit":      {do: func(c *Cockpit) tea.Cmd { return c.asJSON(true) }, why: noRow},

		"palette":   free((*Cockpit).openPalette),
		"help":      free(func(c *Cockpit) { c.over.Push(&overlay.Help{}) }),
		"redraw":    free(func(c *Cockpit) { c.opt.Term.Redraw() }),
		"suspend":   cmd(func(c *Cockpit) tea.Cmd { return c.opt.Term.Suspend() }),
		"quit":      free(func(c *Cockpit) { c.quitting = true }),
		"interrupt": free(func(c *Cockpit) { c.quitting = true }),
	}
	for _, p := range views.Panes() {
		d := free(func(c *Cockpit) { c.panes.SetFocus(p) })
		if p == views.PaneFleet {
			d.why = noFleet
		}
		all["pane-"+strconv.Itoa(int(p))] = d
	}
	return all
}
