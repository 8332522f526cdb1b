package clock_test

import (
	"runtime"
	"testing"

	"binnacle/backend/clock"
)

// TestMachine: the clocks go forward, and the machine has been awake at most as
// long as it has been up.
func TestMachine(t *testing.T) {
	now := clock.Machine()
	a, b := now(), now()
	if a.Wall == 0 || a.Boot != b.Boot {
		t.Fatalf("got %+v, then %+v", a, b)
	}
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		return
	}
	if a.Boot == "" || a.Awake <= 0 || b.Awake < a.Awake || b.Up < a.Up || a.Awake > b.Up {
		t.Fatalf("got %+v, then %+v", a, b)
	}
}
