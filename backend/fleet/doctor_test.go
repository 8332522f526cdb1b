package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"binnacle/backend/fleet/hooks"
	"binnacle/model/fleetmap"
)

func TestDoctorNamesAProgramThatIsGone(t *testing.T) {
	for _, tool := range hooks.Tools() {
		n := local(t)
		o := hooks.Options{Tool: tool, Binary: filepath.Join(t.TempDir(), "binnacle")}
		must(t, os.WriteFile(o.Binary, []byte("#!/bin/sh\n"), 0o755))
		plan, err := n.Hooks().PlanInstall(o)
		must(t, err)
		must(t, n.Hooks().Apply(plan))
		shown := func() (string, fleetmap.FindingLevel) {
			d := &doctor{f: n.Fleet}
			d.hooks(t.Context())
			return d.list[0].Text, d.list[0].Level
		}
		if text, level := shown(); level != fleetmap.FindingOK || !strings.Contains(text, o.Binary) {
			t.Errorf("%s: %s %s", tool, level, text)
		}
		must(t, os.Remove(o.Binary))
		if text, level := shown(); level != fleetmap.FindingBad || !strings.Contains(text, "the settings name "+o.Binary+", which is not there") {
			t.Errorf("%s: %s %s", tool, level, text)
		}
	}
}
