package fleet

import (
	"strings"
	"testing"

	"binnacle/model"
	"binnacle/model/fleetmap"
)

func TestParseInput(t *testing.T) {
	pin := strings.Repeat("ab", 20)
	for text, want := range map[string]fleetmap.ChangeInput{
		"path:src/api":         {Kind: "path", Ref: "src/api"},
		"path:a@b/c:d":         {Kind: "path", Ref: "a@b/c:d"},
		"path:src@" + pin:      {Kind: "path", Ref: "src", At: pin},
		"change:C-2":           {Kind: "change", Ref: "C-2"},
		"policy:.bay/keys/all": {Kind: "policy", Ref: ".bay/keys/all"},
	} {
		if got, err := parseInput(text); err != nil || got != want {
			t.Errorf("%s is %+v (%v)", text, got, err)
		}
	}
	for _, text := range []string{"", "src", "file:src", "path:", "Path:src", ":x"} {
		if _, err := parseInput(text); model.Exit(err) != 2 {
			t.Errorf("%q is taken (%v)", text, err)
		}
	}
}

func FuzzParseInput(f *testing.F) {
	for _, s := range []string{"path:a", "change:C-1@" + strings.Repeat("0", 64), "policy::@", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		in, err := parseInput(s)
		if err != nil {
			if model.Exit(err) != 2 {
				t.Errorf("%q ends with %d", s, model.Exit(err))
			}
			return
		}
		back := in.Kind + ":" + in.Ref
		if in.At != "" {
			back += "@" + in.At
		}
		if back != s {
			t.Errorf("%q became %q", s, back)
		}
	})
}
