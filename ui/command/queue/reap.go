package queue

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/queue"
	"binnacle/model/clean"
	"binnacle/model/directive"
	"binnacle/ui/command/cli"
	"binnacle/ui/command/workspace"
)

func reap(r *cli.Run) *cobra.Command {
	var stale cli.Span
	var expired, undelivered bool
	c := &cobra.Command{
		Use: "reap", Short: "Take back claims whose holders were not heard from",
		Long: "Take back claims that are older than --stale-seconds (LANEQ_REAP_STALE_SECONDS, else 6 h), whatever\n" +
			"their leases say; with --expired-leases only those whose lease has run out, and promote what is due.\n" +
			"Before either, and alone with --undelivered: claims of processes that were killed before their answer was out.",
		Example: "  binnacle queue reap --expired-leases\n  binnacle queue reap --undelivered",
		Args:    cli.Takes(),
	}
	c.Flags().Var(&stale, "stale-seconds", "how old a claim must be, in seconds")
	c.Flags().BoolVar(&expired, "expired-leases", false, "only claims whose lease has run out")
	c.Flags().BoolVar(&undelivered, "undelivered", false, "only claims whose process was killed before its answer was out")
	c.MarkFlagsMutuallyExclusive("expired-leases", "undelivered")
	c.MarkFlagsMutuallyExclusive("stale-seconds", "undelivered")
	c.RunE = runs(r, func(ctx context.Context, _ []string) error {
		var reap queue.Reap
		var err error
		if !expired && !undelivered {
			if reap.Stale = time.Duration(stale); c.Flags().Changed("stale-seconds") {
				reap.Stale = max(reap.Stale, queue.StaleAll)
			} else {
				if reap.Stale, err = seconds(r, "REAP_STALE_SECONDS", queue.DefaultStale); err != nil {
					return err
				}
			}
		}
		w, err := r.Open(ctx, cli.Writing)
		if err != nil {
			return err
		}
		got, err := queue.Reaped{}, error(nil)
		if undelivered {
			got.Reclaimed, err = w.Queue.Undelivered(ctx)
		} else {
			got, err = w.Queue.Reap(ctx, reap)
		}
		if err != nil {
			return err
		}
		got.Reclaimed, got.Promoted = cli.OrEmpty(got.Reclaimed), cli.OrEmpty(got.Promoted)
		return r.Answer(got, func() error { return showReaped(r, got, expired, undelivered) })
	})
	return c
}

func showReaped(r *cli.Run, got queue.Reaped, expired, undelivered bool) error {
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
			detail = "expired lease_until=" + dash(directive.SecondsTime(x.LeaseUntil, r.Env.Zone)) + ", taken_by=" + dash(x.TakenBy)
		} else {
			age := int64(r.Env.Now().Sub(x.TakenAt) / time.Second)
			detail = fmt.Sprintf("age_seconds=%d, taken_at=%s", age, dash(directive.SecondsTime(x.TakenAt, r.Env.Zone)))
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
	_, err := io.WriteString(r.Out, b.String())
	return err
}

// bringOver is the ledger's import, which knows laneq's databases, too.
func bringOver(r *cli.Run) *cobra.Command {
	c := workspace.Import(r, refuses(r))
	c.Short = "Import a laneq database of any version"
	c.Example = "  binnacle queue import ~/.claude/laneq.db --dry-run"
	return c
}
