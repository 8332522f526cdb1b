package queue

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/queue"
	"binnacle/model"
	"binnacle/model/directive"
	"binnacle/ui/command/cli"
)

// actFlags are the flags of a change to one directive.
func actFlags(c *cobra.Command, act *queue.Act, token bool) {
	f := c.Flags()
	if token {
		f.StringVar(&act.Token, "claim-token", "", "the token that next --json printed")
		f.BoolVar(&act.Force, "force", false, "for operators: do it without the token; the event says so")
	}
	f.StringVar(&act.By, "by", "", "who does it (default: the claim's holder, else BINNACLE_PRODUCER)")
	f.StringVar(&act.Why, "why", "", "why, for the record")
	f.StringVar(&act.Why, "reason", "", "the same")
	_ = f.MarkHidden("reason")
	cli.SecretFlags(c, &act.Secrets)
	f.Int64Var(&act.IfRev, "if-rev", 0, "only if the directive's revision is still this")
}

// acts runs a change to one directive.
func acts(r *cli.Run, c *cobra.Command, act *queue.Act, do func(ctx context.Context, w *cli.Workspace) (queue.Change, string, error)) *cobra.Command {
	if c.Args == nil {
		c.Args = cli.Takes("ID")
	}
	c.ValidArgsFunction = r.CompleteKeys(model.KindDirective)
	inner := c.RunE
	c.RunE = runs(r, func(ctx context.Context, args []string) error {
		var err error
		if act.ID, err = id(args[0]); err != nil {
			return err
		}
		if inner != nil {
			if err := inner(c, args); err != nil {
				return err
			}
		}
		w, err := r.Open(ctx, cli.Writing)
		if err != nil {
			return err
		}
		if act.By == "" && act.Token == "" {
			act.By = w.Producer
		}
		got, text, err := do(ctx, w)
		if err != nil {
			return err
		}
		return answerChange(r, got, text)
	})
	return c
}

// arrow is laneq's word for a change of status.
func arrow(c queue.Change) string { return "#" + cli.Itoa(c.After.ID) + " -> " + c.After.Status }

// step is a verb of whoever holds the claim.
func step(r *cli.Run, name, short string, step func(*queue.Queue, context.Context, queue.Act) (queue.Change, error)) *cobra.Command {
	var act queue.Act
	c := &cobra.Command{
		Use: name + " ID", Short: short,
		Long:    short + ". Needs --claim-token with the token of the current claim, or --force by an operator.",
		Example: "  binnacle queue " + name + " 7 --claim-token \"$token\"",
	}
	actFlags(c, &act, true)
	return acts(r, c, &act, func(ctx context.Context, w *cli.Workspace) (queue.Change, string, error) {
		got, err := step(w.Queue, ctx, act)
		return got, arrow(got), err
	})
}

func unpark(r *cli.Run) *cobra.Command {
	var act queue.Act
	c := &cobra.Command{Use: "unpark ID", Short: "Put a parked directive back into the line", Example: "  binnacle queue unpark 7"}
	actFlags(c, &act, false)
	return acts(r, c, &act, func(ctx context.Context, w *cli.Workspace) (queue.Change, string, error) {
		got, err := w.Queue.Unpark(ctx, act)
		return got, arrow(got), err
	})
}

