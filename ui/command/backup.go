package command

import (
	"context"

	"github.com/spf13/cobra"
)

func (a *app) backupCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the ledger to a file, and check the copy",
		Long: "Copy the ledger to a new file, while others go on writing. The copy must pass SQLite's integrity check\n" +
			"and verify before it is called good and gets its name.",
		Example: "  binnacle ledger backup ~/backups/harbour-$(date +%F).db",
		Args:    takes("FILE"),
	}
	c.RunE = a.runs(func(ctx context.Context, args []string) error {
		w, err := a.open(ctx, a.copying())
		if err != nil {
			return err
		}
		rep, err := w.ledger.Backup(ctx, a.path(args[0]))
		if err != nil {
			return err
		}
		return a.answer(rep, func() error {
			return a.say("backed up " + number(rep.Events) + " events to " + a.path(args[0]) + ", verified")
		})
	})
	return c
}

func (a *app) restoreCommand() *cobra.Command {
	var force bool
	c := &cobra.Command{
		Use:   "restore FILE",
		Short: "Put a backup in the place of the ledger",
		Long: "Put a backup in the place of the ledger, verified before. A ledger that has events which the backup does\n" +
			"not have is overwritten only with --force. Cursors of the former ledger are refused afterwards.",
		Example: "  binnacle ledger restore ~/backups/harbour-2026-06-20.db",
		Args:    takes("FILE"),
	}
	c.Flags().BoolVar(&force, "force", false, "overwrite a ledger that is newer than the backup")
	c.RunE = a.runs(func(ctx context.Context, args []string) error {
		w, err := a.open(ctx, restoring)
		if err != nil {
			return err
		}
		rep, err := w.ledger.Restore(ctx, a.path(args[0]), force)
		if err != nil {
			return err
		}
		return a.answer(rep, func() error {
			return a.say("restored " + number(rep.Head.Seq) + " events from " + a.path(args[0]))
		})
	})
	return c
}

func (a *app) rebuildCommand() *cobra.Command {
	c := &cobra.Command{
		Use:   "rebuild",
		Short: "Compute counts and records anew from the events",
		Long: "Replay every event into empty tables, and swap them in whole, after a verified backup. Events and their\n" +
			"numbers stay as they are. Others wait meanwhile.",
		Example: "  binnacle ledger rebuild",
		Args:    takes(),
	}
	c.RunE = a.runs(func(ctx context.Context, _ []string) error {
		w, err := a.open(ctx, mending)
		if err != nil {
			return err
		}
		bar := a.progress("replaying")
		rep, err := w.backend.Rebuild(ctx, bar.show)
		bar.end()
		if err != nil {
			return err
		}
		return a.answer(rep, func() error { return a.say("rebuilt from " + number(rep.Events) + " events") })
	})
	return c
}

// copying is how a backup opens the ledger: --read-only suits it.
func (a *app) copying() access {
	if a.flags.readOnly {
		return reading
	}
	return writing
}
