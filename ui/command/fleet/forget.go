package fleet

import (
	"context"

	"github.com/spf13/cobra"

	"binnacle/ui/command/cli"
)

func forget(r *cli.Run) *cobra.Command {
	yes, force := false, false
	c := &cobra.Command{
		Use:   "forget MACHINE",
		Short: "Remove a dead machine's summary from the remote",
		Long: "Remove the summary of a machine that is gone from the remote, under a lease: if it publishes meanwhile, it\n" +
			"stays. This machine is never removed, and one that lists live sessions only with --force. On a terminal\n" +
			"you are asked first; elsewhere --yes is needed.",
		Example: "  binnacle fleet forget m-k7d3xq2a5b", Args: cli.Takes("MACHINE"),
	}
	c.Flags().BoolVar(&yes, "yes", false, "remove it without being asked")
	c.Flags().BoolVar(&force, "force", false, "also where it lists live sessions")
	c.RunE = runs(r, cli.Writing, func(ctx context.Context, f *cli.Fleet, args []string) error {
		x, err := f.Forgettable(ctx, args[0], force)
		if err != nil {
			return err
		}
		if ok, err := r.Agreed(yes, "Remove "+x.Ref+" from the remote? ("+x.Why+")"); err != nil || !ok {
			return err
		}
		if err := f.Forget(ctx, x); err != nil {
			return err
		}
		return r.Answer(x, func() error { return r.Say("the remote has no summary of " + x.Machine + " any more") })
	})
	return c
}