func deferral(r *cli.Run) *cobra.Command {
	var act queue.Act
	var d queue.Deferral
	var until string
	var forSpan cli.Span
	var blocked []string
	c := &cobra.Command{
		Use: "defer ID", Short: "Take a directive out of the line until a time, or until others are done",
		Long: "Take a directive out of the line until a time has come and every directive that it waits for is done or\n" +
			"dropped. A cycle is refused and named.",
		Example: "  binnacle queue defer 42 --for 2h --claim-token \"$token\"\n" +
			"  binnacle queue defer 43 --until 2026-06-20T15:00:00Z --force\n" +
			"  binnacle queue defer 44 --blocked-by 42,43 --force",
	}
	actFlags(c, &act, true)
	c.Flags().Var(&forSpan, "for", "for this long, e.g. 2h")
	c.Flags().StringVar(&until, "until", "", "until this time, e.g. 2026-06-20T15:00:00Z")
	c.Flags().StringArrayVar(&blocked, "blocked-by", nil, "until these are done or dropped (may be repeated, or with commas)")
	_ = c.RegisterFlagCompletionFunc("blocked-by", func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return r.CompleteKeys(model.KindDirective)(cmd, nil, typed)
	})
	c.RunE = func(*cobra.Command, []string) error {
		var err error
		d.For = time.Duration(forSpan)
		if until != "" {
			if d.Until, err = readTime("--until", until); err != nil {
				return err
			}
		}
		d.BlockedBy, err = ids(blocked)
		return err
	}
	return acts(r, c, &act, func(ctx context.Context, w *cli.Workspace) (queue.Change, string, error) {
		got, err := w.Queue.Defer(ctx, act, d)
		text := arrow(got)
		if t := directive.SecondsTime(got.After.NotBefore, r.Env.Zone); t != "" {
			text += " not_before=" + t
		}
		if len(got.After.BlockedBy) > 0 {
			text += " blocked_by=" + directive.JoinIDs(got.After.BlockedBy, ",")
		}
		return got, text, err
	})
}

func touch(r *cli.Run) *cobra.Command {
	var act queue.Act
	var flag cli.Span
	var lease time.Duration
	c := &cobra.Command{
		Use: "touch ID", Short: "Extend the lease of a claim",
		Example: "  binnacle queue touch 7 --lease 10m --claim-token \"$token\"",
	}
	actFlags(c, &act, true)
	c.Flags().Var(&flag, "lease", "how long from now, e.g. 10m (default: LANEQ_LEASE_SECONDS, else config.toml, else 30m)")
	c.RunE = func(*cobra.Command, []string) error {
		var err error
		lease, err = leaseLength(r, flag)
		return err
	}
	return acts(r, c, &act, func(ctx context.Context, w *cli.Workspace) (queue.Change, string, error) {
		got, err := w.Queue.Touch(ctx, act, lease)
		return got, "#" + cli.Itoa(got.After.ID) + " lease_until=" + directive.SecondsTime(got.After.LeaseUntil, r.Env.Zone), err
	})
}

func reprioritize(r *cli.Run) *cobra.Command {
	var act queue.Act
	var o queue.Order
	var importance int64
	var deadline string
	c := &cobra.Command{
		Use: "reprioritize ID [PRIORITY]", Short: "Change where a directive stands in its lane",
		Example: "  binnacle queue reprioritize 7 P0",
		Args:    cli.Takes("ID", "[PRIORITY]"),
	}
	actFlags(c, &act, false)
	c.Flags().Int64Var(&importance, "importance", 0, "adds to the order where ageing is on")
	c.Flags().StringVar(&deadline, "deadline", "", "a time that pulls it forward where ageing is on; none takes it away")
	c.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 2 {
			p, err := directive.ParsePriority(args[1])
			if err != nil {
				return cli.Usage("%s", err).WithHint("%s", model.HintOf(err))
			}
			o.Priority = &p
		}
		if c.Flags().Changed("importance") {
			o.Importance = &importance
		}
		if deadline != "" {
			var t model.Time
			if deadline != "none" {
				var err error
				if t, err = readTime("--deadline", deadline); err != nil {
					return err
				}
			}
			o.Deadline = &t
		}
		return nil
	}
	return acts(r, c, &act, func(ctx context.Context, w *cli.Workspace) (queue.Change, string, error) {
		got, err := w.Queue.Reprioritize(ctx, act, o)
		return got, "#" + cli.Itoa(got.After.ID) + " -> " + got.After.Priority.String(), err
	})
}
