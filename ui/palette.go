package ui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/sahilm/fuzzy"

	"binnacle/keymap"
	"binnacle/views"
)

// palette finds any action, and any command of the program's, by its name.
type palette struct {
	field field
	all   []entry
	found []entry
	at    int
}

// entry is what the palette offers.
type entry struct {
	views.PaletteItem
	synonyms []string
	command  *Command // nil for an action
}

func (c *Cockpit) openPalette() {
	p := &palette{field: newField("")}
	for _, a := range c.opt.Keys.Actions() {
		if _, ok := c.deeds[a.Name]; !ok || a.Name == "palette" || a.Name == "interrupt" {
			continue
		}
		p.all = append(p.all, entry{synonyms: a.Synonyms, PaletteItem: views.PaletteItem{
			Name: a.Name, Help: a.Help, Key: c.opt.Keys.KeyOf(a.Name), Refused: c.refusal(a.Name),
		}})
	}
	for _, m := range c.commands() {
		p.all = append(p.all, entry{command: &m, PaletteItem: views.PaletteItem{Name: m.name(), Help: m.Help}})
	}
	p.search()
	c.push(p)
}

// names and helps adapt the entries to the fuzzy matcher.
type (
	names []entry
	helps []entry
)

func (n names) String(i int) string { return n[i].Name }
func (n names) Len() int            { return len(n) }
func (h helps) String(i int) string { return h[i].Help }
func (h helps) Len() int            { return len(h) }

// search keeps what matches: first names that have the text in them, then what
// is also called so, then names that have its letters, then what the help says;
// in each the best first. Equal ones stay in their order, so that chance
// decides nothing.
func (p *palette) search() {
	p.at = 0
	text := strings.ToLower(strings.TrimSpace(p.field.text()))
	if text == "" {
		p.found = p.all
		return
	}
	p.found = nil
	taken := map[int]bool{}
	take := func(i int, e entry) {
		if !taken[i] {
			taken[i] = true
			p.found = append(p.found, e)
		}
	}
	byName := fuzzy.FindFrom(text, names(p.all))
	named := func(m fuzzy.Match) {
		e := p.all[m.Index]
		e.Matches = m.MatchedIndexes
		take(m.Index, e)
	}
	for _, m := range byName {
		if strings.Contains(p.all[m.Index].Name, text) {
			named(m)
		}
	}
	for i, e := range p.all {
		for _, s := range e.synonyms {
			if strings.HasPrefix(s, text) {
				e.Help = s + ": " + e.Help
				take(i, e)
			}
		}
	}
	for _, m := range byName {
		named(m)
	}
	for _, m := range fuzzy.FindFrom(text, helps(p.all)) {
		take(m.Index, p.all[m.Index])
	}
}

func (p *palette) scopes(*Cockpit) []keymap.Scope { return []keymap.Scope{keymap.Input} }

func (p *palette) key(c *Cockpit, k tea.KeyMsg, action string) tea.Cmd {
	switch action {
	case "cancel":
		c.pop()
	case "accept":
		if p.at >= len(p.found) {
			return nil
		}
		e := p.found[p.at]
		c.pop()
		if e.command != nil {
			return c.choose(*e.command)
		}
		return c.perform(e.Name)
	case "next-choice", "complete":
		p.at = min(p.at+1, max(len(p.found)-1, 0))
	case "previous-choice", "previous-field":
		p.at = max(p.at-1, 0)
	default:
		p.field.key(k)
		p.search()
	}
	return nil
}

func (p *palette) paste(_ *Cockpit, text string) tea.Cmd {
	p.field.insert(text)
	p.search()
	return nil
}

func (p *palette) refresh(*Cockpit) tea.Cmd { return nil }

func (p *palette) draw(c *Cockpit, base string) string {
	items := make([]views.PaletteItem, len(p.found))
	for i, e := range p.found {
		items[i] = e.PaletteItem
	}
	v := views.Palette{Input: p.field.view(), Items: items, At: p.at, Total: len(p.all)}
	return c.centred(base, v.Size(c.size), func(s views.Size) string { return v.Draw(s, c.look) })
}
