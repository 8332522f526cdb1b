package views_test

import (
	"strings"
	"testing"
	"time"

	"binnacle/themes"
	"binnacle/views/canvas"
)

// The age of what ✓ stands for is told where it is explained.
func TestTheAgeOfTheLastWalkIsTold(t *testing.T) {
	l := look(themes.Dark())
	got := detailOf().Draw(canvas.Chrome{}, 0, canvas.Size{W: 100, H: 90}, l)
	if !strings.Contains(got, "last walk") || !strings.Contains(got, "(3m ago)") {
		t.Errorf("the detail doesn't say when:\n%s", got)
	}
	for age, want := range map[time.Duration]string{
		0: "All of it was last read just now.", 90 * time.Minute: "All of it was last read 1h ago.",
	} {
		if got := canvas.LastWalk(&l, l.Now.Add(-age)); got != want {
			t.Errorf("%v: %q", age, got)
		}
	}
}
