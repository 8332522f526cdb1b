package command

import (
	"context"
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/ledger"
	"binnacle/model"
)

func (a *app) workCommand() *cobra.Command {
	return a.group("work", "Claim work under a lease, keep it alive, finish it",
		"Work records. A claim gives one executor the record under a lease and a token; heartbeats keep it;\n"+
			"complete needs evidence, fail a reason. A lease that runs out frees the record for the next claim.",
		a.workClaim(), a.workHeartbeat(), a.workComplete(), a.workFail(), a.workRelease(), a.workList(), a.workShow(),
	)
}

// leaseFlags say how long a lease is: --lease-seconds as Quay has it, or
// --lease with a unit.
type leaseFlags struct {
	seconds int64
	lease   span
}

func (l *leaseFlags) add(c *cobra.Command, what string) {
	c.Flags().Int64Var(&l.seconds, "lease-seconds", 0, what+", in seconds")
	c.Flags().Var(&l.lease, "lease", what+", e.g. 45m")
	c.MarkFlagsMutuallyExclusive("lease-seconds", "lease")
}

func (l *leaseFlags) length() (time.Duration, error) {
	if l.seconds < 0 || l.seconds > int64(ledger.MaxLease/time.Second) {
		return 0, usage("--lease-seconds must be from 1 to %d", int64(ledger.MaxLease/time.Second))
	}
	if l.seconds > 0 {
		return time.Duration(l.seconds) * time.Second, nil
	}
	return time.Duration(l.lease), nil
}

func (a *app) workClaim() *cobra.Command {
	var r ledger.ClaimRequest
	var lease leaseFlags
	c := &cobra.Command{
		Use: "claim KEY", Short: "Claim a work record that is new, released or expired", Args: takes("KEY"),
		Example:           "  binnacle ledger work claim job-42 --executor builder --lease-seconds 120",
		ValidArgsFunction: a.completeKeys(model.KindWork),
	}
	c.Flags().StringVar(&r.Executor, "executor", "", "who will do it (default: BINNACLE_PRODUCER, else config.toml, else user@host)")
	c.Flags().StringVar(&r.Topic, "topic", "", "the topic of a new record (default: work)")
	c.Flags().StringVar(&r.Reason, "reason", "", "why")
	secretFlags(c, &r.Secrets)
	lease.add(c, "how long the claim holds without a heartbeat (default 30m)")
	c.RunE = a.runs(func(ctx context.Context, args []string) error {
		var err error
		if r.Lease, err = lease.length(); err != nil {
			return err
		}
		w, err := a.open(ctx, writing)
		if err != nil {
			return err
		}
		if r.Key = args[0]; r.Executor == "" {
			r.Executor = w.producer
		}
		claim, err := w.ledger.ClaimWork(ctx, r)
		if err != nil {
			return err
		}
		a.wrote("work " + claim.Key + " is claimed by " + claim.Executor)
		return a.answer(claim, func() error {
			return a.fields("work", claim.Key, "state", claim.State, "executor", claim.Executor,
				"until", claim.LeaseUntil.In(a.env.Zone), "attempt", itoa(claim.Attempt), "token", claim.Token)
		})
	})
	return c
}

// heldFlags are the flags of whoever holds a record.
func heldFlags(c *cobra.Command, r *ledger.WorkRequest) {
	c.Flags().StringVar(&r.Executor, "executor", "", "who holds it (default: BINNACLE_PRODUCER, else config.toml, else user@host)")
	c.Flags().StringVar(&r.Token, "token", "", "the claim's token: refuses when the record was claimed again since")
	c.Flags().BoolVar(&r.Force, "force", false, "for operators: do it although somebody else holds it; the event says so")
	secretFlags(c, &r.Secrets)
}

// workStep is a verb of whoever holds a record.
func (a *app) workStep(c *cobra.Command, r *ledger.WorkRequest, step func(context.Context, *workspace) (ledger.WorkStep, error)) *cobra.Command {
	c.Args = takes("KEY")
	c.ValidArgsFunction = a.completeKeys(model.KindWork)
	heldFlags(c, r)
	c.RunE = a.runs(func(ctx context.Context, args []string) error {
		w, err := a.open(ctx, writing)
		if err != nil {
			return err
		}
		if r.Key = args[0]; r.Executor == "" {
			r.Executor = w.producer
		}
		work, err := step(ctx, w)
		if err != nil {
			return err
		}
		a.wrote("work " + work.Key + " is " + work.State)
		return a.answer(work, func() error {
			if work.Already {
				return a.say("work " + work.Key + " was " + model.Past(c.Name()) + " already, by this claim")
			}
			line := "work " + work.Key + " is " + work.State
			if work.State == model.WorkClaimed {
				line += " until " + work.LeaseUntil.In(a.env.Zone)
			}
			return a.say(line)
		})
	})
	return c
}

func (a *app) workHeartbeat() *cobra.Command {
	var r ledger.WorkRequest
	var lease leaseFlags
	c := &cobra.Command{
		Use: "heartbeat KEY", Short: "Keep a claim alive",
		Example: "  binnacle ledger work heartbeat job-42 --executor builder --lease-seconds 120",
	}
	lease.add(c, "how long it holds from now (default: what was asked for last)")
	return a.workStep(c, &r, func(ctx context.Context, w *workspace) (ledger.WorkStep, error) {
		var err error
		if r.Lease, err = lease.length(); err != nil {
			return ledger.WorkStep{}, err
		}
		return w.ledger.HeartbeatWork(ctx, r)
	})
}

