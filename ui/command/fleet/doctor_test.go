package fleet

import (
	"strings"
	"testing"

	"binnacle/model/fleetmap"
)

// Every level has its own mark and its own word, also in plain ASCII.
func TestDoctorMarks(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		seen := map[string]bool{}
		for _, level := range []fleetmap.FindingLevel{fleetmap.FindingOK, fleetmap.FindingInfo, fleetmap.FindingWarn, fleetmap.FindingBad} {
			mark, word, _ := strings.Cut(doctorMark(level, ascii), " ")
			if seen[mark] || seen[word] || mark == "" || word == "" {
				t.Errorf("%s is %q %q", level, mark, word)
			}
			seen[mark], seen[word] = true, true
			for _, r := range mark + word {
				if ascii && r > 126 {
					t.Errorf("%s has %q", level, r)
				}
			}
		}
	}
}
