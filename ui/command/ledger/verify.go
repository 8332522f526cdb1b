package ledger

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/ledger/verify"
	"binnacle/ui/command/cli"
	"binnacle/ui/command/fleet"
)

func verifyVerb(r *cli.Run) *cobra.Command {
	var o verify.Options
	witness := false
	c := &cobra.Command{
		Use:   "verify",
		Short: "Walk the chain and report the first divergence",
		Long: "Walk the chain once, recompute every hash, and compare counts and records with what the events add up\n" +
			"to, and the schema with the one that this version makes. The first divergence is reported, with its\n" +
			"sequence number and what is wrong; the exit status is then 1. Nothing is written. With --from what lies\n" +
			"before is trusted, and counts and records are left out.\n\n" +
			"With --witness the ledger is also compared with the heads of it that were published to the fleet and\n" +
			"fetched back: a history that was rewritten as a whole verifies, but does not match them.",
		Example: "  binnacle ledger verify\n  binnacle ledger verify --from 100000 --jobs 2\n  binnacle ledger verify --witness",
		Args:    cli.Takes(),
	}
	c.Flags().Int64Var(&o.From, "from", 0, "begin with this event")
	c.Flags().IntVar(&o.Jobs, "jobs", 0, "how many hash at the same time (default: one for each CPU)")
	c.Flags().BoolVar(&witness, "witness", false, "also compare with the heads that the fleet holds")
	c.RunE = r.Runs(func(ctx context.Context, _ []string) error {
		switch {
		case o.From < 0:
			return cli.Usage("--from is %d, and events begin with 1", o.From)
		case o.Jobs > 1024:
			return cli.Usage("--jobs must be from 0 to 1024")
		}
		w, err := r.Open(ctx, cli.Checking)
		if err != nil {
			return err
		}
		bar := r.Progress("verifying")
		o.Progress = bar.Show
		v, err := verify.Run(ctx, w.Ledger.Store(), o)
		bar.End()
		if err != nil {
			return err
		}
		if witness {
			return r.SayBlocked(answerWitness(ctx, r, w, v))
		}
		if err := r.Answer(v, func() error { return showVerification(r, v) }); err != nil {
			return err
		}
		r.Quiet = true // the answer says what is wrong
		return v.Finding.Err()
	})
	return c
}

func showVerification(r *cli.Run, v verify.Result) error {
	took := v.Elapsed.Round(time.Millisecond).String()
	if v.Finding != nil {
		if v.Finding.What == verify.WhatSchema {
			return r.Fields("diverges", v.Finding.Message, "what", string(v.Finding.What), "took", took)
		}
		return r.Fields("diverges", v.Finding.Message, "what", string(v.Finding.What), "at event", "#"+cli.Itoa(v.Finding.Seq),
			"good up to", "#"+cli.Itoa(v.To), "took", took)
	}
	line := "good: " + cli.Number(v.Events) + " events"
	if v.From > 1 {
		line += " from #" + cli.Itoa(v.From) + " on (what is before is trusted, counts and records were not compared)"
	} else if v.Derived {
		line += ", counts and records agree"
	}
	if v.Sealed > 0 {
		line += ", " + cli.Number(v.Sealed) + " of them sealed"
	}
	if len(v.Strays) > 0 {
		line += "; in the archive, but of none of its segments: " + strings.Join(v.Strays, ", ")
	}
	return r.Say(line + ", " + took)
}

// answerWitness answers for ledger verify --witness: the chain as it was
// verified, and the comparison.
func answerWitness(ctx context.Context, r *cli.Run, w *cli.Workspace, v verify.Result) error {
	f, err := r.FleetOf(w)
	if err != nil {
		return err
	}
	found, err := f.VerifyWitness(ctx)
	if err != nil {
		return err
	}
	answer, err := cli.Joined(v, "witness", cli.OrEmpty(found))
	if err != nil {
		return err
	}
	err = r.Answer(answer, func() error {
		if err := showVerification(r, v); err != nil {
			return err
		}
		return fleet.ShowComparison(r, found)
	})
	if err != nil {
		return err
	}
	if v.Finding != nil {
		r.Quiet = true // the answer says what is wrong
		return v.Finding.Err()
	}
	return fleet.Mismatch(r, found)
}
