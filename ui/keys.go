package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
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
	goTo := func(p views.Pane) deed { return free(func(c *Cockpit) { c.setFocus(p) }) }
	move := func(n func(*Cockpit) int) deed {
		return cmd(func(c *Cockpit) tea.Cmd { return c.move(n(c)) })
	}
	onDirective := func(name string) func(*Cockpit) string { return onRecord(name, "directive", views.NounDirective) }
	onSignal := func(name string) func(*Cockpit) string { return onRecord(name, "signal", views.NounSignal) }
	page := func(c *Cockpit) int { return max(c.height()-1, 1) }
	return map[string]deed{
		"up":               move(func(*Cockpit) int { return -1 }),
		"down":             move(func(*Cockpit) int { return 1 }),
		"page-up":          move(func(c *Cockpit) int { return -page(c) }),
		"page-down":        move(page),
		"left":             free((*Cockpit).goLeft),
		"right":            free((*Cockpit).goRight),
		"top":              cmd((*Cockpit).goTop),
		"bottom":           cmd((*Cockpit).goBottom),
		"next-pane":        free(func(c *Cockpit) { c.cycle(1) }),
		"previous-pane":    free(func(c *Cockpit) { c.cycle(-1) }),
		"pane-1":           goTo(views.PaneEvents),
		"pane-2":           goTo(views.PanePlanes),
		"pane-3":           goTo(views.PaneLanes),
		"pane-4":           goTo(views.PaneLeases),
		"pane-5":           {do: func(c *Cockpit) tea.Cmd { c.setFocus(views.PaneFleet); return nil }, why: noFleet},
		"pane-6":           goTo(views.PaneNeeds),
		"next-problem":     {do: func(c *Cockpit) tea.Cmd { return c.problem(1) }, why: noProblem},
		"previous-problem": {do: func(c *Cockpit) tea.Cmd { return c.problem(-1) }, why: noProblem},

		"open":           {do: (*Cockpit).openRow, why: noRow},
		"back":           cmd((*Cockpit).back),
		"filter":         free((*Cockpit).openFilter),
		"next-match":     {do: func(c *Cockpit) tea.Cmd { return c.match(1) }, why: noFilter},
		"previous-match": {do: func(c *Cockpit) tea.Cmd { return c.match(-1) }, why: noFilter},
		"pause":          cmd((*Cockpit).togglePause),
		"times":          free((*Cockpit).cycleTimes),
		"zoom":           free(func(c *Cockpit) { c.zoom = !c.zoom; c.arrange() }),
		"theme":          free((*Cockpit).cycleTheme),
		"mouse":          free((*Cockpit).toggleMouse),
		"cause":          {do: func(c *Cockpit) tea.Cmd { return c.openLink(-1) }, why: noLink},
		"effect":         {do: func(c *Cockpit) tea.Cmd { return c.openLink(1) }, why: noLink},
		"alarms":         free((*Cockpit).openAlarms),
		"reopen":         {do: (*Cockpit).openAnew, why: standsYet},
		"fetch":          {do: (*Cockpit).fetch, why: noFleet},

		"requeue": {do: (*Cockpit).askRequeue, why: onDirective("requeue")},
		"drop":    {do: (*Cockpit).askDrop, why: onDirective("drop")},
		"raise":   {do: func(c *Cockpit) tea.Cmd { return c.reprioritize(-1) }, why: onDirective("raise")},
		"lower":   {do: func(c *Cockpit) tea.Cmd { return c.reprioritize(1) }, why: onDirective("lower")},
		"defer":   {do: (*Cockpit).askDefer, why: onDirective("defer")},
		"extend":  {do: (*Cockpit).askExtend, why: onRecord("extend", "lease", views.NounDirective, views.NounWork)},
		"push":    {do: (*Cockpit).askPush, why: (*Cockpit).readOnly},
		"why":     {do: (*Cockpit).openWhy, why: isDirective},

		"claim":   {do: func(c *Cockpit) tea.Cmd { return c.signal("claim") }, why: onSignal("claim")},
		"clear":   {do: (*Cockpit).askClear, why: onSignal("clear")},
		"release": {do: func(c *Cockpit) tea.Cmd { return c.signal("release") }, why: onSignal("release")},

		"mark":       {do: (*Cockpit).mark, why: noMark},
		"unmark-all": free((*Cockpit).unmark),
		"undo":       {do: (*Cockpit).undoLast, why: noUndo},

		"copy-id":   {do: (*Cockpit).copyID, why: noRow},
		"copy-json": {do: (*Cockpit).copyJSON, why: noRow},
		"edit":      {do: (*Cockpit).openPager, why: noRow},

		"palette":   free((*Cockpit).openPalette),
		"help":      free(func(c *Cockpit) { c.push(&helpOverlay{}) }),
		"redraw":    free(func(c *Cockpit) { c.opt.Term.Redraw() }),
		"suspend":   cmd(func(c *Cockpit) tea.Cmd { return c.opt.Term.Suspend() }),
		"quit":      free(func(c *Cockpit) { c.quitting = true }),
		"interrupt": free(func(c *Cockpit) { c.quitting = true }),
	}
}

