package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"binnacle/model"
	"binnacle/ui/command/cli"
)

// A public key comes as a line, as words that a shell took apart, from a file
// or from stdin.
func TestPublicKeys(t *testing.T) {
	e := cli.Env{Dir: t.TempDir()}
	line := "ssh-ed25519 AAAA ada@host"
	if err := os.WriteFile(filepath.Join(e.Dir, "id.pub"), []byte(line+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(e.Dir, "empty.pub"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{line}, strings.Fields(line), {"id.pub"}, {"-"}} {
		e.Stdin = strings.NewReader(line + "\n")
		r := cli.NewRun(e)
		if got, err := publicKey(r, args); err != nil || strings.TrimSpace(got) != line {
			t.Errorf("%q is %q (%v)", args, got, err)
		}
	}
	for _, args := range [][]string{{"none.pub"}, {"empty.pub"}, {"."}} {
		r := cli.NewRun(e)
		if got, err := publicKey(r, args); model.Exit(err) != 2 {
			t.Errorf("%q is %q (%v)", args, got, err)
		}
	}
}
