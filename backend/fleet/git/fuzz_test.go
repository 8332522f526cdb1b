package git

import (
	"strings"
	"testing"

	"binnacle/model/fleetmap"
)

func FuzzParseRefs(f *testing.F) {
	id := strings.Repeat("a", 40)
	f.Add("ref: refs/heads/main\tHEAD\n"+id+"\tHEAD\n"+id+"\trefs/bay/live/m-x\n"+id+"\trefs/bay/live/../x\n", "")
	f.Add(id+"\trefs/heads/main\n", "main")
	f.Fuzz(func(t *testing.T, out, trunk string) {
		a := parseRefs(out, "refs/bay", trunk)
		for name, commit := range a.Live {
			if fleetmap.CheckMachine(name) != nil || !fleetmap.HexID(commit) {
				t.Fatalf("%q %q", name, commit)
			}
		}
		if a.Trunk != "" && !fleetmap.HexID(a.Trunk) {
			t.Fatalf("%q", a.Trunk)
		}
	})
}

func FuzzParseLandings(f *testing.F) {
	f.Add("\x01" + strings.Repeat("a", 40) + "\x0217\x02C-1\x02title\n\nfile\x00\x00\x01" + strings.Repeat("b", 40) + "\x0217\x02\x02title\x00")
	f.Fuzz(func(t *testing.T, out string) {
		for _, l := range parseLandings(out) {
			if !fleetmap.HexID(l.Commit) || l.Change != "" && fleetmap.CheckChange(l.Change) != nil || len(l.Paths) > fleetmap.MaxLandingPaths {
				t.Fatalf("%+v", l)
			}
		}
	})
}

func FuzzParseConfig(f *testing.F) {
	f.Add([]byte("local\x00remote.origin.url\nx\x00global\x00a.b\x00"))
	f.Fuzz(func(t *testing.T, out []byte) {
		for _, s := range parseConfig(out).forward("origin", "url", "url") {
			if s.scope != "local" && s.scope != "worktree" {
				t.Fatalf("%+v", s)
			}
		}
	})
}
