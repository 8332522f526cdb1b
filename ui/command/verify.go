package command

import (
	"context"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/ledger"
	"binnacle/model"
)

func (a *app) verifyCommand() *cobra.Command {
	var o ledger.VerifyOptions
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
		Args:    takes(),
	}
	c.Flags().Int64Var(&o.From, "from", 0, "begin with this event")
	c.Flags().IntVar(&o.Jobs, "jobs", 0, "how many hash at the same time (default: one for each CPU)")
	c.Flags().BoolVar(&witness, "witness", false, "also compare with the heads that the fleet holds")
	c.RunE = a.runs(func(ctx context.Context, _ []string) error {
		switch {
		case o.From < 0:
			return usage("--from is %d, and events begin with 1", o.From)
		case o.Jobs > 1024:
			return usage("--jobs must be from 0 to 1024")
		}
		w, err := a.open(ctx, checking)
		if err != nil {
			return err
		}
		bar := a.progress("verifying")
		o.Progress = bar.show
		v, err := w.backend.Ledger.Verify(ctx, o)
		bar.end()
		if err != nil {
			return err
		}
		if witness {
			return a.sayBlocked(a.verifyWitness(ctx, w, v))
		}
		if err := a.answer(v, func() error { return a.showVerification(v) }); err != nil {
			return err
		}
		a.quiet = true // the answer says what is wrong
		return v.Finding.Err()
	})
	return c
}

func (a *app) showVerification(v ledger.Verification) error {
	took := v.Elapsed.Round(time.Millisecond).String()
	if v.Finding != nil {
		if v.Finding.What == ledger.WhatSchema {
			return a.fields("diverges", v.Finding.Message, "what", string(v.Finding.What), "took", took)
		}
		return a.fields("diverges", v.Finding.Message, "what", string(v.Finding.What), "at event", "#"+itoa(v.Finding.Seq),
			"good up to", "#"+itoa(v.To), "took", took)
	}
	line := "good: " + number(v.Events) + " events"
	if v.From > 1 {
		line += " from #" + itoa(v.From) + " on (what is before is trusted, counts and records were not compared)"
	} else if v.Derived {
		line += ", counts and records agree"
	}
	return a.say(line + ", " + took)
}

// progress is a line on stderr that grows in its place, only where people look.
type progress struct {
	w     io.Writer // nil: nobody looks
	what  string
	wide  int
	clock model.Clock
	at    model.Time
}

// progressEvery spaces the changes of the line.
const progressEvery = 100 * time.Millisecond

func (a *app) progress(what string) *progress {
	p := &progress{what: what, clock: a.env.Clock}
	if a.env.IsTerminal != nil && a.env.IsTerminal(Stderr) && !a.asked {
		p.w = a.env.Stderr
	}
	return p
}

func (p *progress) show(done, total int64) {
	now := p.clock.Now()
	if p.w == nil || total <= 0 || p.at != 0 && now.Sub(p.at) < progressEvery {
		return
	}
	p.at = now
	line := p.what + " " + number(done) + " of " + number(total) + " (" + itoa(done*100/total) + " %)"
	pad := strings.Repeat(" ", max(0, p.wide-len(line)))
	p.wide = len(line)
	_, _ = io.WriteString(p.w, "\r"+line+pad)
}

// end takes the line away.
func (p *progress) end() {
	if p.w != nil && p.wide > 0 {
		_, _ = io.WriteString(p.w, "\r"+strings.Repeat(" ", p.wide)+"\r")
	}
}
