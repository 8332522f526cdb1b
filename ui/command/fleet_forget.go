package command

import (
	"context"

	"github.com/spf13/cobra"

	"binnacle/model"
)

func (a *app) fleetForget() *cobra.Command {
	yes, force := false, false
	c := &cobra.Command{
		Use:   "forget MACHINE",
		Short: "Remove a dead machine's summary from the remote",
		Long: "Remove the summary of a machine that is gone from the remote, under a lease: if it publishes meanwhile, it\n" +
			"stays. This machine is never removed, and one that lists live sessions only with --force. On a terminal\n" +
			"you are asked first; elsewhere --yes is needed.",
		Example: "  binnacle fleet forget m-k7d3xq2a5b", Args: takes("MACHINE"),
	}
	c.Flags().BoolVar(&yes, "yes", false, "remove it without being asked")
	c.Flags().BoolVar(&force, "force", false, "also where it lists live sessions")
	c.RunE = a.fleetRuns(writing, func(ctx context.Context, f *fleetPlace, args []string) error {
		x, err := f.Forgettable(ctx, args[0], force)
		if err != nil {
			return err
		}
		if ok, err := a.agreed(yes, "Remove "+x.Ref+" from the remote? ("+x.Why+")"); err != nil || !ok {
			return err
		}
		if err := f.Forget(ctx, x); err != nil {
			return err
		}
		return a.answer(x, func() error { return a.say("the remote has no summary of " + x.Machine + " any more") })
	})
	return c
}

// agreed is true for yes, and asks where somebody can answer; where nobody can,
// it refuses.
func (a *app) agreed(yes bool, question string) (bool, error) {
	switch {
	case yes:
		return true, nil
	case !a.canAsk():
		return false, model.Errorf(model.CodeUsage, "nobody is here to be asked, so nothing was done").WithHint("--yes does it without asking")
	case a.confirm(question):
		return true, nil
	}
	return false, a.say("nothing was done")
}