func (a *app) workComplete() *cobra.Command {
	var r ledger.WorkRequest
	var evidence string
	c := &cobra.Command{
		Use: "complete KEY", Short: "Finish a claim, with evidence",
		Example: "  binnacle ledger work complete job-42 --executor builder --evidence '{\"artifact\":\"dist/app.tar.gz\"}'",
	}
	c.Flags().StringVar(&evidence, "evidence", "", "a JSON object that is not empty; - reads it from stdin")
	c.Flags().StringVar(&r.Reason, "reason", "", "a word about it")
	return a.workStep(c, &r, func(ctx context.Context, w *workspace) (ledger.WorkStep, error) {
		var err error
		if r.Evidence, err = a.evidence(ctx, evidence); err != nil {
			return ledger.WorkStep{}, err
		}
		return w.ledger.CompleteWork(ctx, r)
	})
}

func (a *app) workFail() *cobra.Command {
	var r ledger.WorkRequest
	var evidence string
	c := &cobra.Command{
		Use: "fail KEY", Short: "Finish a claim as failed, with a reason",
		Example: "  binnacle ledger work fail job-42 --executor builder --reason 'the tests fail on arm64'",
	}
	c.Flags().StringVar(&r.Reason, "reason", "", "why it failed")
	c.Flags().StringVar(&evidence, "evidence", "", "a JSON object; - reads it from stdin")
	return a.workStep(c, &r, func(ctx context.Context, w *workspace) (ledger.WorkStep, error) {
		var err error
		if r.Evidence, err = a.evidence(ctx, evidence); err != nil {
			return ledger.WorkStep{}, err
		}
		return w.ledger.FailWork(ctx, r)
	})
}

func (a *app) workRelease() *cobra.Command {
	var r ledger.WorkRequest
	c := &cobra.Command{
		Use: "release KEY", Short: "Give a claim back",
		Example: "  binnacle ledger work release job-42 --executor builder",
	}
	c.Flags().StringVar(&r.Reason, "reason", "", "why")
	return a.workStep(c, &r, func(ctx context.Context, w *workspace) (ledger.WorkStep, error) { return w.ledger.ReleaseWork(ctx, r) })
}

// evidence reads --evidence; nil when it was not given.
func (a *app) evidence(ctx context.Context, arg string) (json.RawMessage, error) {
	if arg == "" {
		return nil, nil
	}
	return a.payload(ctx, arg)
}

func (a *app) workList() *cobra.Command {
	var o ledger.ListOptions
	state := choice{words: model.WorkMachine().States()}
	c := &cobra.Command{
		Use: "list", Short: "List work records by key", Args: takes(),
		Example: "  binnacle ledger work list --state done",
	}
	a.listFlags(c, &o, &state)
	c.RunE = a.runs(func(ctx context.Context, _ []string) error {
		if err := checkList(o); err != nil {
			return err
		}
		w, err := a.open(ctx, reading)
		if err != nil {
			return err
		}
		o.State = state.value
		all, err := w.ledger.ListWork(ctx, o)
		if err != nil {
			return err
		}
		if a.json {
			return a.writeJSON(orEmpty(all))
		}
		now := a.env.Clock()
		var rows [][]string
		for _, x := range all {
			left := ""
			switch {
			case x.Lapsed:
				left = "run out"
			case x.State == model.WorkClaimed:
				left = model.Left(x.Term().Left(now))
			}
			rows = append(rows, []string{x.Key, x.State, x.Executor, left, itoa(x.Attempt), model.Age(now.Wall.Sub(x.Since)), x.Reason})
		}
		return a.table([]column{
			{name: "key"},
			{name: "state"},
			{name: "executor", most: 32},
			{name: "left", right: true},
			{name: "attempt", right: true},
			{name: "for", right: true},
			{name: "reason"},
		}, rows)
	})
	return c
}

func (a *app) workShow() *cobra.Command {
	limit := 50
	c := &cobra.Command{
		Use: "show KEY", Short: "Show a work record and its history", Args: takes("KEY"),
		ValidArgsFunction: a.completeKeys(model.KindWork),
	}
	c.Flags().IntVar(&limit, "limit", limit, "at most this many events of its history, the newest")
	c.RunE = a.runs(func(ctx context.Context, args []string) error {
		w, err := a.open(ctx, reading)
		if err != nil {
			return err
		}
		h, err := w.ledger.ShowWork(ctx, args[0], limit)
		if err != nil {
			return err
		}
		return a.answer(h, func() error {
			x := h.Record
			state := x.State
			if x.Lapsed {
				state += " (run out)"
			}
			err := a.fields("key", x.Key, "state", state, "topic", x.Topic, "executor", x.Executor, "attempt", itoa(x.Attempt),
				"claimed", x.ClaimedAt.In(a.env.Zone), "until", x.Term().Ends(a.env.Clock()).In(a.env.Zone), "since", x.Since.In(a.env.Zone),
				"reason", x.Reason, "evidence", string(x.Evidence), "revision", itoa(x.Rev))
			if err != nil {
				return err
			}
			return a.history(h.Events, h.More)
		})
	})
	return c
}
