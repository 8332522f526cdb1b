package overlay

import (
	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/views/canvas"
	"binnacle/views/dialog"
)

// Dialog asks before something is done. The safe button is the first and has
// the focus.
type Dialog struct {
	quiet
	view    dialog.Dialog
	typed   field // the number that must be typed
	confirm func() tea.Cmd
}

// NewDialog makes a dialog; confirm is done when another button than the first
// is pressed.
func NewDialog(view dialog.Dialog, confirm func() tea.Cmd) *Dialog {
	return &Dialog{view: view, confirm: confirm}
}

// Scopes are those of dialogs.
func (*Dialog) Scopes() []keymap.Scope { return []keymap.Scope{keymap.Dialog} }

// Key types the number, scrolls the list, goes to a button, or presses one.
func (d *Dialog) Key(k tea.KeyMsg, action string, on *Screen) Result {
	if d.view.Count != nil {
		if t := k.String(); t == "backspace" || len(t) == 1 && t[0] >= '0' && t[0] <= '9' {
			d.typed.key(k)
			d.view.Count.Input = d.typed.view()
			return Result{}
		}
	}
	if action == "" && len(d.view.List) > 0 {
		a, _ := on.Keys.Lookup(k.String(), keymap.List)
		rows := d.view.Rows(d.view.Size(on.Size), *on.Look)
		d.view.Top = scrolled(d.view.Top, a.Name, len(d.view.List), canvas.Size{H: rows + 2})
	}
	switch n := len(d.view.Buttons); action {
	case "next-button":
		d.view.At = (d.view.At + 1) % n
	case "previous-button":
		d.view.At = (d.view.At + n - 1) % n
	case "dismiss":
		return Result{Close: true}
	case "press":
		if d.view.At == 0 {
			return Result{Close: true}
		}
		if !d.view.Count.Met() {
			d.view.Fault = "type the number first: nothing happened"
			return Result{}
		}
		return Result{Close: true, Then: d.confirm}
	}
	return Result{}
}

// Place is the middle of the screen.
func (d *Dialog) Place(on *Screen) canvas.Rect { return canvas.Centre(on.Size, d.view.Size(on.Size)) }

// Draw draws the dialog.
func (d *Dialog) Draw(s canvas.Size, on *Screen) string { return d.view.Draw(s, *on.Look) }

// Message shows sentences as they are at the time, until it is closed.
type Message struct {
	quiet
	Title string
	Says  func() []string
}

// Scopes are those of dialogs.
func (*Message) Scopes() []keymap.Scope { return []keymap.Scope{keymap.Dialog} }

// Key closes it.
func (*Message) Key(_ tea.KeyMsg, action string, _ *Screen) Result {
	return Result{Close: action == "press" || action == "dismiss"}
}

func (m *Message) view() dialog.Dialog {
	return dialog.Dialog{Title: m.Title, Says: m.Says(), Buttons: []string{"Close"}}
}

// Place is the middle of the screen.
func (m *Message) Place(on *Screen) canvas.Rect {
	return canvas.Centre(on.Size, m.view().Size(on.Size))
}

// Draw draws the sentences.
func (m *Message) Draw(s canvas.Size, on *Screen) string { return m.view().Draw(s, *on.Look) }
