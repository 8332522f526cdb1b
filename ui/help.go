package ui

import (
	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/views"
)

// keyHelp shows every key. It needs no cockpit: the screen without a workspace
// shows it, too.
type keyHelp struct{ top int }

func (h *keyHelp) view(keys keymap.Map) views.Help { return views.Help{Map: keys, Top: h.top} }

// key takes an action within a box of the size and says whether it closed the
// help.
func (h *keyHelp) key(action string, keys keymap.Map, s views.Size, look views.Look) (closed bool) {
	h.top = scrolled(h.top, action, h.view(keys).Height(s, look), s)
	return action == "back" || action == "help" || action == "quit"
}

// scrolled is the first line in sight after an action, of so many lines in a
// box of the size.
func scrolled(top int, action string, lines int, s views.Size) int {
	page, most := max(s.H-3, 1), max(lines-(s.H-2), 0)
	switch action {
	case "up":
		top--
	case "down":
		top++
	case "page-up":
		top -= page
	case "page-down":
		top += page
	case "top":
		top = 0
	case "bottom":
		top = most
	}
	return max(0, min(top, most))
}

// helpOverlay is the help over the panes.
type helpOverlay struct {
	quiet
	keyHelp
}

func (*helpOverlay) scopes(*Cockpit) []keymap.Scope {
	return []keymap.Scope{keymap.List, keymap.Global}
}

func (h *helpOverlay) key(c *Cockpit, _ tea.KeyMsg, action string) tea.Cmd {
	if h.keyHelp.key(action, c.opt.Keys, c.bigBox(), c.look) {
		c.pop()
	}
	return nil
}

func (h *helpOverlay) draw(c *Cockpit, base string) string {
	return c.centred(base, c.bigBox(), func(s views.Size) string { return h.view(c.opt.Keys).Draw(s, c.look) })
}

// bigBox is the size of overlays that want all they can get.
func (c *Cockpit) bigBox() views.Size { return bigBox(c.size) }

func bigBox(screen views.Size) views.Size {
	s := views.Size{W: min(screen.W, 132), H: screen.H}
	if screen.W > 60 {
		s.W = min(screen.W-4, 132)
	}
	if screen.H > 16 {
		s.H = screen.H - 2
	}
	return s
}
