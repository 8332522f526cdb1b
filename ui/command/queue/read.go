package queue

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"binnacle/backend/queue"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/directive"
	"binnacle/ui/command/cli"
)

func show(r *cli.Run) *cobra.Command {
	c := &cobra.Command{
		Use: "show ID", Short: "Print a directive, its thread and its history", Args: cli.Takes("ID"),
		ValidArgsFunction: r.CompleteKeys(model.KindDirective),
	}
	c.RunE = runs(r, func(ctx context.Context, args []string) error {
		n, err := id(args[0])
		if err != nil {
			return err
		}
		w, err := r.Open(ctx, cli.Reading)
		if err != nil {
			return err
		}
		d, err := w.Queue.Show(ctx, n)
		if err != nil {
			return err
		}
		return r.Answer(d, func() error { return showDirective(r, d) })
	})
	return c
}

func showDirective(r *cli.Run, d queue.Detail) error {
	var b strings.Builder
	b.WriteString(directive.Heading(d.Directive, r.Env.Zone) + "\n" + clean.Text(d.Body) + "\n")
	if len(d.Thread) > 0 {
		b.WriteString("Thread:\n")
		for _, t := range d.Thread {
			b.WriteString(directive.ThreadLine(t) + "\n")
		}
	}
	b.WriteString("History:\n")
	if d.Older {
		b.WriteString("  (older events are left out)\n")
	}
	for _, e := range d.History {
		b.WriteString("  " + clean.Line(r.EventLine(e)) + "\n")
	}
	_, err := io.WriteString(r.Out, b.String())
	return err
}

func list(r *cli.Run) *cobra.Command {
	var l queue.List
	var thread int64
	limit := 0
	status := cli.Choice{Words: directive.Machine().States()}
	c := &cobra.Command{
		Use: "list", Short: "List directives by priority and age",
		Long: "List the directives that stand in line; with --all every one. The lists show the beginning of long\n" +
			"bodies; show has all of it.",
		Example: "  binnacle queue list --all --lane release\n  binnacle queue list --thread 1",
		Args:    cli.Takes(),
	}
	f := c.Flags()
	f.BoolVar(&l.All, "all", false, "also those that are not pending")
	f.StringVar(&l.Lane, "lane", "", "only this lane")
	f.Int64Var(&thread, "thread", 0, "the thread that this directive belongs to")
	f.Var(&status, "status", "only "+cli.List(status.Words))
	f.IntVar(&limit, "limit", 0, "at most this many; 0 is all")
	laneCompletion(r, c)
	_ = c.RegisterFlagCompletionFunc("status", cobra.FixedCompletions(status.Words, cobra.ShellCompDirectiveNoFileComp))
	c.RunE = runs(r, func(ctx context.Context, _ []string) error {
		if limit < 0 {
			return cli.Usage("--limit must not be negative")
		}
		w, err := r.Open(ctx, cli.Reading)
		if err != nil {
			return err
		}
		out := newLister(r)
		if c.Flags().Changed("thread") {
			t, err := w.Queue.Thread(ctx, thread)
			if err != nil {
				return err
			}
			for i, d := range t.Items {
				if limit > 0 && i == limit {
					break
				}
				if err := out.add(queue.Item{Directive: d}); err != nil {
					return err
				}
			}
			return out.end()
		}
		l.Status = status.Value
		for left := limit; ; {
			l.Limit = queue.MaxPage
			if limit > 0 {
				l.Limit = min(left, queue.MaxPage)
			}
			page, err := w.Queue.List(ctx, l)
			if err != nil {
				return err
			}
			for _, it := range page.Items {
				if err := out.add(it); err != nil {
					return err
				}
			}
			left -= len(page.Items)
			if !page.More || limit > 0 && left <= 0 {
				return out.end()
			}
			l.After = page.Next
		}
	})
	return c
}

// lister writes a list of any length without holding it: one JSON array, or
// laneq's lines.
type lister struct {
	r   *cli.Run
	n   int
	now model.Reading
}

func newLister(r *cli.Run) *lister { return &lister{r: r, now: r.Env.Clock()} }

func (l *lister) add(it queue.Item) error {
	l.n++
	if !l.r.JSON {
		_, err := io.WriteString(l.r.Out, directive.Line(it.Directive, l.now, l.r.Env.Zone)+"\n")
		return err
	}
	line, err := cli.JSONLine(it)
	if err != nil {
		return err
	}
	sep := ",\n"
	if l.n == 1 {
		sep = "["
	}
	_, err = l.r.Out.Write(append([]byte(sep), line[:len(line)-1]...))
	return err
}

