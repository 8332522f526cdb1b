package overlay

import (
	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/ui/record"
	"binnacle/views/canvas"
	"binnacle/views/dialog"
)

// Form asks for one value or several.
type Form struct {
	view   dialog.Form
	fields []field
	submit Submit
	long   *LongText
	// edited is what the editor left, and shown its first line as the field
	// shows it: until the field is typed in, the whole text counts.
	edited, shown string
}

// Submit takes the values. It returns what is done with them after the form
// left, or which of the fields is wrong and why.
type Submit func(values []string) (then func() tea.Cmd, wrong int, err error)

// LongText is the field that an editor can be opened for.
type LongText struct {
	Field int
	Key   string // which key opens it
	Edit  func(text string) tea.Cmd
}

// Edited is what an editor left.
type Edited struct{ Text string }

// NewForm makes a form with the values in its fields; those that are missing are
// empty. long is nil where no field is for an editor.
func NewForm(view dialog.Form, values []string, long *LongText, submit Submit) *Form {
	f := &Form{view: view, submit: submit, long: long}
	for i := range view.Fields {
		v := ""
		if i < len(values) {
			v = values[i]
		}
		f.fields = append(f.fields, newField(v))
	}
	if f.view.Hint == "" {
		f.view.Hint = "enter does it, tab goes on, esc leaves"
		if long != nil {
			f.view.Hint += ", " + long.Key + " opens $EDITOR"
		}
	}
	return f
}

// Scopes are those of text that is typed.
func (*Form) Scopes() []keymap.Scope { return inputScopes() }

// Key types, goes to another field, opens the editor, or submits.
func (f *Form) Key(k tea.KeyMsg, action string, _ *Screen) Result {
	n := len(f.fields)
	switch {
	case action == "editor" && f.long != nil:
		return after(f.long.Edit(f.value(f.long.Field)))
	case action == "cancel":
		return Result{Close: true}
	case action == "complete", action == "next-choice":
		f.view.At = (f.view.At + 1) % n
	case action == "previous-field", action == "previous-choice":
		f.view.At = (f.view.At + n - 1) % n
	case action == "accept":
		values := make([]string, n)
		for i := range f.fields {
			values[i] = f.value(i)
			f.view.Fields[i].Fault = ""
		}
		then, wrong, err := f.submit(values)
		if err != nil {
			f.view.At = wrong
			f.view.Fields[wrong].Fault = Reason(err)
			return Result{}
		}
		return Result{Close: true, Then: then}
	default:
		f.fields[f.view.At].key(k)
	}
	return Result{}
}

// value is what a field stands for.
func (f *Form) value(i int) string {
	if f.editing(i) {
		return f.edited
	}
	return f.fields[i].text()
}

// editing says whether the field stands for what the editor left.
func (f *Form) editing(i int) bool {
	return f.long != nil && i == f.long.Field && f.edited != "" && f.fields[i].text() == f.shown
}

// Paste types the text.
func (f *Form) Paste(text string, _ *Screen) Result {
	f.fields[f.view.At].insert(text)
	return Result{}
}

// Update takes what the editor left, while the form has the keys.
func (f *Form) Update(msg tea.Msg, on *Screen) tea.Cmd {
	if m, ok := msg.(Edited); ok && on.Top && f.long != nil {
		f.edited, f.shown = m.Text, record.FirstLine(m.Text, 200)
		f.fields[f.long.Field].set(f.shown)
	}
	return nil
}

// Place is the middle of the screen.
func (f *Form) Place(on *Screen) canvas.Rect {
	v := f.filled()
	return canvas.Centre(on.Size, v.Size(on.Size))
}

// Draw draws the form.
func (f *Form) Draw(s canvas.Size, on *Screen) string {
	v := f.filled()
	return v.Draw(s, *on.Look)
}

// filled is the form with what was typed.
func (f *Form) filled() dialog.Form {
	v := f.view
	v.Fields = append([]dialog.Field(nil), v.Fields...)
	for i := range v.Fields {
		v.Fields[i].Input = f.fields[i].view()
		if f.editing(i) {
			v.Fields[i].Whole = f.edited
		}
	}
	return v
}
