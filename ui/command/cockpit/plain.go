package cockpit

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"binnacle/model"
	"binnacle/ui/command/cli"
	"binnacle/ui/plain"
)

// PlainFlags are the options of --plain.
type PlainFlags struct {
	cli.FilterFlags
	Plain  bool
	Once   bool
	Replay int
	Since  string
	Every  cli.Span
	All    bool
}

// plainFlags adds the options of --plain to a command that may open the
// cockpit.
func plainFlags(r *cli.Run, c *cobra.Command) *PlainFlags {
	p := &PlainFlags{}
	f := c.Flags()
	f.BoolVar(&p.Plain, "plain", false, "print JSON lines in place of the cockpit")
	f.BoolVar(&p.Once, "once", false, "with --plain: print what there is, and end")
	f.IntVar(&p.Replay, "replay", 0, "with --plain: first this many of the newest matching events")
	f.StringVar(&p.Since, "since", "", "with --plain: first what came after this cursor (or sequence number)")
	f.BoolVar(&p.All, "catch-up", false, "with --plain: a slow reader gets every event late, in place of a counted gap")
	f.Var(&p.Every, "every", "with --plain: a snapshot each time this has passed, e.g. 5s")
	p.Add(r, c)
	return p
}

// options is what the flags mean at the instant now.
func (p *PlainFlags) options(now model.Time) (plain.Options, error) {
	o := plain.Options{Replay: p.Replay, Once: p.Once, Every: time.Duration(p.Every), CatchUp: p.All}
	text, err := p.Text()
	if err != nil {
		return o, err
	}
	if o.Filter, err = cli.ParseFilter(text, now); err != nil {
		return o, err
	}
	switch {
	case p.Since != "" && p.Replay > 0:
		return o, cli.Usage("--since and --replay exclude each other")
	case p.Since != "":
		c, err := model.ParseCursor(p.Since)
		if err != nil {
			return o, err
		}
		o.After = &c
	}
	return o, nil
}

// writeLines writes JSON lines until the run ends. A stream that ends because it was
// told to, by a signal or by --timeout, has done its work.
func writeLines(ctx context.Context, r *cli.Run, p *PlainFlags) error {
	o, err := p.options(r.Env.Now())
	if err != nil {
		return err
	}
	w, err := r.Open(ctx, cli.Reading)
	if err != nil {
		return err
	}
	if r.Env.Environ != nil {
		w.Backend.OpenFleet(r.Env.Dir, w.Project, r.Env.Environ(), r.Env.World())
	}
	if !o.Once {
		w.Backend.WatchClock(ctx)
	}
	if !o.Once && o.Every > 0 { // else no line would tell what it finds
		w.Backend.WatchChain(ctx)
	}
	o.Workspace = w.Project
	return plain.Run(ctx, r.Out, w.Backend, o)
}
