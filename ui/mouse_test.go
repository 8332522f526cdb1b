package ui

import (
	"fmt"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/model/directive"
	"binnacle/views"
)

// click presses a button of the mouse on a cell.
func (r *rig) click(x, y int, b tea.MouseButton) {
	r.t.Helper()
	r.send(tea.MouseMsg{X: x, Y: y, Button: b, Action: tea.MouseActionPress})
}

// TestTheMousePointsAndScrolls: a click puts focus and cursor, the wheel scrolls
// what it is over, and neither does anything to a record.
func TestTheMousePointsAndScrolls(t *testing.T) {
	r := newRig(t, rigOptions{size: "120x40"})
	r.notes(60)
	for i := range 3 {
		r.pushed(fmt.Sprintf("part %d", i), directive.P1, "")
	}
	r.sync()
	at, _ := r.c.panes.Layout().Of(views.PaneLanes)
	r.click(at.X+5, at.Y+3, tea.MouseButtonLeft) // the lane, #1, #2
	if got, _ := r.c.panes.Target(); got.Key != "2" {
		t.Fatalf("the click selected %+v", got)
	}
	r.click(at.X+5, at.Y, tea.MouseButtonLeft) // the border
	r.click(at.X+5, at.Y+at.H-2, tea.MouseButtonLeft)
	if got, _ := r.c.panes.Target(); got.Key != "2" {
		t.Fatalf("where no row is, the click selected %+v", got)
	}
	r.click(10, 20, tea.MouseButtonWheelUp)
	if r.c.panes.Focus().Name() != views.PaneEvents {
		t.Error("the wheel did not go to Events")
	}
	r.has("paused")
	r.press("?")
	for range 3 {
		r.click(10, 20, tea.MouseButtonWheelDown)
	}
	r.hasNot("Go one row up.")
	r.click(at.X+5, at.Y+3, tea.MouseButtonLeft)
	if r.press("esc"); r.c.panes.Focus().Name() != views.PaneEvents {
		t.Error("a click went through the help")
	}
	r.size("80x24")
	r.click(30, 1, tea.MouseButtonLeft) // the tabs
	if r.c.panes.Focus().Name() != views.PanePlanes {
		t.Error("a click on the tabs did not go on")
	}
	for id := int64(1); id <= 3; id++ {
		if got := r.status(id); got.Rev != 1 {
			t.Errorf("the mouse changed #%d: %+v", id, got)
		}
	}
}
