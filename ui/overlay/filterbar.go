package overlay

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/model"
	"binnacle/model/filter"
	"binnacle/views/canvas"
	"binnacle/views/dialog"
)

// FilterBar is the line in which a filter is typed. What is typed is checked at
// every key and applied at enter.
type FilterBar struct {
	field   field
	fault   *filter.Error
	choices []filter.Suggestion
	chosen  int
	history History
	past    int // place in the history; its length is the line being typed
	typed   string
	values  map[string][]string // per field, as they came
	asked   map[string]bool
	tried   bool // enter was pressed on what can't be read
	read    Values
	apply   func(text string) tea.Cmd
}

// Values reads the values of a filter's field, for completion.
type Values func(ctx context.Context, field string) []string

// NewFilterBar makes a line with the text of a filter in it; apply takes the
// text that was typed when it can be read.
func NewFilterBar(text string, history History, now model.Time, read Values, apply func(string) tea.Cmd) *FilterBar {
	f := &FilterBar{
		field: newField(text), chosen: -1, history: history, past: len(history),
		values: map[string][]string{}, asked: map[string]bool{}, read: read, apply: apply,
	}
	f.check(now)
	return f
}

// History is filters that were applied, the newest last.
type History []string

// maxHistory bounds the filters that are remembered.
const maxHistory = 50

// Remember puts a filter at the end.
func (h *History) Remember(text string) {
	for i, s := range *h {
		if s == text {
			*h = append((*h)[:i], (*h)[i+1:]...)
			break
		}
	}
	*h = append(*h, text)
	if len(*h) > maxHistory {
		*h = (*h)[1:]
	}
}

// valuesMsg brings a field's values for completion.
type valuesMsg struct {
	to     *FilterBar
	field  string
	values []string
}

// Scopes are those of text that is typed.
func (*FilterBar) Scopes() []keymap.Scope { return inputScopes() }

// Key types, completes, goes through the history, or applies the filter.
func (f *FilterBar) Key(k tea.KeyMsg, action string, on *Screen) Result {
	now := on.Look.Now
	switch action {
	case "cancel":
		return Result{Close: true}
	case "accept":
		if f.chosen >= 0 {
			f.take(now)
			break
		}
		if f.fault != nil {
			f.tried = true
			return Result{}
		}
		text := f.field.text()
		return Result{Close: true, Then: func() tea.Cmd { return f.apply(text) }}
	case "complete":
		if len(f.choices) > 0 {
			f.chosen = max(f.chosen, 0)
			f.take(now)
		}
	case "next-choice":
		if len(f.choices) > 0 && f.past == len(f.history) {
			f.chosen = min(f.chosen+1, len(f.choices)-1)
			return Result{}
		}
		f.recall(1, now)
	case "previous-choice":
		if f.chosen >= 0 {
			f.chosen--
			return Result{}
		}
		f.recall(-1, now)
	default:
		f.field.key(k)
		f.chosen, f.past = -1, len(f.history)
		f.check(now)
	}
	return after(f.ask())
}

// take puts the chosen completion in.
func (f *FilterBar) take(now model.Time) {
	s := f.choices[f.chosen]
	text := f.field.text()
	f.field.set(text[:s.From] + s.Text + text[s.To:])
	f.chosen = -1
	f.check(now)
}

// recall goes through the history.
func (f *FilterBar) recall(n int, now model.Time) {
	at := f.past + n
	if at < 0 || at > len(f.history) {
		return
	}
	if f.past == len(f.history) {
		f.typed = f.field.text()
	}
	f.past = at
	if at == len(f.history) {
		f.field.set(f.typed)
	} else {
		f.field.set(f.history[at])
	}
	f.check(now)
}

func (f *FilterBar) check(now model.Time) {
	text := f.field.text()
	f.fault, f.tried = nil, false
	if _, err := filter.Parse(text, now); err != nil {
		errors.As(err, &f.fault)
	}
	f.choices = filter.Complete(text, f.field.cursor(), func(field string) []string { return f.values[field] })
}

// ask reads the values of the field that is being typed, once.
func (f *FilterBar) ask() tea.Cmd {
	text := f.field.text()[:f.field.cursor()]
	word := text[strings.LastIndexAny(text, " ")+1:]
	name, _, ok := strings.Cut(strings.TrimPrefix(word, "-"), ":")
	if !ok || f.asked[name] {
		return nil
	}
	f.asked[name] = true
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		return valuesMsg{to: f, field: name, values: f.read(ctx, name)}
	}
}

// Paste types the text.
func (f *FilterBar) Paste(text string, on *Screen) Result {
	f.field.insert(text)
	f.check(on.Look.Now)
	return Result{}
}

// Update takes the values that it asked for.
func (f *FilterBar) Update(msg tea.Msg, on *Screen) tea.Cmd {
	if m, ok := msg.(valuesMsg); ok && m.to == f {
		f.values[m.field] = m.values
		f.check(on.Look.Now)
	}
	return nil
}

func (f *FilterBar) view() dialog.FilterBar {
	v := dialog.FilterBar{Input: f.field.view(), Chosen: f.chosen}
	// While a word can still be completed, what it could become says more than
	// that it is nothing yet.
	if f.fault != nil && (len(f.choices) == 0 || f.tried) {
		v.Fault, v.At, v.Len = f.fault.Error(), f.fault.Pos, f.fault.Len
	}
	for _, s := range f.choices {
		v.Choices = append(v.Choices, dialog.Choice{Text: s.Text, Says: s.Note})
	}
	return v
}

// Place is the last lines of the screen.
func (f *FilterBar) Place(on *Screen) canvas.Rect {
	h := min(f.view().Height(), max(on.Size.H, 1))
	return canvas.Rect{X: 0, Y: max(on.Size.H-h, 0), W: on.Size.W, H: h}
}

// Draw draws the line and what could stand in it.
func (f *FilterBar) Draw(s canvas.Size, on *Screen) string { return f.view().Draw(s, *on.Look) }
