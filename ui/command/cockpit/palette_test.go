package cockpit

import (
	"slices"
	"testing"
)

// TestPaletteRunsReadOnly: what a read-only cockpit runs may change nothing.
func TestPaletteRunsReadOnly(t *testing.T) {
	for _, readOnly := range []bool{false, true} {
		p := Launch{Dir: "/d"}.program("/w/.binnacle", readOnly)
		if p.Path == "" || p.Dir != "/d" || slices.Contains(p.Args, "--read-only") != readOnly || !slices.Contains(p.Args, "--workspace=/w/.binnacle") {
			t.Errorf("%+v", p)
		}
	}
}
