package command

import (
	"context"

	"github.com/spf13/cobra"
)

func (a *app) completionCommand() *cobra.Command {
	shells := []string{"bash", "zsh", "fish", "powershell"}
	c := &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the completions for a shell",
		Long: "Print the completions for bash, zsh, fish or powershell.\n\n" +
			"Names of topics, keys, lanes and states are completed from the workspace.",
		Example: "  source <(binnacle completion bash)\n" +
			"  binnacle completion zsh > \"${fpath[1]}/_binnacle\"\n" +
			"  binnacle completion fish > ~/.config/fish/completions/binnacle.fish",
		Args:      takes("SHELL"),
		ValidArgs: shells,
	}
	c.RunE = a.runs(func(_ context.Context, args []string) error {
		root := c.Root()
		switch args[0] {
		case "bash":
			return root.GenBashCompletionV2(a.out, true)
		case "zsh":
			return root.GenZshCompletion(a.out)
		case "fish":
			return root.GenFishCompletion(a.out, true)
		case "powershell":
			return root.GenPowerShellCompletionWithDesc(a.out)
		}
		word := choice{words: shells}
		return word.Set(args[0])
	})
	return c
}
