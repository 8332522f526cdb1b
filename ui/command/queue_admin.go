package command

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"binnacle/backend"
	"binnacle/model/clean"
	"binnacle/model/directive"

	"github.com/spf13/cobra"

	"binnacle/backend/queue"
	"binnacle/backend/store"
	"binnacle/model"
)

func (a *app) queueReap() *cobra.Command {
	var stale span
	var expired, undelivered bool
	c := &cobra.Command{
		Use: "reap", Short: "Take back claims whose holders were not heard from",
		Long: "Take back claims that are older than --stale-seconds (LANEQ_REAP_STALE_SECONDS, else 6 h), whatever\n" +
			"their leases say; with --expired-leases only those whose lease has run out, and promote what is due.\n" +
			"Before either, and alone with --undelivered: claims of processes that were killed before their answer was out.",
		Example: "  binnacle queue reap --expired-leases\n  binnacle queue reap --undelivered",
		Args:    takes(),
	}
	c.Flags().Var(&stale, "stale-seconds", "how old a claim must be, in seconds")
	c.Flags().BoolVar(&expired, "expired-leases", false, "only claims whose lease has run out")
	c.Flags().BoolVar(&undelivered, "undelivered", false, "only claims whose process was killed before its answer was out")
	c.MarkFlagsMutuallyExclusive("expired-leases", "undelivered")
	c.MarkFlagsMutuallyExclusive("stale-seconds", "undelivered")
	c.RunE = a.runs(func(ctx context.Context, _ []string) error {
		var r queue.Reap
		var err error
		if !expired && !undelivered {
			if r.Stale = time.Duration(stale); c.Flags().Changed("stale-seconds") {
				r.Stale = max(r.Stale, queue.StaleAll)
			} else {
				if r.Stale, err = a.seconds("REAP_STALE_SECONDS", queue.DefaultStale); err != nil {
					return err
				}
			}
		}
		w, err := a.open(ctx, writing)
		if err != nil {
			return err
		}
		got, err := queue.Reaped{}, error(nil)
		if undelivered {
			got.Reclaimed, err = w.queue.Undelivered(ctx)
		} else {
			got, err = w.queue.Reap(ctx, r)
		}
		if err != nil {
			return err
		}
		got.Reclaimed, got.Promoted = orEmpty(got.Reclaimed), orEmpty(got.Promoted)
		return a.answer(got, func() error { return a.showReaped(got, expired, undelivered) })
	})
	return c
}

func (a *app) showReaped(got queue.Reaped, expired, undelivered bool) error {
	var b strings.Builder
	dash := func(s string) string {
		if s == "" {
			return "-"
		}
		return clean.Line(s)
	}
	for _, x := range got.Reclaimed {
		to, detail := directive.StatusPending, ""
		if x.Parked {
			to = directive.StatusParked
		}
		if x.Undelivered {
			detail = "undelivered, taken_by=" + dash(x.TakenBy)
		} else if expired {
			detail = "expired lease_until=" + dash(directive.SecondsTime(x.LeaseUntil, a.env.Zone)) + ", taken_by=" + dash(x.TakenBy)
		} else {
			age := int64(a.env.Now().Sub(x.TakenAt) / time.Second)
			detail = fmt.Sprintf("age_seconds=%d, taken_at=%s", age, dash(directive.SecondsTime(x.TakenAt, a.env.Zone)))
		}
		fmt.Fprintf(&b, "#%d -> %s (%s)\n", x.ID, to, detail)
	}
	for _, n := range got.Promoted {
		fmt.Fprintf(&b, "#%d -> pending (due)\n", n)
	}
	if len(got.Reclaimed) == 0 {
		what := "no stale taken items"
		if expired {
			what = "no expired leases"
		}
		if undelivered {
			what = "no undelivered claims"
		}
		b.WriteString("queue: " + what + "\n")
	}
	_, err := io.WriteString(a.out, b.String())
	return err
}

func (a *app) queueMigrate() *cobra.Command {
	m := store.MigrateOptions{Keep: store.KeepBackups}
	c := &cobra.Command{
		Use: "migrate", Short: "Bring the database's schema up to date, after a verified backup",
		Long: "Bring the database's schema up to date: lock, plan, back up, check the backup, migrate in one\n" +
			"transaction. Opening a workspace to write does the same by itself; --dry-run only says what it would be.",
		Example: "  binnacle queue migrate --dry-run",
		Args:    takes(),
	}
	c.Flags().BoolVar(&m.DryRun, "dry-run", false, "only say what would be done")
	c.Flags().IntVar(&m.Keep, "keep-backups", m.Keep, "how many backups to keep (default: LANEQ_BACKUP_RETENTION, else 5)")
	c.RunE = a.runs(func(ctx context.Context, _ []string) error {
		if !c.Flags().Changed("keep-backups") {
			if n, err := a.seconds("BACKUP_RETENTION", time.Duration(m.Keep)*time.Second); err == nil {
				m.Keep = int(n / time.Second)
			}
		}
		if m.Keep < 1 {
			return usage("--keep-backups must be at least 1")
		}
		if a.flags.readOnly && !m.DryRun {
			return readOnly()
		}
		paths, err := a.find()
		if err != nil {
			return err
		}
		plan, err := backend.Migrate(ctx, backend.StoreOptions{Path: paths.Database(), Clock: a.env.Clock, Log: a.env.Stderr}, m)
		if err != nil {
			return err
		}
		return a.answer(plan, func() error { return a.showPlan(plan, m.DryRun) })
	})
	return c
}

func (a *app) showPlan(p store.Plan, dry bool) error {
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
		for _, r := range p.Removed {
			b.WriteString("- " + r + "\n")
		}
	}
	_, err := io.WriteString(a.out, b.String())
	return err
}

// queueImport is the ledger's import, which knows laneq's databases, too.
func (a *app) queueImport() *cobra.Command {
	c := a.importCommand()
	c.Short = "Import a laneq database of any version"
	c.Example = "  binnacle queue import ~/.claude/laneq.db --dry-run"
	return c
}

// readOnly is the refusal of a change under --read-only.
func readOnly() error {
	return model.Errorf(model.CodeReadOnly, "--read-only refuses every change").WithHint("leave out --read-only")
}