func (l *lister) end() error {
	text := "]\n"
	switch {
	case l.r.JSON && l.n == 0:
		text = "[]\n"
	case !l.r.JSON && l.n == 0:
		text = "(queue empty)\n"
	case !l.r.JSON:
		return nil
	}
	_, err := io.WriteString(l.r.Out, text)
	return err
}

func threadStatus(r *cli.Run) *cobra.Command {
	c := &cobra.Command{
		Use: "thread-status ID", Short: "Say whether a thread has open work", Args: cli.Takes("ID"),
		Example:           "  binnacle queue thread-status 1",
		ValidArgsFunction: r.CompleteKeys(model.KindDirective),
	}
	c.RunE = runs(r, func(ctx context.Context, args []string) error {
		n, err := id(args[0])
		if err != nil {
			return err
		}
		w, err := r.Open(ctx, cli.Reading)
		if err != nil {
			return err
		}
		t, err := w.Queue.Thread(ctx, n)
		if err != nil {
			return err
		}
		open := []directive.Directive{}
		for _, d := range t.Items {
			if !d.Final() {
				open = append(open, d)
			}
		}
		answer := map[string]any{"root": t.Root, "status": t.Status(), "total": t.Total, "open": t.Open, "open_items": open}
		return r.Answer(answer, func() error {
			var b strings.Builder
			fmt.Fprintf(&b, "thread #%d %s total=%d open=%d\n", t.Root, t.Status(), t.Total, t.Open)
			for _, d := range open {
				b.WriteString(directive.ThreadLine(d) + "\n")
			}
			_, err := io.WriteString(r.Out, b.String())
			return err
		})
	})
	return c
}

func stats(r *cli.Run) *cobra.Command {
	var lane string
	c := &cobra.Command{
		Use: "stats", Short: "Count directives by priority, status and consumer", Args: cli.Takes(),
		Example: "  binnacle queue stats --lane release",
	}
	c.Flags().StringVar(&lane, "lane", "", "only this lane")
	laneCompletion(r, c)
	c.RunE = runs(r, func(ctx context.Context, _ []string) error {
		w, err := r.Open(ctx, cli.Reading)
		if err != nil {
			return err
		}
		s, err := w.Queue.Stats(ctx, lane)
		if err != nil {
			return err
		}
		return r.Answer(s, func() error {
			if len(s.ByStatus) == 0 {
				return r.Say("(empty)")
			}
			var b strings.Builder
			for _, x := range s.ByStatus {
				fmt.Fprintf(&b, "%-3s %-8s %d\n", x.Priority, x.Status, x.Count)
			}
			if len(s.Consumers) > 0 {
				b.WriteString("consumers:\n")
			}
			for _, x := range s.Consumers {
				fmt.Fprintf(&b, "  %s: %d\n", clean.Line(x.Consumer), x.Count)
			}
			if s.Lapsed > 0 {
				fmt.Fprintf(&b, "leases that ran out: %d\n", s.Lapsed)
			}
			if s.Due > 0 {
				fmt.Fprintf(&b, "deferrals that are due: %d\n", s.Due)
			}
			_, err := io.WriteString(r.Out, b.String())
			return err
		})
	})
	return c
}

// explained is an answer with its sentences, as --json shows it.
type explained struct {
	directive.Why
	Sentences []string `json:"sentences"`
}

func why(r *cli.Run) *cobra.Command {
	c := &cobra.Command{
		Use: "why ID", Short: "Say in words why a directive is where it is", Args: cli.Takes("ID"),
		Long: "Say why a directive is where it is: its rank, what is ahead, what blocks it, when it becomes eligible,\n" +
			"who holds it and until when.",
		Example:           "  binnacle queue why 42",
		ValidArgsFunction: r.CompleteKeys(model.KindDirective),
	}
	c.RunE = runs(r, func(ctx context.Context, args []string) error {
		n, err := id(args[0])
		if err != nil {
			return err
		}
		w, err := r.Open(ctx, cli.Reading)
		if err != nil {
			return err
		}
		got, err := w.Queue.Why(ctx, n)
		if err != nil {
			return err
		}
		return r.Answer(explained{got, got.Sentences(nil)}, func() error {
			for _, s := range got.Sentences(r.Env.Zone) {
				if err := r.Say(s); err != nil {
					return err
				}
			}
			return nil
		})
	})
	return c
}
