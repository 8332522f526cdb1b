package command

import (
	"context"

	"github.com/spf13/cobra"

	"binnacle/ui/command/cli"
)

func completionCommand(r *cli.Run) *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	c := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completions for a shell",
		Long: "Print the completions for bash, zsh, fish or powershell.\n\n" +
			"Names of topics, keys, lanes and states are completed from the workspace.",
		Example: "  source <(binnacle completion bash)\n" +
			"  binnacle completion zsh > \"${fpath[1]}/_binnacle\"\n" +
			"  binnacle completion fish > ~/.config/fish/completions/binnacle.fish",
		Args:      cli.Takes("SHELL"),
		ValidArgs: shells,
	}
	c.RunE = r.Runs(func(_ context.Context, args []string) error {
		root := c.Root()
		switch args[0] {
		case "bash":
			return root.GenBashCompletionV2(r.Out, true)
		case "zsh":
			return root.GenZshCompletion(r.Out)
		case "fish":
			return root.GenFishCompletion(r.Out, true)
		case "powershell":
			return root.GenPowerShellCompletionWithDesc(r.Out)
		}
		word := cli.Choice{Words: shells}
		return word.Set(args[0])
	})
	return c
}
