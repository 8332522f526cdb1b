// Package session is the commands over agents' sessions: declaring one where no
// hook reports it, and listing all.
package session

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/coord"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/session"
	"binnacle/ui/command/cli"
)

// Command is the noun session.
func Command(r *cli.Run) *cobra.Command {
	return r.Group("session", "Say who works on which paths, and see it",
		"An agent's session: what it works on, and on which paths. Tools whose hooks are set up report theirs by\n"+
			"themselves (fleet hooks); any other agent, or whoever starts agents, declares one. Who works on the same\n"+
			"paths hears of it by binnacle feed.\n\n"+
			"A declared session needs no process: it ends when somebody says so, or when nothing was heard of it for\n"+
			"as long as its lease lasts. Its task is kept as a digest only.",
		start(r), paths(r), end(r), list(r),
	)
}

// view is a session as JSON.
type view struct {
	Session    string     `json:"session"`
	ID         string     `json:"id"`
	Tool       string     `json:"tool"`
	State      string     `json:"state"`
	Actor      string     `json:"actor"`
	Task       string     `json:"task,omitempty"` // its digest
	Model      string     `json:"model,omitempty"`
	Paths      []string   `json:"paths"`
	Machine    string     `json:"machine,omitempty"`
	View       string     `json:"view,omitempty"`
	Change     string     `json:"change,omitempty"`
	Base       string     `json:"base,omitempty"`
	Parent     string     `json:"parent,omitempty"`
	Started    model.Time `json:"started"`
	Since      model.Time `json:"since"`
	Reason     string     `json:"reason,omitempty"`
	LandedAs   string     `json:"landed_as,omitempty"`
	LeaseUntil model.Time `json:"lease_until,omitempty"` // of one that was declared and is open
	RunOut     bool       `json:"run_out,omitempty"`     // nothing was heard of it since; it will be ended
	Rev        int64      `json:"rev"`
	Seq        int64      `json:"seq"` // of its newest fact
	Changed    *bool      `json:"changed,omitempty"`
	Already    bool       `json:"already,omitempty"`
}

func viewOf(r *cli.Run, d coord.Declared) view {
	v := view{
		Session: d.Key, ID: d.ID, Tool: d.Tool, State: d.State, Actor: d.Actor, Task: d.Task, Model: d.Model, Paths: cli.OrEmpty(d.Paths),
		Machine: d.Machine, View: d.View, Change: d.Change, Base: d.Base, Parent: d.Parent, Started: d.Started, Since: d.Since,
		Reason: d.Reason, LandedAs: d.LandedAs, Rev: d.Rev, Seq: d.LastSeq,
	}
	if d.Span > 0 && d.State != session.Ended {
		v.LeaseUntil, v.RunOut = d.Lease.Until, d.Lease.Over(r.Env.Clock())
	}
	return v
}

func start(r *cli.Run) *cobra.Command {
	var st coord.Start
	var by string
	lease := cli.Span(coord.DefaultLease)
	c := &cobra.Command{
		Use: "start", Short: "Declare a session", Args: cli.Takes(),
		Long: "Declare a session: at work from now on, on these paths of the work tree (a folder ends with a slash, a\n" +
			"pattern counts up to its first wildcard). It prints the session's name, which paths and end take.",
		Example: "  s=$(binnacle session start --task parser --path src/parser/ --path 'docs/*.md' | jq -r .session)",
	}
	f := c.Flags()
	f.StringVar(&st.Task, "task", "", "what it works on: any name, the same for all who work on it")
	f.StringArrayVar(&st.Paths, "path", nil, "a path that it works on, relative to the work tree; may be repeated")
	f.StringVar(&st.Model, "model", "", "the model behind it")
	f.StringVar(&st.Tool, "tool", session.ToolCommand, "the program that it is")
	f.Var(&lease, "lease", "how long it stands when nothing is heard of it")
	byFlag(c, &by)
	c.RunE = r.Runs(func(ctx context.Context, _ []string) error {
		switch {
		case st.Task == "":
			return cli.Usage("%s needs --task", c.CommandPath()).WithHint("name what it works on, e.g. --task parser")
		case len(st.Paths) == 0:
			return cli.Usage("%s needs --path", c.CommandPath()).WithHint("name what it works on, e.g. --path src/parser/; ./ is the whole tree")
		}
		w, err := r.Open(ctx, cli.Writing)
		if err != nil {
			return err
		}
		st.Lease, st.By = time.Duration(lease), r.Who(w, by)
		if p, err := r.FleetOf(w); err == nil { // outside of a fleet it works somewhere, too
			st.Place = p.Here()
		}
		d, err := w.Backend.Coord.Start(ctx, st)
		if err != nil {
			return err
		}
		r.Wrote("session " + d.Key + " was started")
		return r.Answer(viewOf(r, d), func() error { return r.Say("session " + d.Key + " is " + d.State) })
	})
	return c
}

