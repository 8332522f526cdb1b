package overlay

import (
	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/views/canvas"
	"binnacle/views/dialog"
)

// Help shows every key.
type Help struct {
	quiet
	top int
}

// Scopes are those of a list.
func (*Help) Scopes() []keymap.Scope { return []keymap.Scope{keymap.List, keymap.Global} }

func (h *Help) view(on *Screen) dialog.Help { return dialog.Help{Map: on.Keys, Top: h.top} }

// Key scrolls, or closes the help.
func (h *Help) Key(_ tea.KeyMsg, action string, on *Screen) Result {
	box := Big(on.Size)
	h.top = scrolled(h.top, action, h.view(on).Height(box, *on.Look), box)
	return Result{Close: action == "back" || action == "help" || action == "quit"}
}

// Place is the middle of the screen.
func (*Help) Place(on *Screen) canvas.Rect { return big(on) }

// Draw draws the keys.
func (h *Help) Draw(s canvas.Size, on *Screen) string { return h.view(on).Draw(s, *on.Look) }
