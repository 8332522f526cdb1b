package overlay

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/sahilm/fuzzy"

	"binnacle/keymap"
	"binnacle/views/canvas"
	"binnacle/views/dialog"
)

// Palette finds anything that can be done by its name.
type Palette struct {
	quiet
	field field
	all   []Entry
	found []Entry
	at    int
}

// Entry is what the palette offers.
type Entry struct {
	dialog.PaletteItem
	Synonyms []string
	Do       func() tea.Cmd
}

// NewPalette makes a palette.
func NewPalette(all []Entry) *Palette {
	p := &Palette{all: all}
	p.search()
	return p
}

// names and helps adapt the entries to the fuzzy matcher.
type (
	names []Entry
	helps []Entry
)

func (n names) String(i int) string { return n[i].Name }
func (n names) Len() int            { return len(n) }
func (h helps) String(i int) string { return h[i].Help }
func (h helps) Len() int            { return len(h) }

// search keeps what matches: first names that have the text in them, then what
// is also called so, then names that have its letters, then what the help says;
// in each the best first. Equal ones stay in their order, so that chance
// decides nothing.
func (p *Palette) search() {
	p.at = 0
	text := strings.ToLower(strings.TrimSpace(p.field.text()))
	if text == "" {
		p.found = p.all
		return
	}
	p.found = nil
	taken := map[int]bool{}
	take := func(i int, e Entry) {
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
		for _, s := range e.Synonyms {
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

// Scopes are those of text that is typed.
func (*Palette) Scopes() []keymap.Scope { return inputScopes() }

// Key types, goes to another entry, or does the one under the cursor.
func (p *Palette) Key(k tea.KeyMsg, action string, _ *Screen) Result {
	switch action {
	case "cancel":
		return Result{Close: true}
	case "accept":
		if p.at < len(p.found) {
			return Result{Close: true, Then: p.found[p.at].Do}
		}
	case "next-choice", "complete":
		p.at = min(p.at+1, max(len(p.found)-1, 0))
	case "previous-choice", "previous-field":
		p.at = max(p.at-1, 0)
	default:
		p.field.key(k)
		p.search()
	}
	return Result{}
}

// Paste types the text.
func (p *Palette) Paste(text string, _ *Screen) Result {
	p.field.insert(text)
	p.search()
	return Result{}
}

func (p *Palette) view() dialog.Palette {
	items := make([]dialog.PaletteItem, len(p.found))
	for i, e := range p.found {
		items[i] = e.PaletteItem
	}
	return dialog.Palette{Input: p.field.view(), Items: items, At: p.at, Total: len(p.all)}
}

// Place is the middle of the screen.
func (p *Palette) Place(on *Screen) canvas.Rect {
	return canvas.Centre(on.Size, p.view().Size(on.Size))
}

// Draw draws the palette.
func (p *Palette) Draw(s canvas.Size, on *Screen) string { return p.view().Draw(s, *on.Look) }
