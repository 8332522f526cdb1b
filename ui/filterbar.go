package ui

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/model/filter"
	"binnacle/views"
)

// filterBar is the line in which a filter is typed. What is typed is checked at
// every key and applied at enter.
type filterBar struct {
	field   field
	before  string // what the filter was, for esc
	fault   *filter.Error
	choices []filter.Suggestion
	chosen  int
	past    int // place in the history; its length is the line being typed
	typed   string
	values  map[string][]string // per field, as they came
	asked   map[string]bool
	tried   bool // enter was pressed on what can't be read
}

// maxHistory bounds the filters that are remembered.
const maxHistory = 50

// valuesMsg brings a field's values for completion.
type valuesMsg struct {
	field  string
	values []string
}

// known hands values to the bar that asked for them.
func (c *Cockpit) known(m valuesMsg) {
	for _, o := range c.overlays {
		if f, ok := o.(*filterBar); ok {
			f.values[m.field] = m.values
			f.check(c)
		}
	}
}

func (c *Cockpit) openFilter() {
	f := &filterBar{field: newField(c.filterText), before: c.filterText, chosen: -1, past: len(c.history)}
	f.values, f.asked = map[string][]string{}, map[string]bool{}
	f.check(c)
	c.push(f)
}

// setFilter applies a filter that was checked.
func (c *Cockpit) setFilter(text string) tea.Cmd {
	text = strings.TrimSpace(text)
	f, err := filter.Parse(text, c.look.Now)
	if err != nil {
		c.say(views.Refused, reason(err))
		return nil
	}
	if text == c.filterText {
		return nil
	}
	c.filter, c.filterText = f, text
	if text != "" {
		c.remember(text)
	}
	c.setFocus(views.PaneEvents)
	return c.restream()
}

// remember puts a filter at the end of the history.
func (c *Cockpit) remember(text string) {
	for i, h := range c.history {
		if h == text {
			c.history = append(c.history[:i], c.history[i+1:]...)
			break
		}
	}
	c.history = append(c.history, text)
	if len(c.history) > maxHistory {
		c.history = c.history[1:]
	}
}

func (f *filterBar) scopes(*Cockpit) []keymap.Scope { return []keymap.Scope{keymap.Input} }

func (f *filterBar) key(c *Cockpit, k tea.KeyMsg, action string) tea.Cmd {
	switch action {
	case "cancel":
		c.pop()
		return nil
	case "accept":
		if f.chosen >= 0 {
			f.take(c)
			return f.ask(c)
		}
		if f.fault != nil {
			f.tried = true
			return nil
		}
		c.pop()
		return c.setFilter(f.field.text())
	case "complete":
		if len(f.choices) > 0 {
			f.chosen = max(f.chosen, 0)
			f.take(c)
			return f.ask(c)
		}
	case "next-choice":
		if len(f.choices) > 0 && f.past == len(c.history) {
			f.chosen = min(f.chosen+1, len(f.choices)-1)
			return nil
		}
		f.recall(c, 1)
	case "previous-choice":
		if f.chosen >= 0 {
			f.chosen--
			return nil
		}
		f.recall(c, -1)
	default:
		f.field.key(k)
		f.chosen, f.past = -1, len(c.history)
		f.check(c)
	}
	return f.ask(c)
}

// take puts the chosen completion in.
func (f *filterBar) take(c *Cockpit) {
	s := f.choices[f.chosen]
	text := f.field.text()
	f.field.set(text[:s.From] + s.Text + text[s.To:])
	f.chosen = -1
	f.check(c)
}

// recall goes through the history.
func (f *filterBar) recall(c *Cockpit, n int) {
	at := f.past + n
	if at < 0 || at > len(c.history) {
		return
	}
	if f.past == len(c.history) {
		f.typed = f.field.text()
	}
	f.past = at
	if at == len(c.history) {
		f.field.set(f.typed)
	} else {
		f.field.set(c.history[at])
	}
	f.check(c)
}

func (f *filterBar) check(c *Cockpit) {
	text := f.field.text()
	f.fault, f.tried = nil, false
	if _, err := filter.Parse(text, c.look.Now); err != nil {
		errors.As(err, &f.fault)
	}
	f.choices = filter.Complete(text, f.field.cursor(), func(field string) []string { return f.values[field] })
}

// ask reads the values of the field that is being typed, once.
func (f *filterBar) ask(c *Cockpit) tea.Cmd {
	text := f.field.text()[:f.field.cursor()]
	word := text[strings.LastIndexAny(text, " ")+1:]
	name, _, ok := strings.Cut(strings.TrimPrefix(word, "-"), ":")
	if !ok || f.asked[name] {
		return nil
	}
	f.asked[name] = true
	d := c.desk
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(background(), 2*time.Second)
		defer cancel()
		return valuesMsg{field: name, values: d.Values(ctx, name)}
	}
}

func (f *filterBar) paste(c *Cockpit, text string) tea.Cmd {
	f.field.insert(text)
	f.check(c)
	return nil
}

func (f *filterBar) refresh(*Cockpit) tea.Cmd { return nil }

func (f *filterBar) draw(c *Cockpit, base string) string {
	v := views.FilterBar{Input: f.field.view(), Chosen: f.chosen}
	// While a word can still be completed, what it could become says more than
	// that it is nothing yet.
	if f.fault != nil && (len(f.choices) == 0 || f.tried) {
		v.Fault, v.At, v.Len = f.fault.Error(), f.fault.Pos, f.fault.Len
	}
	for _, s := range f.choices {
		v.Choices = append(v.Choices, views.Choice{Text: s.Text, Says: s.Note})
	}
	h := min(v.Height(), max(c.size.H, 1))
	at := views.Rect{X: 0, Y: max(c.size.H-h, 0), W: c.size.W, H: h}
	return views.Overlay(base, c.size, v.Draw(at.Size(), c.look), at)
}
