package fleet

import (
	"context"

	"github.com/spf13/cobra"

	"binnacle/ui/command/cli"
)

// completeFleet completes the first argument, or a flag, with names that the last
// fetch has, within the time that a shell waits. Whatever fails, there are just
// none.
func completeFleet(r *cli.Run, ask func(context.Context, *cli.Fleet) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, stop := cli.CompletionContext(cmd)
		defer stop()
		f, err := r.OpenFleet(ctx, cli.Reading)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return ask(ctx, f), cobra.ShellCompDirectiveNoFileComp
	}
}

// completeChanges completes with changes.
func completeChanges(r *cli.Run) cobra.CompletionFunc {
	return completeFleet(r, func(ctx context.Context, f *cli.Fleet) []string {
		var out []string
		all, err := f.Changes(ctx)
		if err != nil {
			return nil
		}
		for _, c := range all {
			out = append(out, cli.Described(c.ID, c.State+heldBy(c.Holder)+": "+c.Title))
		}
		return out
	})
}

// completeAgents completes with the registry's agents.
func completeAgents(r *cli.Run) cobra.CompletionFunc {
	return completeFleet(r, func(ctx context.Context, f *cli.Fleet) []string {
		reg, err := f.KeyList(ctx)
		if err != nil {
			return nil
		}
		var out []string
		seen := map[string]bool{}
		for _, k := range append(reg.Trunk, reg.Here...) {
			if !seen[k.Agent] {
				seen[k.Agent] = true
				out = append(out, cli.Described(k.Agent, k.Fingerprint))
			}
		}
		return out
	})
}
