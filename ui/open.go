package ui

import (
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/model/desk"
	"binnacle/model/filter"
	"binnacle/ui/overlay"
	"binnacle/ui/pane"
	"binnacle/views"
	"binnacle/views/canvas"
	"binnacle/views/dialog"
)

// openRow opens the row under the cursor: a lane opens and closes, all else
// shows its detail.
func (c *Cockpit) openRow() tea.Cmd {
	t, ok := c.panes.Target()
	if !ok || c.panes.Focus().Fold(pane.Toggle) {
		return nil
	}
	return c.openDetail(overlay.NewDetail(c.details, t))
}

// openDetail opens a detail and reads it.
func (c *Cockpit) openDetail(d *overlay.Detail) tea.Cmd {
	c.over.Push(d)
	return d.Load()
}

func (c *Cockpit) openFilter() {
	_, text := c.events.Filter()
	c.over.Push(overlay.NewFilterBar(text, c.history, c.look.Now, c.desk.Values, c.setFilter))
}

// setFilter makes the events that match a filter the only ones.
func (c *Cockpit) setFilter(text string) tea.Cmd {
	text = strings.TrimSpace(text)
	f, err := filter.Parse(text, c.look.Now)
	if err != nil {
		c.refuse(overlay.Reason(err))
		return nil
	}
	if _, is := c.events.Filter(); text == is {
		return nil
	}
	c.events.SetFilter(f, text)
	if text != "" {
		c.history.Remember(text)
	}
	c.panes.SetFocus(views.PaneEvents)
	return c.events.Restart()
}

// openPalette offers every action, and every command of the program.
func (c *Cockpit) openPalette() {
	var all []overlay.Entry
	for _, a := range c.opt.Keys.Actions() {
		if _, ok := c.deeds[a.Name]; !ok || a.Name == "palette" || a.Name == "interrupt" {
			continue
		}
		all = append(all, overlay.Entry{
			Synonyms: a.Synonyms, Do: func() tea.Cmd { return c.perform(a.Name) },
			PaletteItem: dialog.PaletteItem{
				Name: a.Name, Help: a.Help, Key: c.opt.Keys.KeyOf(a.Name), Refused: c.refusal(a.Name),
			},
		})
	}
	for _, m := range c.opt.Runner.commands() {
		all = append(all, overlay.Entry{
			Do:          func() tea.Cmd { return c.choose(m) },
			PaletteItem: dialog.PaletteItem{Name: m.name(), Help: m.Help},
		})
	}
	c.over.Push(overlay.NewPalette(all))
}

// alarms says what is wrong, in full; stream is why the
// events' stream ended.
func alarms(s *desk.Snapshot, stream string, look *canvas.Look) (says []string) {
	v := s.Verified
	if v.State == desk.VerifyFailed {
		says = append(says, "The chain of events is broken: "+v.Finding+".")
	}
	for _, a := range s.Health {
		says = append(says, a.Engine+": "+a.Text)
	}
	if stream != "" {
		says = append(says, "events: "+stream)
	}
	if len(says) == 0 {
		says = []string{"Nothing is wrong."}
	}
	if v.State == desk.VerifyOK && v.Whole != 0 {
		says = append(says, "Everything up to event "+strconv.FormatInt(v.Seq, 10)+" is verified. "+canvas.LastWalk(look, v.Whole))
	}
	return says
}
