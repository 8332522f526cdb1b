package command

import (
	"context"

	"binnacle/backend/fleet/hooks"

	"github.com/spf13/cobra"
)

// completeTools completes the first argument with the tools whose hooks are
// understood.
func completeTools(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return hooks.Tools(), cobra.ShellCompDirectiveNoFileComp
}

// completeFleet asks the last fetch for names, within the time that a shell
// waits. Whatever fails, there are just none.
func (a *app) completeFleet(cmd *cobra.Command, args []string, ask func(context.Context, *fleetPlace) []string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	ctx := cmd.Context()
	if ctx == nil {
		ctx = context.Background()
	}
	ctx, stop := context.WithTimeout(ctx, completeWithin)
	defer stop()
	f, err := a.openFleet(ctx, reading)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return ask(ctx, f), cobra.ShellCompDirectiveNoFileComp
}

// completeChanges completes the first argument, or a flag, with changes.
func (a *app) completeChanges(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return a.completeFleet(cmd, args, func(ctx context.Context, f *fleetPlace) []string {
		var out []string
		all, err := f.Changes(ctx)
		if err != nil {
			return nil
		}
		for _, c := range all {
			out = append(out, described(c.ID, c.State+heldBy(c.Holder)+": "+c.Title))
		}
		return out
	})
}

// completeAgents completes the first argument with the registry's agents.
func (a *app) completeAgents(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	return a.completeFleet(cmd, args, func(ctx context.Context, f *fleetPlace) []string {
		r, err := f.KeyList(ctx)
		if err != nil {
			return nil
		}
		var out []string
		seen := map[string]bool{}
		for _, k := range append(r.Trunk, r.Here...) {
			if !seen[k.Agent] {
				seen[k.Agent] = true
				out = append(out, described(k.Agent, k.Fingerprint))
			}
		}
		return out
	})
}
