// Package feed is the commands that follow what happens in a workspace, leep's
// place.
package feed

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/wake"
	"binnacle/model"
	"binnacle/model/feed"
	"binnacle/ui/command/cli"
)

// Command is the noun feed.
func Command(r *cli.Run) *cobra.Command {
	return r.Group("feed", "Follow what happens, by cursor: sessions, landings, notes and all else",
		"Follow what happens in the workspace. Coordination facts (a session started, paths changed, something\n"+
			"landed, a note was added) are served whole; of any other event, that it happened. A reader that goes on\n"+
			"from the cursor of its last answer misses nothing and sees nothing twice, whichever process it asks.\n\n"+
			"What people and agents named (paths, refs) stands under \"untrusted\"; no other text of theirs is served.",
		read(r), watch(r),
	)
}

// chosen are the flags that say which events.
func chosen(r *cli.Run, c *cobra.Command, q *feed.Request) {
	f := c.Flags()
	f.StringSliceVar(&q.Kinds, "kinds", nil, "only these: session, ref.landed, note, directive.taken …; coord is every fact")
	f.StringVar(&q.Session, "session", "", "only what others do on the paths or the task of this session of yours")
	_ = c.RegisterFlagCompletionFunc("kinds", cobra.FixedCompletions(kinds(), cobra.ShellCompDirectiveNoFileComp))
}

// kinds are those that a shell completes.
func kinds() []string {
	out := []string{"session", "session.started", "session.paths", "session.state", "session.ended", "ref.landed"}
	for _, k := range model.Kinds() {
		out = append(out, string(k))
	}
	return out
}

func read(r *cli.Run) *cobra.Command {
	var q feed.Request
	var wait cli.Span
	c := &cobra.Command{
		Use: "read", Short: "Read one page, and the cursor to go on from", Args: cli.Takes(),
		Long: "Read at most 500 events, or 256 KiB, after a cursor: the next of the answer before, or start for the oldest.\n" +
			"Without a cursor it reads from now on, so that the answer has the cursor to begin with. With --wait an\n" +
			"answer that would be empty waits for the first event, 30 seconds at most.\n\n" +
			"A cursor has expired when the ledger was restored from a backup since, or what follows it is not kept any\n" +
			"more; the refusal (STALE, exit 1) says from where to go on.",
		Example: "  c=$(binnacle feed read | jq -r .next)\n" +
			"  binnacle feed read --after \"$c\" --wait 30s --path src/parser/ | jq -c '.events[] | [.kind, .untrusted.paths], .next'",
	}
	c.Flags().StringVar(&q.After, "after", "", "a cursor, or start (default: from now on)")
	c.Flags().Var(&wait, "wait", "how long to wait for the first event, at most 30s")
	c.Flags().StringArrayVar(&q.Paths, "path", nil, "only facts about this path, the folders above it and what is below; may be repeated")
	chosen(r, c, &q)
	c.RunE = r.Runs(func(ctx context.Context, _ []string) error {
		w, err := r.Open(ctx, cli.Reading)
		if err != nil {
			return err
		}
		q.Wait = time.Duration(wait)
		p, err := w.Backend.Feed.Read(ctx, q, r.Who(w, ""))
		if err != nil {
			return err
		}
		return r.Answer(p, func() error {
			for _, e := range p.Events {
				if err := r.Say(line(r, e)); err != nil {
					return err
				}
			}
			more := ""
			if p.More {
				more = "there is more; go on from the cursor at once"
			}
			return r.Fields("cursor", p.Next.String(), "more", more)
		})
	})
	return c
}

// busyPause is how long watch waits before it asks a busy database again.
const busyPause = time.Second

func watch(r *cli.Run) *cobra.Command {
	var q feed.Request
	c := &cobra.Command{
		Use: "watch [PATH…]", Short: "Print events as they happen", Args: cli.Takes("[PATH…]"),
		Long: "Print what happens from now on, or after a cursor, until the run is ended: a line of JSON each, whose id is\n" +
			"the cursor to go on from. With paths, only facts about them, about the folders above and what is below.",
		Example: "  binnacle feed watch src/parser/\n  binnacle feed watch --kinds ref,note --since \"$cursor\"",
	}
	c.Flags().StringVar(&q.After, "since", "", "a cursor, or start (default: from now on)")
	chosen(r, c, &q)
	c.RunE = r.Runs(func(ctx context.Context, args []string) error {
		q.Paths = args
		w, err := r.Open(ctx, cli.Reading)
		if err != nil {
			return err
		}
		d, err := w.Backend.Feed.Follow(ctx, q, r.Who(w, ""))
		if err != nil {
			return err
		}
		defer d.Close()
		for {
			p, err := d.Next(ctx, feed.MaxWait)
			var over *feed.Expired
			switch {
			case ctx.Err() != nil:
				return nil // ended, as a stream is
			case errors.As(err, &over):
				return over
			case model.CodeOf(err) == model.CodeBusy && err != nil:
				wake.Sleep(ctx, busyPause) // it goes on from its place
			case err != nil:
				return err
			}
			for _, e := range p.Events {
				if err := show(r, e); err != nil {
					return err
				}
			}
		}
	})
	return c
}

func show(r *cli.Run, e *feed.Event) error {
	if r.JSON {
		return r.WriteJSON(e)
	}
	return r.Say(line(r, e))
}

// line is one event as people read it. It is not cleaned.
func line(r *cli.Run, e *feed.Event) string {
	words := []string{"#" + cli.Itoa(e.ID.Seq), e.TS.In(r.Env.Zone), e.Kind}
	if e.Key != "" {
		words = append(words, e.Key)
	}
	if e.Topic != "" {
		words = append(words, "in "+e.Topic)
	}
	if e.By != "" {
		words = append(words, "by "+e.By)
	}
	if paths := e.Paths(); len(paths) > 0 {
		words = append(words, "on "+strings.Join(paths, ", "))
	}
	return strings.Join(words, " ")
}
