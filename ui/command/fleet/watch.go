package fleet

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/fleet/change"
	"binnacle/backend/wake"
	"binnacle/model"
	"binnacle/model/fleetmap"
	"binnacle/ui/command/cli"
)

// watchEvery is how often --follow asks the remote.
const watchEvery = 30 * time.Second

func watch(r *cli.Run) *cobra.Command {
	var o change.WatchOptions
	follow, every := false, cli.Span(watchEvery)
	c := &cobra.Command{
		Use:   "watch",
		Short: "List what changed: landings, events, inputs that moved",
		Long: "List trunk's landings, the executors' events and the inputs that moved past their pins, after a cursor.\n" +
			"Each answer has the cursor to go on from; --since takes it as it is. In the view of a change only what\n" +
			"touches its inputs is listed; outside of one, everything. Nothing is written but the fetch.\n\n" +
			"When the remote does not answer, the last fetch is read, and freshness says so.",
		Example: "  binnacle fleet watch\n  binnacle fleet watch --since \"$cursor\" | jq -r '.cursor'\n  binnacle fleet watch --follow",
		Args:    cli.Takes(),
	}
	f := c.Flags()
	f.StringVar(&o.Since, "since", "", "only what came after this cursor")
	f.BoolVar(&o.Offline, "offline", false, "read the last fetch, and ask nobody")
	f.StringVar(&o.Change, "change", "", "as the view of this change sees it")
	f.BoolVar(&o.Outside, "all", false, "everything, also inside of a change's view")
	f.BoolVarP(&follow, "follow", "f", false, "go on until the run is ended")
	f.Var(&every, "every", "with --follow: how often to ask the remote")
	_ = c.RegisterFlagCompletionFunc("change", completeChanges(r))
	c.RunE = runs(r, cli.Reading, func(ctx context.Context, p *cli.Fleet, _ []string) error {
		switch {
		case o.Change != "" && o.Outside:
			return cli.Usage("--change and --all exclude each other")
		case time.Duration(every) < time.Second:
			return cli.Usage("--every must be 1s or more")
		}
		if follow {
			return followFleet(ctx, r, p, o, time.Duration(every))
		}
		page, err := p.Watch(ctx, o)
		if err != nil {
			return err
		}
		return r.Answer(page, func() error { return showPage(r, page) })
	})
	return c
}

// followFleet prints page after page. An empty page is printed only as the
// first one; a page that says more is followed by the next at once.
func followFleet(ctx context.Context, r *cli.Run, p *cli.Fleet, o change.WatchOptions, every time.Duration) error {
	for first := true; ; first = false {
		page, err := p.Watch(ctx, o)
		if ctx.Err() != nil {
			return nil // ended, as a stream is
		}
		if err != nil {
			return err
		}
		if n := len(page.Landings) + len(page.Events) + len(page.Invalidations); n > 0 || first {
			if err := r.Answer(page, func() error { return showNews(r, page) }); err != nil {
				return err
			}
		}
		o.Since, o.Change, o.Outside = page.Cursor, "", false
		if page.More {
			continue
		}
		if !wake.Sleep(ctx, every) {
			return nil
		}
	}
}

// showPage writes a page for people: what it is of, what happened, and how to
// go on.
func showPage(r *cli.Run, p fleetmap.WatchPage) error {
	about := []string{"change", p.Change}
	if s := p.State; s != nil {
		about = append(about, "title", s.Title, "state", s.State+heldBy(s.Holder), "base", s.Base)
	}
	if err := r.Fields(about...); err != nil {
		return err
	}
	if err := showNews(r, p); err != nil {
		return err
	}
	if len(p.Landings)+len(p.Events)+len(p.Invalidations) == 0 {
		if err := r.Say("nothing happened"); err != nil {
			return err
		}
	}
	from := p.Freshness.Source + ", fetched " + model.Ago(p.Freshness.Age)
	if p.Freshness.Why != "" {
		from += " (" + p.Freshness.Why + ")"
	}
	more := ""
	if p.More {
		more = "there is more; go on from the cursor at once"
	}
	return r.Fields("read from", from, "more", more, "cursor", p.Cursor)
}

// showNews writes a line for each thing that happened.
func showNews(r *cli.Run, p fleetmap.WatchPage) error {
	var lines []string
	if p.Skipped > 0 {
		lines = append(lines, "("+cli.Number(p.Skipped)+" older landings are left out)")
	}
	for _, l := range p.Landings {
		line := "landed   " + short(l.Commit) + " " + l.Title
		if l.Change != "" {
			line += " (" + l.Change + ")"
		}
		lines = append(lines, line)
	}
	for _, e := range p.Events {
		line := "event    " + e.At.In(r.Env.Zone) + " " + e.Kind
		if e.Change != "" {
			line += " " + e.Change
		}
		lines = append(lines, line+" by "+e.Executor)
	}
	for _, i := range p.Invalidations {
		lines = append(lines, movedLine(i))
	}
	for _, n := range p.Notes {
		lines = append(lines, "note     "+n)
	}
	for _, l := range lines {
		if err := r.Say(l); err != nil {
			return err
		}
	}
	return nil
}

// movedLine says which input moved past its pin, and by what.
func movedLine(i fleetmap.Invalidation) string {
	line := "moved    " + i.Input.Kind + " " + i.Input.Ref + ": " + short(i.Was) + " -> " + short(i.Now)
	if i.Cause != "" {
		line += " by " + short(i.Cause)
	}
	return line
}

// short is an object's name as people read it; "" is none.
func short(id string) string {
	switch {
	case id == "":
		return "none"
	case fleetmap.HexID(id):
		return id[:12]
	}
	return id
}

func heldBy(h fleetmap.Holder) string {
	if h.Machine == "" {
		return ""
	}
	return " by " + h.Actor + " on " + h.Machine
}
