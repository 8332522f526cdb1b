package views_test

import (
	"strings"
	"testing"

	"binnacle/model/fleetmap"
	"binnacle/model/session"
	"binnacle/themes"
	"binnacle/views"
	"binnacle/views/canvas"
)

// TestTwoSessionsOfOneMachineLookDifferent: their rows name the session, zoomed
// or in a pane that has the room.
func TestTwoSessionsOfOneMachineLookDifferent(t *testing.T) {
	row := func(id string) fleetmap.Session {
		return fleetmap.Session{Machine: "m-a", LiveRow: &fleetmap.LiveRow{Session: id, Agent: "claude-code", Actor: "ana", State: session.Working}}
	}
	v := fleetmap.Picture{Map: fleetmap.Map{Sessions: []fleetmap.Session{row("aaaa1111-x"), row("bbbb2222-x")}}}
	for _, w := range []int{80, 120} {
		frame := views.Fleet{View: &v}.Draw(canvas.Size{W: w, H: 6}, look(themes.Dark()))
		for _, want := range []string{"aaaa1111", "bbbb2222"} {
			if !strings.Contains(frame, want) {
				t.Errorf("%d columns do not name %s:\n%s", w, want, frame)
			}
		}
	}
}
