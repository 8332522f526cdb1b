package fleet

import (
	"strings"
	"testing"

	"binnacle/model"
)

func FuzzParseRefs(f *testing.F) {
	id := strings.Repeat("a", 40)
	f.Add("ref: refs/heads/main\tHEAD\n"+id+"\tHEAD\n"+id+"\trefs/bay/live/m-x\n"+id+"\trefs/bay/live/../x\n", "")
	f.Add(id+"\trefs/heads/main\n", "main")
	f.Fuzz(func(t *testing.T, out, trunk string) {
		a := parseRefs(out, "refs/bay", trunk)
		for name, commit := range a.live {
			if model.CheckMachine(name) != nil || !model.HexID(commit) {
				t.Fatalf("%q %q", name, commit)
			}
		}
		if a.trunk != "" && !model.HexID(a.trunk) {
			t.Fatalf("%q", a.trunk)
		}
	})
}

func FuzzSplitCommit(f *testing.F) {
	f.Add(plainCommit(strings.Repeat("a", 40)))
	f.Add([]byte("tree " + strings.Repeat("a", 40) + "\nauthor a\ncommitter b\ngpgsig x\n y\n\nm"))
	f.Fuzz(func(t *testing.T, body []byte) {
		c, why := splitCommit(body, formatSHA1)
		if why != "" {
			return
		}
		if len(c.signature) == 0 {
			if string(c.body) != string(body) {
				t.Fatal("a body without a signature changed")
			}
			return
		}
		again, why := splitCommit(c.body, formatSHA1)
		if why != "" || len(again.signature) != 0 || again.tree != c.tree {
			t.Fatalf("what was signed is no commit: %s", why)
		}
	})
}

func FuzzParseRegistry(f *testing.F) {
	f.Add("ci namespaces=\"git\" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7cBFFOFJzJ1kGXB2HLrSAPwYdGcYpWgHDqvGuVJbJd x\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := parseRegistry("id", []byte(text))
		for _, k := range r.keys {
			if model.CheckMachine(k.agent) != nil {
				t.Fatalf("agent %q", k.agent)
			}
		}
		if r.err != nil && len(r.keys) > 0 {
			t.Fatal("keys of an unreadable registry")
		}
	})
}

func FuzzParseLandings(f *testing.F) {
	f.Add("\x01" + strings.Repeat("a", 40) + "\x0217\x02C-1\x02title\n\nfile\x00\x00\x01" + strings.Repeat("b", 40) + "\x0217\x02\x02title\x00")
	f.Fuzz(func(t *testing.T, out string) {
		for _, l := range parseLandings(out) {
			if !model.HexID(l.Commit) || l.Change != "" && model.CheckChange(l.Change) != nil || len(l.Paths) > model.MaxLandingPaths {
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
