// Package pane has the panes of the cockpit. Each is a struct that holds what
// it shows, where its cursor is and what is marked, and that knows what a key or
// the mouse means in it; views draws it. A pane knows neither the others nor the
// cockpit: what it needs of them comes in as an argument, what it wants goes out
// as a command or a message.
//
// A new pane is a file here, with a struct that embeds records where it shows
// records; its number and its line in the table of views; its key in keymap; and
// its place in the line where the cockpit makes its panes.
package pane

import (
	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/model/desk"
	"binnacle/ui/record"
	"binnacle/views"
	"binnacle/views/canvas"
)

// Pane is one pane, as the Set treats them all alike.
type Pane interface {
	// Name is its number, which never changes.
	Name() views.Pane
	// Shown says whether there is anything that it could be about here.
	Shown() bool
	// Scopes are where its own keys are looked up, before those of all lists.
	Scopes() []keymap.Scope

	// Show takes a new instant. It returns how many marks went with rows that
	// vanished, and what is to be read now.
	Show(s desk.Snapshot) (gone int, cmd tea.Cmd)
	// Update takes an answer or a message that may be another pane's.
	Update(msg tea.Msg) tea.Cmd
	// Resize tells how large it is, its border included, and whether it has the
	// keys. A size of 0 says that it is not on the screen.
	Resize(s canvas.Size, focus bool, look *canvas.Look)
	// Draw draws it in exactly the size.
	Draw(ch canvas.Chrome, s canvas.Size, look *canvas.Look) string
	// Step tells w when something that it shows will be written differently.
	Step(w *Wait)

	// Move takes the cursor by n rows.
	Move(n int) tea.Cmd
	// Jump takes it to the first row (-1) or to the last one (1).
	Jump(end int) tea.Cmd
	// Fold opens or closes the row under the cursor, and says whether it did: a
	// row that is not of that kind stays as it is.
	Fold(f Fold) bool
	// Point puts the cursor on the row of a line, 0 the first below the border.
	Point(line int)
	// Height is how many rows it shows.
	Height() int

	// Target is what the cursor is on; false where that is not drawn.
	Target() (record.Target, bool)
	// Targets are the marked rows, else the one under the cursor.
	Targets() []record.Target
	// Marks are its marked rows; nil where rows can't be marked.
	Marks() *Marks
}

// Fold says what is to be done with a row that can be opened.
type Fold int

// What Fold does.
const (
	Close Fold = iota
	Open
	Toggle
)
