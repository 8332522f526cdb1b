package workspace

import (
	"context"

	"github.com/spf13/cobra"

	"binnacle/backend/ledger/backup"
	"binnacle/ui/command/cli"
)

func backupVerb(r *cli.Run) *cobra.Command {
	c := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the ledger to a file, and check the copy",
		Long: "Copy the ledger to a new file, while others go on writing. The copy must pass SQLite's integrity check\n" +
			"and verify before it is called good and gets its name.",
		Example: "  binnacle ledger backup ~/backups/harbour-$(date +%F).db",
		Args:    cli.Takes("FILE"),
	}
	c.RunE = r.Runs(func(ctx context.Context, args []string) error {
		w, err := r.Open(ctx, copying(r))
		if err != nil {
			return err
		}
		rep, err := backup.Create(ctx, w.Ledger, r.Path(args[0]))
		if err != nil {
			return err
		}
		return r.Answer(rep, func() error {
			return r.Say("backed up " + cli.Number(rep.Events) + " events to " + r.Path(args[0]) + ", verified")
		})
	})
	return c
}

func restore(r *cli.Run) *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "restore FILE",
		Short: "Put a backup in the place of the ledger",
		Long: "Put a backup in the place of the ledger, verified before. A ledger that has events which the backup does\n" +
			"not have is overwritten only with --force. Cursors of the former ledger are refused afterwards.",
		Example: "  binnacle ledger restore ~/backups/harbour-2026-06-20.db",
		Args:    cli.Takes("FILE"),
	}
	c.Flags().BoolVar(&force, "force", false, "overwrite a ledger that is newer than the backup")
	c.RunE = r.Runs(func(ctx context.Context, args []string) error {
		w, err := r.Open(ctx, cli.Restoring)
		if err != nil {
			return err
		}
		rep, err := backup.Restore(ctx, w.Ledger, r.Path(args[0]), force)
		if err != nil {
			return err
		}
		return r.Answer(rep, func() error {
			return r.Say("restored " + cli.Number(rep.Head.Seq) + " events from " + r.Path(args[0]))
		})
	})
	return c
}

func rebuild(r *cli.Run) *cobra.Command {
	c := &cobra.Command{
		Use:   "rebuild",
		Short: "Compute counts and records anew from the events",
		Long: "Replay every event into empty tables, and swap them in whole, after a verified backup. Events and their\n" +
			"numbers stay as they are. Others wait meanwhile.",
		Example: "  binnacle ledger rebuild",
		Args:    cli.Takes(),
	}
	c.RunE = r.Runs(func(ctx context.Context, _ []string) error {
		w, err := r.Open(ctx, cli.Mending)
		if err != nil {
			return err
		}
		bar := r.Progress("replaying")
		rep, err := w.Backend.Rebuild(ctx, bar.Show)
		bar.End()
		if err != nil {
			return err
		}
		return r.Answer(rep, func() error { return r.Say("rebuilt from " + cli.Number(rep.Events) + " events") })
	})
	return c
}

// copying is how a backup opens the ledger: --read-only suits it.
func copying(r *cli.Run) cli.Access {
	if r.Flags.ReadOnly {
		return cli.Reading
	}
	return cli.Writing
}
