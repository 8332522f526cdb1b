package cli

import (
	"testing"
)

func TestNearest(t *testing.T) {
	names := []string{"emit", "export", "import", "init", "log", "query", "status"}
	for written, want := range map[string]string{
		"emti": "emit", "imprt": "import", "exprot": "export", "stat": "status", "stauts": "status", "xyzzy": "", "": "", "lo": "log",
	} {
		if got := nearest(written, names); got != want {
			t.Errorf("%q is nearest to %q, not to %q", written, got, want)
		}
	}
}
