package ledger

import (
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/ledger"
	"binnacle/model"
	"binnacle/ui/command/cli"
)

func work(r *cli.Run) *cobra.Command {
	return r.Group("work", "Claim work under a lease, keep it alive, finish it",
		"Work records. A claim gives one executor the record under a lease and a token; heartbeats keep it;\n"+
			"complete needs evidence, fail a reason. A lease that runs out frees the record for the next claim.",
		workClaim(r), workHeartbeat(r), workComplete(r), workFail(r), workRelease(r), workList(r), workShow(r),
	)
}

// leaseFlags say how long a lease is: --lease-seconds as Quay has it, or
// --lease with a unit.
type leaseFlags struct {
	seconds int64
	lease   cli.Span
}

func (l *leaseFlags) add(c *cobra.Command, what string) {
	c.Flags().Int64Var(&l.seconds, "lease-seconds", 0, what+", in seconds")
	c.Flags().Var(&l.lease, "lease", what+", e.g. 45m")
	c.MarkFlagsMutuallyExclusive("lease-seconds", "lease")
}

func (l *leaseFlags) length() (time.Duration, error) {
	if l.seconds < 0 || l.seconds > int64(ledger.MaxLease/time.Second) {
		return 0, cli.Usage("--lease-seconds must be from 1 to %d", int64(ledger.MaxLease/time.Second))
	}
	if l.seconds > 0 {
		return time.Duration(l.seconds) * time.Second, nil
	}
	return time.Duration(l.lease), nil
}

func workClaim(r *cli.Run) *cobra.Command {
	var req ledger.ClaimRequest
	var lease leaseFlags
	c := &cobra.Command{
		Use: "claim KEY", Short: "Claim a work record that is new, released or expired", Args: cli.Takes("KEY"),
		Example:           "  binnacle ledger work claim job-42 --executor builder --lease-seconds 120",
		ValidArgsFunction: r.CompleteKeys(model.KindWork),
	}
	c.Flags().StringVar(&req.Executor, "executor", "", "who will do it (default: BINNACLE_PRODUCER, else config.toml, else user@host)")
	c.Flags().StringVar(&req.Topic, "topic", "", "the topic of a new record (default: work)")
	c.Flags().StringVar(&req.Reason, "reason", "", "why")
	cli.SecretFlags(c, &req.Secrets)
	lease.add(c, "how long the claim holds without a heartbeat (default 30m)")
	c.RunE = r.Runs(func(ctx context.Context, args []string) error {
		var err error
		if req.Lease, err = lease.length(); err != nil {
			return err
		}
		w, err := r.Open(ctx, cli.Writing)
		if err != nil {
			return err
		}
		if req.Key = args[0]; req.Executor == "" {
			req.Executor = w.Producer
		}
		claim, err := w.Ledger.ClaimWork(ctx, req)
		if err != nil {
			return err
		}
		r.Wrote("work " + claim.Key + " is claimed by " + claim.Executor)
		return r.Answer(claim, func() error {
			return r.Fields("work", claim.Key, "state", claim.State, "executor", claim.Executor,
				"until", claim.LeaseUntil.In(r.Env.Zone), "attempt", cli.Itoa(claim.Attempt), "token", claim.Token)
		})
	})
	return c
}

// heldFlags are the flags of whoever holds a record.
func heldFlags(c *cobra.Command, r *ledger.WorkRequest) {
	c.Flags().StringVar(&r.Executor, "executor", "", "who holds it (default: BINNACLE_PRODUCER, else config.toml, else user@host)")
	c.Flags().StringVar(&r.Token, "token", "", "the claim's token: refuses when the record was claimed again since")
	c.Flags().BoolVar(&r.Force, "force", false, "for operators: do it although somebody else holds it; the event says so")
	cli.SecretFlags(c, &r.Secrets)
}

// workStep is a verb of whoever holds a record.
func workStep(r *cli.Run, c *cobra.Command, req *ledger.WorkRequest, step func(context.Context, *cli.Workspace) (ledger.WorkStep, error)) *cobra.Command {
	c.Args = cli.Takes("KEY")
	c.ValidArgsFunction = r.CompleteKeys(model.KindWork)
	heldFlags(c, req)
	c.RunE = r.Runs(func(ctx context.Context, args []string) error {
		w, err := r.Open(ctx, cli.Writing)
		if err != nil {
			return err
		}
		if req.Key = args[0]; req.Executor == "" {
			req.Executor = w.Producer
		}
		work, err := step(ctx, w)
		if err != nil {
			return err
		}
		r.Wrote("work " + work.Key + " is " + work.State)
		return r.Answer(work, func() error {
			if work.Already {
				return r.Say("work " + work.Key + " was " + model.Past(c.Name()) + " already, by this claim")
			}
			line := "work " + work.Key + " is " + work.State
			if work.State == model.WorkClaimed {
				line += " until " + work.LeaseUntil.In(r.Env.Zone)
			}
			return r.Say(line)
		})
	})
	return c
}

func workHeartbeat(r *cli.Run) *cobra.Command {
	var req ledger.WorkRequest
	var lease leaseFlags
	c := &cobra.Command{
		Use: "heartbeat KEY", Short: "Keep a claim alive",
		Example: "  binnacle ledger work heartbeat job-42 --executor builder --lease-seconds 120",
	}
	lease.add(c, "how long it holds from now (default: what was asked for last)")
	return workStep(r, c, &req, func(ctx context.Context, w *cli.Workspace) (ledger.WorkStep, error) {
		var err error
		if req.Lease, err = lease.length(); err != nil {
			return ledger.WorkStep{}, err
		}
		return w.Ledger.HeartbeatWork(ctx, req)
	})
}

