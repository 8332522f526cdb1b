package queue

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend"
	"binnacle/backend/store"
	"binnacle/ui/command/cli"
)

func migrate(r *cli.Run) *cobra.Command {
	m := store.MigrateOptions{Keep: store.KeepBackups}
	c := &cobra.Command{
		Use: "migrate", Short: "Bring the database's schema up to date, after a verified backup",
		Long: "Bring the database's schema up to date: lock, plan, back up, check the backup, migrate in one\n" +
			"transaction. Opening a workspace to write does the same by itself; --dry-run only says what it would be.",
		Example: "  binnacle queue migrate --dry-run",
		Args:    cli.Takes(),
	}
	c.Flags().BoolVar(&m.DryRun, "dry-run", false, "only say what would be done")
	c.Flags().IntVar(&m.Keep, "keep-backups", m.Keep, "how many backups to keep (default: LANEQ_BACKUP_RETENTION, else 5)")
	c.RunE = runs(r, func(ctx context.Context, _ []string) error {
		if !c.Flags().Changed("keep-backups") {
			if n, err := seconds(r, "BACKUP_RETENTION", time.Duration(m.Keep)*time.Second); err == nil {
				m.Keep = int(n / time.Second)
			}
		}
		if m.Keep < 1 {
			return cli.Usage("--keep-backups must be at least 1")
		}
		if r.Flags.ReadOnly && !m.DryRun {
			return cli.ReadOnly()
		}
		paths, err := r.Find()
		if err != nil {
			return err
		}
		plan, err := backend.Migrate(ctx, backend.StoreOptions{Dir: paths.Dir(), Clock: r.Env.Clock, Log: r.Env.Stderr}, m)
		if err != nil {
			return err
		}
		return r.Answer(plan, func() error { return showPlan(r, plan, m.DryRun) })
	})
	return c
}

func showPlan(r *cli.Run, p store.Plan, dry bool) error {
	var b strings.Builder
	switch {
	case len(p.Steps) == 0 && dry:
		b.WriteString("migration plan: no changes\n")
	case len(p.Steps) == 0:
		b.WriteString("migration complete: no changes\n")
	case dry:
		b.WriteString("migration plan:\n")
		for _, s := range p.Steps {
			b.WriteString("- " + s + "\n")
		}
	default:
		backup := p.Backup
		if backup == "" {
			backup = "<new database>"
		}
		b.WriteString("migration complete: changes=" + strings.Join(p.Steps, ",") + " backup=" + backup + "\n")
		if len(p.Removed) > 0 {
			b.WriteString("pruned backups:\n")
		}
		for _, name := range p.Removed {
			b.WriteString("- " + name + "\n")
		}
	}
	_, err := io.WriteString(r.Out, b.String())
	return err
}
