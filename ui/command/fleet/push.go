package fleet

import (
	"context"

	"github.com/spf13/cobra"

	"binnacle/ui/command/cli"
)

func push(r *cli.Run) *cobra.Command {
	due := false
	c := &cobra.Command{
		Use:   "push",
		Short: "Publish this machine's summary now",
		Long: "Publish one summary of this machine's sessions, whatever the heartbeat says. Hooks and whoever holds the\n" +
			"workspace's duties do it by themselves. The push carries a lease and never force: where another machine\n" +
			"publishes under this one's name it is refused with MACHINE_ID_CONFLICT, and the exit status is 10.",
		Example: "  binnacle fleet push",
		Args:    cli.Takes(),
	}
	c.Flags().BoolVar(&due, "due", false, "publish what hooks asked for, at the heartbeat's pace, and say nothing")
	c.RunE = runs(r, cli.Writing, func(ctx context.Context, f *cli.Fleet, _ []string) error {
		if due {
			return f.PushDue(ctx)
		}
		p, err := f.Push(ctx)
		if err != nil {
			return err
		}
		return r.Answer(p, func() error {
			line := "published " + p.Ref + ": " + sessions(int64(p.Rows))
			if p.Dropped > 0 {
				line += ", " + cli.Number(p.Dropped) + " more did not fit"
			}
			if p.Signed {
				line += ", signed"
			}
			return r.Say(line)
		})
	})
	return c
}

func sessions(n int64) string {
	if n == 1 {
		return "one session"
	}
	return cli.Number(n) + " sessions"
}
