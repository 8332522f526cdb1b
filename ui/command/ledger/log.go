package ledger

import (
	"context"

	"github.com/spf13/cobra"

	"binnacle/backend/ledger/query"
	"binnacle/model/desk"
	"binnacle/ui/command/cli"
)

func log(r *cli.Run) *cobra.Command {
	var chosen cli.FilterFlags
	limit, follow := 20, false
	since := cli.Place{Now: r.Env.Now}
	c := &cobra.Command{
		Use:   "log",
		Short: "Print the newest events",
		Long: "Print the newest events, the oldest of them first. With --follow go on with what happens next, until\n" +
			"the run is ended; every event comes once.",
		Example: "  binnacle ledger log --limit 5\n  binnacle ledger log --follow --filter 'kind:signal,work'",
		Args:    cli.Takes(),
	}
	c.Flags().IntVar(&limit, "limit", limit, "at most this many, up to 5000 (0 with --follow: none of the past)")
	c.Flags().Var(&since, "since", "only what came after this sequence number, cursor, time or span (2h)")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what happens next")
	chosen.Add(r, c)
	c.RunE = r.Runs(func(ctx context.Context, _ []string) error {
		if limit > query.MaxPage {
			return cli.Usage("--limit must be from 0 to %d", query.MaxPage)
		}
		text, err := chosen.Text()
		if err != nil {
			return err
		}
		f, err := r.ParseFilter(text)
		if err != nil {
			return err
		}
		w, err := r.Open(ctx, cli.Reading)
		if err != nil {
			return err
		}
		q := query.Query{Filter: f, Since: since.At, Limit: limit, Newest: true}
		if q.After, err = since.Seq(ctx, w); err != nil {
			return err
		}
		return printLog(ctx, r, w, q, follow)
	})
	return c
}

// printLog prints the past up to one instant, and then follows from that instant.
func printLog(ctx context.Context, r *cli.Run, w *cli.Workspace, q query.Query, follow bool) error {
	s, err := w.Ledger.Status(ctx)
	if err != nil {
		return err
	}
	q.Before = s.Head.Seq + 1
	if q.Limit > 0 {
		events, err := query.All(ctx, w.Ledger.Store(), q)
		if err != nil {
			return err
		}
		for i := len(events) - 1; i >= 0; i-- {
			if err := r.Event(events[i]); err != nil {
				return err
			}
		}
	}
	if !follow {
		return nil
	}
	from := w.Ledger.Cursor(s.Head.Seq)
	feed, err := w.Backend.Follow(ctx, desk.FollowRequest{Filter: q.Filter, After: &from, CatchUp: true})
	if err != nil {
		return err
	}
	defer feed.Close()
	for {
		items, err := feed.Next(ctx)
		if ctx.Err() != nil {
			return nil // ended, as a stream is
		}
		if err != nil {
			return err
		}
		for _, it := range items {
			if it.Gap != nil {
				continue // nothing is left out, it only comes late
			}
			if err := r.Event(it.Event); err != nil {
				return err
			}
		}
	}
}
