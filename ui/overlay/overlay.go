// Package overlay has what stands over the panes and takes the keys: dialogs,
// forms, the detail, the palette, the line of the filter, the help, what a
// command wrote. Each is a struct that holds its own state; views draws it. An
// overlay does not know the cockpit: it is told how the screen is, and what it
// wants it says in the Result of a key.
package overlay

import (
	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/model"
	"binnacle/views"
	"binnacle/views/canvas"
)

// Overlay is something that stands over the panes and takes the keys.
type Overlay interface {
	// Scopes are where keys are looked up while it is the uppermost one.
	Scopes() []keymap.Scope
	// Key takes a key; action is what it means in Scopes, "" for nothing.
	Key(k tea.KeyMsg, action string, on *Screen) Result
	// Paste takes pasted text. It never acts.
	Paste(text string, on *Screen) Result
	// Update takes an answer, which may be another's, or a new instant, which
	// is a *desk.Snapshot.
	Update(msg tea.Msg, on *Screen) tea.Cmd
	// Place is where it stands.
	Place(on *Screen) canvas.Rect
	// Draw draws it in exactly the size.
	Draw(s canvas.Size, on *Screen) string
}

// Screen is what an overlay knows of what it stands on.
type Screen struct {
	Size canvas.Size
	Look *canvas.Look
	Keys keymap.Map
	Top  bool // it is the uppermost
}

// Result is what comes of a key. The zero Result is nothing: the overlay stays.
type Result struct {
	Close bool           // it leaves
	Pass  bool           // the key is not its own: the cockpit takes it
	Say   views.Flash    // a line for the operator
	Then  func() tea.Cmd // what is done after it left
}

// after is a Result that does a command.
func after(cmd tea.Cmd) Result { return Result{Then: func() tea.Cmd { return cmd }} }

// notice is a Result that says why nothing happened.
func notice(text string) Result { return Result{Say: views.Flash{Text: text, Level: views.Noticed}} }

// quiet is what most overlays leave out.
type quiet struct{}

func (quiet) Paste(string, *Screen) Result    { return notice("pasted text does nothing here") }
func (quiet) Update(tea.Msg, *Screen) tea.Cmd { return nil }

// inputScopes are those of overlays in which text is typed.
func inputScopes() []keymap.Scope { return []keymap.Scope{keymap.Input} }

// Big is the size of overlays that want all they can get of a screen.
func Big(screen canvas.Size) canvas.Size {
	s := canvas.Size{W: min(screen.W, 132), H: screen.H}
	if screen.W > 60 {
		s.W = min(screen.W-4, 132)
	}
	if screen.H > 16 {
		s.H = screen.H - 2
	}
	return s
}

// big is where such an overlay stands.
func big(on *Screen) canvas.Rect { return canvas.Centre(on.Size, Big(on.Size)) }

// scrolled is the first line in sight after an action, of so many lines in a
// box of the size.
func scrolled(top int, action string, lines int, s canvas.Size) int {
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

// Reason is a refusal with its hint, on one line.
func Reason(err error) string {
	s := err.Error()
	if h := model.HintOf(err); h != "" {
		s += " (" + h + ")"
	}
	return s
}
