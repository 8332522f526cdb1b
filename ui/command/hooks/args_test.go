package hooks

import (
	"strings"
	"testing"

	"binnacle/backend/fleet/hooks"
	"binnacle/model"
)

func FuzzHookArgs(f *testing.F) {
	for _, s := range []string{"claude-code", "--workspace x codex", "--verbose=", "--", "--workspace", "-x --timeout 5 gemini"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		o := parseArgs(strings.Fields(s))
		if strings.HasPrefix(o.tool, "-") {
			t.Errorf("%q names the tool %q", s, o.tool)
		}
		if _, err := hooks.Parse(o.tool, []byte("{}")); err != nil && model.CodeOf(err) != model.CodeUsage {
			t.Errorf("%q: %v", s, err)
		}
	})
}
