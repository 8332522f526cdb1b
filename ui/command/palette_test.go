package command

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"binnacle/ui/command/cli"
	"binnacle/ui/command/cockpit"
)

// TestPaletteHasEveryCommand: a new command is in the palette, unless it is
// left out by name; and no name is left out that there is none of.
func TestPaletteHasEveryCommand(t *testing.T) {
	var offered []string
	for _, m := range paletteCommands(newRoot(cli.NewRun(cli.Env{}), cockpit.Programs{})) {
		name := strings.Join(m.Words, " ")
		offered = append(offered, name)
		if m.Help == "." || strings.HasSuffix(m.Help, "..") {
			t.Errorf("%s: help %q", name, m.Help)
		}
		for _, f := range m.Flags {
			if f == "--follow" || f == "--json" || f == "--help" {
				t.Errorf("%s offers %s", name, f)
			}
		}
		switch name {
		case "ledger log":
			if !slices.Equal(m.Endless, []string{"--follow", "-f"}) || m.Needs {
				t.Errorf("%+v", m)
			}
		case "queue show":
			if !m.Needs || m.Takes != "ID" {
				t.Errorf("%+v", m)
			}
		}
	}
	for _, want := range []string{"ledger verify", "ledger export", "queue list", "fleet status", "fleet doctor", "keys", "ledger signal list"} {
		if !slices.Contains(offered, want) {
			t.Errorf("%s is not in the palette", want)
		}
	}
	all := map[string]bool{}
	root := newRoot(cli.NewRun(cli.Env{}), cockpit.Programs{})
	_ = cli.EachCommand(root, func(c *cobra.Command) error {
		name := strings.TrimPrefix(strings.TrimPrefix(c.CommandPath(), root.Name()), " ")
		all[name] = true
		if name != "" && !c.HasSubCommands() && slices.Contains(offered, name) == leftOut(strings.Fields(name)) {
			t.Errorf("%s is neither offered nor left out, or both", name)
		}
		return nil
	})
	for _, name := range notInPalette() {
		if !all[name] {
			t.Errorf("there is no command %q to leave out", name)
		}
	}
	for _, name := range []string{"serve", "watch", "ledger watch", "fleet watch", "fleet hook", "fleet hooks install", "man", "completion", "demo"} {
		if slices.Contains(offered, name) {
			t.Errorf("%s is in the palette", name)
		}
	}
}
