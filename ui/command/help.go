package command

import (
	"strings"

	"github.com/spf13/cobra"

	"binnacle/ui/command/cli"
)

// helpCommand shows the help of the command that its words name, and refuses
// words that name none.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "help [COMMAND…]",
		Short:             "Show the help of a command",
		ValidArgsFunction: completeCommands,
		RunE: func(cmd *cobra.Command, args []string) error {
			about := cmd.Root()
			for _, word := range args {
				next := cli.VerbOf(about, word)
				if next == nil {
					if !about.HasSubCommands() {
						return cli.Usage("%s has no commands below it", about.CommandPath()).WithHint("binnacle help%s", strings.TrimPrefix(about.CommandPath(), "binnacle"))
					}
					return cli.UnknownVerb(about, []string{word})
				}
				about = next
			}
			about.InitDefaultHelpFlag()
			about.InitDefaultVersionFlag()
			return about.Help()
		},
	}
}

// completeCommands completes the words of help.
func completeCommands(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	about := cmd.Root()
	for _, word := range args {
		if about = cli.VerbOf(about, word); about == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
	}
	var out []string
	for _, c := range about.Commands() {
		if c.IsAvailableCommand() {
			out = append(out, cli.Described(c.Name(), c.Short))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}