func workComplete(r *cli.Run) *cobra.Command {
	var req ledger.WorkRequest
	var evidence string
	c := &cobra.Command{
		Use: "complete KEY", Short: "Finish a claim, with evidence",
		Example: "  binnacle ledger work complete job-42 --executor builder --evidence '{\"artifact\":\"dist/app.tar.gz\"}'",
	}
	c.Flags().StringVar(&evidence, "evidence", "", "a JSON object that is not empty; - reads it from stdin")
	c.Flags().StringVar(&req.Reason, "reason", "", "a word about it")
	return workStep(r, c, &req, func(ctx context.Context, w *cli.Workspace) (ledger.WorkStep, error) {
		var err error
		if req.Evidence, err = readEvidence(ctx, r, evidence); err != nil {
			return ledger.WorkStep{}, err
		}
		return w.Ledger.CompleteWork(ctx, req)
	})
}

func workFail(r *cli.Run) *cobra.Command {
	var req ledger.WorkRequest
	var evidence string
	c := &cobra.Command{
		Use: "fail KEY", Short: "Finish a claim as failed, with a reason",
		Example: "  binnacle ledger work fail job-42 --executor builder --reason 'the tests fail on arm64'",
	}
	c.Flags().StringVar(&req.Reason, "reason", "", "why it failed")
	c.Flags().StringVar(&evidence, "evidence", "", "a JSON object; - reads it from stdin")
	return workStep(r, c, &req, func(ctx context.Context, w *cli.Workspace) (ledger.WorkStep, error) {
		var err error
		if req.Evidence, err = readEvidence(ctx, r, evidence); err != nil {
			return ledger.WorkStep{}, err
		}
		return w.Ledger.FailWork(ctx, req)
	})
}

func workRelease(r *cli.Run) *cobra.Command {
	var req ledger.WorkRequest
	c := &cobra.Command{
		Use: "release KEY", Short: "Give a claim back",
		Example: "  binnacle ledger work release job-42 --executor builder",
	}
	c.Flags().StringVar(&req.Reason, "reason", "", "why")
	return workStep(r, c, &req, func(ctx context.Context, w *cli.Workspace) (ledger.WorkStep, error) {
		return w.Ledger.ReleaseWork(ctx, req)
	})
}

// readEvidence reads --evidence; nil when it was not given.
func readEvidence(ctx context.Context, r *cli.Run, arg string) (json.RawMessage, error) {
	if arg == "" {
		return nil, nil
	}
	return r.Payload(ctx, arg)
}

func workList(r *cli.Run) *cobra.Command {
	var o ledger.ListOptions
	state := cli.Choice{Words: model.WorkMachine().States()}
	c := &cobra.Command{
		Use: "list", Short: "List work records by key", Args: cli.Takes(),
		Example: "  binnacle ledger work list --state done",
	}
	listFlags(r, c, &o, &state)
	c.RunE = r.Runs(func(ctx context.Context, _ []string) error {
		if err := checkList(o); err != nil {
			return err
		}
		w, err := r.Open(ctx, cli.Reading)
		if err != nil {
			return err
		}
		o.State = state.Value
		all, err := w.Ledger.ListWork(ctx, o)
		if err != nil {
			return err
		}
		if r.JSON {
			return r.WriteJSON(cli.OrEmpty(all))
		}
		now := r.Env.Clock()
		var rows [][]string
		for _, x := range all {
			left := ""
			switch {
			case x.Lapsed:
				left = "run out"
			case x.State == model.WorkClaimed:
				left = model.Left(x.Term().Left(now))
			}
			rows = append(rows, []string{x.Key, x.State, x.Executor, left, cli.Itoa(x.Attempt), model.Age(now.Wall.Sub(x.Since)), x.Reason})
		}
		return r.Table([]cli.Column{
			{Name: "key"},
			{Name: "state"},
			{Name: "executor", Most: 32},
			{Name: "left", Right: true},
			{Name: "attempt", Right: true},
			{Name: "for", Right: true},
			{Name: "reason"},
		}, rows)
	})
	return c
}

func workShow(r *cli.Run) *cobra.Command {
	limit := 50
	c := &cobra.Command{
		Use: "show KEY", Short: "Show a work record and its history", Args: cli.Takes("KEY"),
		ValidArgsFunction: r.CompleteKeys(model.KindWork),
	}
	c.Flags().IntVar(&limit, "limit", limit, "at most this many events of its history, the newest")
	c.RunE = r.Runs(func(ctx context.Context, args []string) error {
		w, err := r.Open(ctx, cli.Reading)
		if err != nil {
			return err
		}
		h, err := w.Ledger.ShowWork(ctx, args[0], limit)
		if err != nil {
			return err
		}
		return r.Answer(h, func() error {
			x := h.Record
			state := x.State
			if x.Lapsed {
				state += " (run out)"
			}
			err := r.Fields("key", x.Key, "state", state, "topic", x.Topic, "executor", x.Executor, "attempt", cli.Itoa(x.Attempt),
				"claimed", x.ClaimedAt.In(r.Env.Zone), "until", x.Term().Ends(r.Env.Clock()).In(r.Env.Zone), "since", x.Since.In(r.Env.Zone),
				"reason", x.Reason, "evidence", string(x.Evidence), "revision", cli.Itoa(x.Rev))
			if err != nil {
				return err
			}
			return history(r, h.Events, h.More)
		})
	})
	return c
}
