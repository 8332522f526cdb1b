package command

import (
	"context"

	"github.com/spf13/cobra"

	"binnacle/backend/ledger"
	"binnacle/model"
	"binnacle/model/desk"
)

func (a *app) logCommand() *cobra.Command {
	var filter string
	var kind, topic, key []string
	limit, follow := 20, false
	since := place{now: a.env.Now}
	c := &cobra.Command{
		Use:   "log",
		Short: "Print the newest events",
		Long: "Print the newest events, the oldest of them first. With --follow go on with what happens next, until\n" +
			"the run is ended; every event comes once.",
		Example: "  binnacle ledger log --limit 5\n  binnacle ledger log --follow --filter 'kind:signal,work'",
		Args:    takes(),
	}
	c.Flags().IntVar(&limit, "limit", limit, "at most this many, up to 5000 (0 with --follow: none of the past)")
	c.Flags().Var(&since, "since", "only what came after this sequence number, cursor, time or span (2h)")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on with what happens next")
	filterFlags(a, c, &filter, &kind, &topic, &key)
	c.RunE = a.runs(func(ctx context.Context, _ []string) error {
		if limit > ledger.MaxPage {
			return usage("--limit must be from 0 to %d", ledger.MaxPage)
		}
		text, err := filterText(filter, clause{"kind", kind, false}, clause{"topic", topic, true}, clause{"key", key, false})
		if err != nil {
			return err
		}
		f, err := a.parseFilter(text)
		if err != nil {
			return err
		}
		w, err := a.open(ctx, reading)
		if err != nil {
			return err
		}
		q := ledger.Query{Filter: f, Since: since.at, Limit: limit, Newest: true}
		if q.After, err = since.seq(ctx, w); err != nil {
			return err
		}
		return a.log(ctx, w, q, follow)
	})
	return c
}

// log prints the past up to one instant, and then follows from that instant.
func (a *app) log(ctx context.Context, w *workspace, q ledger.Query, follow bool) error {
	s, err := w.ledger.Status(ctx)
	if err != nil {
		return err
	}
	q.Before = s.Head.Seq + 1
	if q.Limit > 0 {
		events, err := w.ledger.Query(ctx, q)
		if err != nil {
			return err
		}
		for i := len(events) - 1; i >= 0; i-- {
			if err := a.event(events[i]); err != nil {
				return err
			}
		}
	}
	if !follow {
		return nil
	}
	from := w.ledger.Cursor(s.Head.Seq)
	feed, err := w.backend.Follow(ctx, desk.FollowRequest{Filter: q.Filter, After: &from, CatchUp: true})
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
			if err := a.event(it.Event); err != nil {
				return err
			}
		}
	}
}

// event prints one event: a line of JSON, or a line for people.
func (a *app) event(e model.Event) error {
	if a.json {
		return a.writeEvent(e)
	}
	return a.say(a.eventLine(e))
}