func byFlag(c *cobra.Command, by *string) {
	c.Flags().StringVar(by, "by", "", "whose session it is (default: BINNACLE_PRODUCER, else config.toml, else user@host)")
}

func paths(r *cli.Run) *cobra.Command {
	var by string
	var all []string
	c := &cobra.Command{
		Use: "paths SESSION", Short: "Say which paths a session works on now, or that it is alive", Args: cli.Takes("SESSION"),
		Long: "Say that a session of yours works on these paths, and on no others; without --path only that it is alive.\n" +
			"Either begins its lease anew. The same paths again are no event.",
		Example:           "  binnacle session paths \"$s\" --path src/lexer/\n  binnacle session paths \"$s\"",
		ValidArgsFunction: completeSessions(r),
	}
	c.Flags().StringArrayVar(&all, "path", nil, "a path that it works on, relative to the work tree; may be repeated")
	byFlag(c, &by)
	c.RunE = r.Runs(func(ctx context.Context, args []string) error {
		w, err := r.Open(ctx, cli.Writing)
		if err != nil {
			return err
		}
		d, changed, err := w.Backend.Coord.SetPaths(ctx, args[0], all, r.Who(w, by))
		if err != nil {
			return err
		}
		v := viewOf(r, d)
		v.Changed = &changed
		return r.Answer(v, func() error {
			if changed {
				return r.Say("session " + d.Key + " works on " + strings.Join(d.Paths, ", "))
			}
			return r.Say("session " + d.Key + " is " + d.State + ", on the paths that it was on")
		})
	})
	return c
}

func end(r *cli.Run) *cobra.Command {
	var by, landed string
	c := &cobra.Command{
		Use: "end SESSION", Short: "Say that a session is over", Args: cli.Takes("SESSION"),
		Example:           "  binnacle session end \"$s\" --landed-as \"$(git rev-parse HEAD)\"",
		ValidArgsFunction: completeSessions(r),
	}
	c.Flags().StringVar(&landed, "landed-as", "", "the commit or ref as which its work landed")
	byFlag(c, &by)
	c.RunE = r.Runs(func(ctx context.Context, args []string) error {
		w, err := r.Open(ctx, cli.Writing)
		if err != nil {
			return err
		}
		d, already, err := w.Backend.Coord.End(ctx, args[0], landed, r.Who(w, by))
		if err != nil {
			return err
		}
		v := viewOf(r, d)
		v.Already = already
		return r.Answer(v, func() error {
			if already {
				return r.Say("session " + d.Key + " was over already")
			}
			return r.Say("session " + d.Key + " is over")
		})
	})
	return c
}

func list(r *cli.Run) *cobra.Command {
	var all, own bool
	c := &cobra.Command{
		Use: "list", Short: "List the sessions of this workspace", Args: cli.Takes(),
		Long: "List the sessions that are open in this workspace, declared or reported, the newest first, and with --all\n" +
			"those that are over behind them; at most 1000 of either. The fleet's sessions, on every machine, are in\n" +
			"binnacle fleet status, which also says whether a reported session still runs.",
		Example: "  binnacle session list\n  binnacle session list --all --json | jq -c '.[] | [.session, .state, .paths]'",
	}
	c.Flags().BoolVar(&all, "all", false, "those that are over, too")
	c.Flags().BoolVar(&own, "own", false, "your own only")
	c.RunE = r.Runs(func(ctx context.Context, _ []string) error {
		w, err := r.Open(ctx, cli.Reading)
		if err != nil {
			return err
		}
		found, err := w.Backend.Coord.List(ctx, all)
		if err != nil {
			return err
		}
		who := r.Who(w, "")
		var views []view
		for _, d := range found {
			if !own || who.Owns(&d.Session) {
				views = append(views, viewOf(r, d))
			}
		}
		if r.JSON {
			return r.WriteJSON(cli.OrEmpty(views))
		}
		now := r.Env.Now()
		var rows [][]string
		for _, v := range views {
			state := v.State
			if v.RunOut {
				state += " (run out)"
			}
			rows = append(rows, []string{v.Session, state, model.Age(now.Sub(v.Since)), v.Actor, strings.Join(v.Paths, ", ")})
		}
		return r.Table([]cli.Column{
			{Name: "session", Most: 48},
			{Name: "state"},
			{Name: "for", Right: true},
			{Name: "actor", Most: 24},
			{Name: "paths"},
		}, rows)
	})
	return c
}

// completeSessions completes the first argument with the sessions that are open.
func completeSessions(r *cli.Run) func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return r.Complete(cmd, func(ctx context.Context, w *cli.Workspace) []string {
			found, err := w.Backend.Coord.List(ctx, false)
			if err != nil {
				return nil
			}
			var out []string
			for _, d := range found {
				out = append(out, cli.Described(d.Key, d.State+" on "+clean.Line(strings.Join(d.Paths, ", "))))
			}
			return out
		})
	}
}
