package command

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"binnacle/ui"
	"binnacle/ui/command/cli"
)

// notInPalette are commands that take the terminal, do not end by themselves,
// are called by other programs, or make what is there already. A noun stands
// for its verbs.
func notInPalette() []string {
	return []string{
		"watch", "demo", "serve", "ledger watch", "fleet watch", "feed watch", "fleet hook", "fleet hooks", "completion", "man",
		"init", "ledger init",
	}
}

// paletteCommands lists the commands below root that the cockpit's palette
// offers, in the order of the help.
func paletteCommands(root *cobra.Command) []ui.Command {
	var out []ui.Command
	_ = cli.EachCommand(root, func(c *cobra.Command) error {
		words := strings.Fields(strings.TrimPrefix(c.CommandPath(), root.Name()))
		if len(words) == 0 || c.HasSubCommands() || leftOut(words) {
			return nil
		}
		m := ui.Command{Words: words, Help: c.Short + ".", Needs: c.ValidateArgs(nil) != nil}
		_, m.Takes, _ = strings.Cut(c.Use, " ")
		c.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			switch {
			case f.Hidden || f.Name == "help":
			case f.Name == "follow":
				m.Endless = append(m.Endless, "--follow")
				if f.Shorthand != "" {
					m.Endless = append(m.Endless, "-"+f.Shorthand)
				}
			default:
				m.Flags = append(m.Flags, "--"+f.Name)
			}
		})
		out = append(out, m)
		return nil
	})
	return out
}

// leftOut says whether the words are a command of notInPalette, or below one.
func leftOut(words []string) bool {
	for i := range words {
		if slices.Contains(notInPalette(), strings.Join(words[:i+1], " ")) {
			return true
		}
	}
	return false
}