// key does what a key means. A paste is text: over a line of input it is typed,
// elsewhere it does nothing.
func (c *Cockpit) key(k tea.KeyMsg) tea.Cmd {
	if c.look.Now >= c.flash.until.Add(flashRead-flashFor) {
		c.flash = flash{} // it was there to be read, and the keys want their line back
	}
	n := len(c.overlays)
	if k.Paste {
		if n > 0 {
			return c.overlays[n-1].paste(c, string(k.Runes))
		}
		c.say(views.Noticed, "pasted text does nothing here; / or : takes it")
		return nil
	}
	a, ok := c.opt.Keys.Lookup(k.String(), c.scopes()...)
	if c.layout.TooSmall && !a.In(keymap.Always) && a.Name != "quit" {
		return nil // nothing is on screen that it could mean
	}
	if n > 0 {
		if ok && a.In(keymap.Always) {
			return c.perform(a.Name)
		}
		return c.overlays[n-1].key(c, k, a.Name)
	}
	if !ok {
		return c.elsewhere(k)
	}
	return c.perform(a.Name)
}

// elsewhere says why a key that means something on other rows does nothing on
// this one: no key is dead.
func (c *Cockpit) elsewhere(k tea.KeyMsg) tea.Cmd {
	for _, s := range keymap.Scopes() {
		if s == keymap.Dialog || s == keymap.Input || s == keymap.Detail {
			continue
		}
		if a, ok := c.opt.Keys.Lookup(k.String(), s); ok {
			return c.perform(a.Name)
		}
	}
	return nil
}

// perform does an action, or says why it can't be done.
func (c *Cockpit) perform(name string) tea.Cmd {
	d, ok := c.deeds[name]
	if !ok {
		return nil
	}
	if why := c.refusal(name); why != "" {
		c.say(views.Refused, why)
		return nil
	}
	return d.do(c)
}

// refusal says why the action can't be done now, "" when it can.
func (c *Cockpit) refusal(name string) string {
	if a, ok := c.opt.Keys.Action(name); ok && a.Changes {
		if why := c.readOnly(); why != "" {
			return why
		}
	}
	if d := c.deeds[name]; d.why != nil {
		return d.why(c)
	}
	return ""
}

// readOnly says why nothing can be changed, "" when it can.
func (c *Cockpit) readOnly() string {
	if c.snap.Gone != "" {
		return c.snap.Gone
	}
	if c.opt.Place.ReadOnly == "" {
		return ""
	}
	return "read-only: " + c.opt.Place.ReadOnly
}

// openAnew leaves, for the workspace to be opened as it is now.
func (c *Cockpit) openAnew() tea.Cmd {
	c.quitting, c.reopen = true, true
	return nil
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

func noFilter(c *Cockpit) string {
	if c.filter.Empty() {
		return "there is no filter; / sets one"
	}
	return ""
}

func noMark(c *Cockpit) string {
	if l := c.listOf(c.focus); l == nil {
		return "events can't be marked; mark in Lanes, Leases, Planes or Needs you"
	} else if n := l.cursor.Noun; l.none() || n == views.NounLane || n == views.NounSession || n == views.NounMachine || n == views.NounEvent {
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
