package ui

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/backend/scratch"
	"binnacle/model"
	"binnacle/ui/overlay"
	"binnacle/ui/screen"
	"binnacle/views"
)

// terminal is the Terminal of a real run.
type terminal struct {
	term     *screen.Terminal
	getenv   func(string) string
	environ  func() []string
	fallback string // where files go when the system's folder for them can't be had
}

func (t *terminal) Copy(text string) error { return t.term.Copy(text) }
func (t *terminal) SetMouse(on bool)       { t.term.SetMouse(on) }
func (t *terminal) Redraw()                { t.term.Invalidate() }
func (t *terminal) Suspend() tea.Cmd       { return tea.Suspend }

// maxEdited bounds what an editor may leave behind.
const maxEdited = 4 << 20

// Edit gives the terminal to $VISUAL, $EDITOR or vi, or to read only to $PAGER,
// the editor or less. The text is in a file of its own that only the user can
// read, and that is deleted afterwards.
func (t *terminal) Edit(text, name string, editor bool) tea.Cmd {
	program := t.program(editor)
	return func() tea.Msg {
		dir, err := scratch.NewFolder("", "edit")
		if err != nil {
			if dir, err = scratch.NewFolder(t.fallback, "edit"); err != nil {
				return refused(model.Errorf(model.CodeInternal, "no file can be made for the editor: %w", err))
			}
		}
		defer func() { _ = dir.Remove() }()
		path := filepath.Join(dir.Path(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return refused(model.Errorf(model.CodeInternal, "no file can be made for the editor: %w", err))
		}
		// The variable may hold arguments, as everywhere: the shell splits them.
		cmd := exec.Command("sh", "-c", program+` "$1"`, "sh", path)
		cmd.Env = t.environ()
		// An editor that outlives us keeps what it edits.
		cmd.ExtraFiles = []*os.File{dir.Lock()}
		if err := t.term.Exec(cmd); err != nil {
			return refused(model.Errorf(model.CodeRefused, "%s ended with an error: %w", program, err))
		}
		if !editor {
			return nil
		}
		info, err := os.Stat(path)
		if err == nil && info.Size() > maxEdited {
			err = model.Errorf(model.CodeInvalid, "the text is too large")
		}
		var after []byte
		if err == nil {
			after, err = os.ReadFile(path)
		}
		if err != nil {
			return refused(err)
		}
		return overlay.Edited{Text: strings.TrimRight(string(after), "\n")}
	}
}

// refused is the message that says why nothing was edited.
func refused(err error) tea.Msg { return views.Flash{Text: err.Error(), Level: views.Refused} }

// program is what text is written with, or read with: who set only an editor
// reads in that.
func (t *terminal) program(editor bool) string {
	names, otherwise := []string{"PAGER", "VISUAL", "EDITOR"}, "less"
	if editor {
		names, otherwise = names[1:], "vi"
	}
	for _, n := range names {
		if v := strings.TrimSpace(t.getenv(n)); v != "" {
			return v
		}
	}
	return otherwise
}
