package ui

import (
	tea "github.com/charmbracelet/bubbletea"
	"github.com/sahilm/fuzzy"

	"binnacle/keymap"
	"binnacle/views"
)

// palette finds any action by its name.
type palette struct {
	field field
	all   []views.PaletteItem
	items []views.PaletteItem
	at    int
}

func (c *Cockpit) openPalette() {
	p := &palette{field: newField("")}
	for _, a := range c.opt.Keys.Actions() {
		if _, ok := c.deeds[a.Name]; !ok || a.Name == "palette" || a.Name == "interrupt" {
			continue
		}
		p.all = append(p.all, views.PaletteItem{
			Name: a.Name, Help: a.Help, Key: c.opt.Keys.KeyOf(a.Name), Refused: c.refusal(a.Name),
		})
	}
	p.search()
	c.push(p)
}

// names and helps adapt the items to the fuzzy matcher.
type (
	names []views.PaletteItem
	helps []views.PaletteItem
)

func (n names) String(i int) string { return n[i].Name }
func (n names) Len() int            { return len(n) }
func (h helps) String(i int) string { return h[i].Help }
func (h helps) Len() int            { return len(h) }

// search keeps what matches: by name first, the best first, then by what the
// help says. Equal ones stay in the keymap's order, so that chance decides
// nothing.
func (p *palette) search() {
	p.at = 0
	text := p.field.text()
	if text == "" {
		p.items = p.all
		return
	}
	p.items = nil
	found := map[int]bool{}
	for _, m := range fuzzy.FindFrom(text, names(p.all)) {
		it := p.all[m.Index]
		it.Matches = m.MatchedIndexes
		p.items = append(p.items, it)
		found[m.Index] = true
	}
	for _, m := range fuzzy.FindFrom(text, helps(p.all)) {
		if !found[m.Index] {
			p.items = append(p.items, p.all[m.Index])
		}
	}
}

func (p *palette) scopes(*Cockpit) []keymap.Scope { return []keymap.Scope{keymap.Input} }

func (p *palette) key(c *Cockpit, k tea.KeyMsg, action string) tea.Cmd {
	switch action {
	case "cancel":
		c.pop()
	case "accept":
		if p.at >= len(p.items) {
			return nil
		}
		it := p.items[p.at]
		c.pop()
		return c.perform(it.Name)
	case "next-choice", "complete":
		p.at = min(p.at+1, max(len(p.items)-1, 0))
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
	v := views.Palette{Input: p.field.view(), Items: p.items, At: p.at, Total: len(p.all)}
	return c.centred(base, v.Size(c.size), func(s views.Size) string { return v.Draw(s, c.look) })
}
