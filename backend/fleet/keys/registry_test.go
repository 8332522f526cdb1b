package keys

import (
	"crypto/ed25519"
	"crypto/rand"
	"strings"
	"testing"

	"binnacle/backend/fleet/git"
	"binnacle/model/fleetmap"

	"golang.org/x/crypto/ssh"
)

func FuzzSplitCommit(f *testing.F) {
	f.Add([]byte("tree " + strings.Repeat("a", 40) + "\nauthor T <t@x> 1 +0000\ncommitter T <t@x> 1 +0000\n\nlive\n"))
	f.Add([]byte("tree " + strings.Repeat("a", 40) + "\nauthor a\ncommitter b\ngpgsig x\n y\n\nm"))
	f.Fuzz(func(t *testing.T, body []byte) {
		c, why := SplitCommit(body, git.SHA1)
		if why != "" {
			return
		}
		if len(c.signature) == 0 {
			if string(c.body) != string(body) {
				t.Fatal("a body without a signature changed")
			}
			return
		}
		again, why := SplitCommit(c.body, git.SHA1)
		if why != "" || len(again.signature) != 0 || again.Tree != c.Tree {
			t.Fatalf("what was signed is no commit: %s", why)
		}
	})
}

func FuzzParseRegistry(f *testing.F) {
	f.Add("ci namespaces=\"git\" ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7cBFFOFJzJ1kGXB2HLrSAPwYdGcYpWgHDqvGuVJbJd x\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := ParseRegistry("id", []byte(text))
		for _, k := range r.keys {
			if fleetmap.CheckMachine(k.agent) != nil {
				t.Fatalf("agent %q", k.agent)
			}
		}
		if r.Err != nil && len(r.keys) > 0 {
			t.Fatal("keys of an unreadable registry")
		}
	})
}

func TestRegistryRefusesWhatIsNotOneName(t *testing.T) {
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	pub, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	key := PublicLine(pub)
	for text, ok := range map[string]bool{
		"ci " + key:                     true,
		"ci,qa " + key:                  true,
		"# only a comment\n\n":          true,
		"* " + key:                      false,
		"ci*," + key:                    false,
		"!ci " + key:                    false,
		"ci cert-authority " + key:      false,
		"ci":                            false,
		key:                             false,
		"ci@example.invalid " + key:     false,
		`ci valid-before="soon" ` + key: false,
		`ci valid-before="2020010112345678Z" ` + key: false,
	} {
		r := ParseRegistry("id", []byte(text))
		if (r.Err == nil) != ok {
			t.Errorf("%q: %v", text, r.Err)
		}
		if r.Err != nil && len(r.keys) != 0 {
			t.Errorf("%q: keys of an unreadable registry", text)
		}
	}
}
