package ui

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/themes"
	"binnacle/views/canvas"
)

// TestOfferShowsHelp: ? is no dead key where there is no workspace.
func TestOfferShowsHelp(t *testing.T) {
	made := 0
	o := &offer{
		dir: "/somewhere", keys: keymap.Default(), look: canvas.Look{Theme: themes.Dark(), Glyphs: themes.Unicode()},
		create: func() error { made++; return nil },
	}
	press := func(key string) tea.Cmd { _, cmd := o.Update(keyMsg(key)); return cmd }
	o.Update(tea.WindowSizeMsg{Width: 80, Height: 24})
	shows := func(want string) {
		t.Helper()
		if !strings.Contains(o.View(), want) {
			t.Fatalf("%q is not on the screen:\n%s", want, o.View())
		}
	}
	shows("? shows the keys")
	press("?")
	shows("Go one row up.")
	press("G")
	shows("Go to the field before.")
	if press("y"); made != 0 {
		t.Fatal("y over the help made a workspace")
	}
	if press("q") != nil {
		t.Fatal("q over the help left the program")
	}
	shows("No workspace here")
	if press("y"); made != 1 {
		t.Fatal("y did not make a workspace")
	}
}
