package ledger

import (
	"context"

	"github.com/spf13/cobra"

	"binnacle/backend/ledger"
	"binnacle/model"
	"binnacle/model/redact"
	"binnacle/ui/command/cli"
)

func signal(r *cli.Run) *cobra.Command {
	return r.Group("signal", "Act on what asks for attention",
		"Act on signals. A signal is raised by binnacle ledger emit --kind signal; it is pending until somebody\n"+
			"claims it, and then cleared, released or expired.",
		signalStep(r, ledger.SignalClaim, "Claim a pending signal", false),
		signalStep(r, ledger.SignalRelease, "Give a claimed signal back", true),
		signalStep(r, ledger.SignalClear, "Say that a claimed signal is dealt with", true),
		signalStep(r, ledger.SignalExpire, "Say that a signal does not matter any more", true),
		signalList(r), signalShow(r),
	)
}

// signalStep is one of the four verbs that take a signal a step on.
func signalStep(r *cli.Run, action, short string, reasoned bool) *cobra.Command {
	var by, reason string
	var secrets redact.Secrets
	c := &cobra.Command{
		Use: action + " KEY", Short: short, Args: cli.Takes("KEY"),
		Example:           "  binnacle ledger signal " + action + " 41",
		ValidArgsFunction: r.CompleteKeys(model.KindSignal),
	}
	c.Flags().StringVar(&by, "by", "", "who does it (default: BINNACLE_PRODUCER, else config.toml, else user@host)")
	if reasoned {
		c.Flags().StringVar(&reason, "reason", "", "why")
		cli.SecretFlags(c, &secrets)
	}
	c.RunE = r.Runs(func(ctx context.Context, args []string) error {
		w, err := r.Open(ctx, cli.Writing)
		if err != nil {
			return err
		}
		if by == "" {
			by = w.Producer
		}
		s, err := w.Ledger.Signal(ctx, ledger.SignalRequest{Action: action, Key: args[0], By: by, Reason: reason, Secrets: secrets})
		if err != nil {
			return err
		}
		r.Wrote("signal " + s.Key + " is " + s.State)
		return r.Answer(s, func() error {
			if s.Already {
				return r.Say("signal " + s.Key + " was " + model.Past(action) + " already, by " + by)
			}
			return r.Say("signal " + s.Key + " is " + s.State)
		})
	})
	return c
}

func signalList(r *cli.Run) *cobra.Command {
	var o ledger.ListOptions
	state := cli.Choice{Words: model.SignalMachine().States()}
	c := &cobra.Command{
		Use: "list", Short: "List signals by key", Args: cli.Takes(),
		Example: "  binnacle ledger signal list --state pending",
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
		all, err := w.Ledger.ListSignals(ctx, o)
		if err != nil {
			return err
		}
		if r.JSON {
			return r.WriteJSON(cli.OrEmpty(all))
		}
		now := r.Env.Now()
		var rows [][]string
		for _, s := range all {
			st := s.State
			if s.Due {
				st += " (run out)"
			}
			rows = append(rows, []string{s.Key, st, model.Age(s.Waited(now)), s.Topic, s.Holder, s.Summary})
		}
		return r.Table([]cli.Column{
			{Name: "key"},
			{Name: "state"},
			{Name: "for", Right: true},
			{Name: "topic", Most: 40},
			{Name: "holder", Most: 24},
			{Name: "summary"},
		}, rows)
	})
	return c
}

func signalShow(r *cli.Run) *cobra.Command {
	limit := 50
	c := &cobra.Command{
		Use: "show KEY", Short: "Show a signal and its history", Args: cli.Takes("KEY"),
		ValidArgsFunction: r.CompleteKeys(model.KindSignal),
	}
	c.Flags().IntVar(&limit, "limit", limit, "at most this many events of its history, the newest")
	c.RunE = r.Runs(func(ctx context.Context, args []string) error {
		w, err := r.Open(ctx, cli.Reading)
		if err != nil {
			return err
		}
		h, err := w.Ledger.ShowSignal(ctx, args[0], limit)
		if err != nil {
			return err
		}
		return r.Answer(h, func() error {
			s := h.Record
			err := r.Fields("key", s.Key, "state", s.State, "summary", s.Summary, "topic", s.Topic, "producer", s.Producer,
				"holder", s.Holder, "raised", s.Raised.In(r.Env.Zone), "since", s.Since.In(r.Env.Zone), "expires", s.Expires.In(r.Env.Zone),
				"revision", cli.Itoa(s.Rev))
			if err != nil {
				return err
			}
			return history(r, h.Events, h.More)
		})
	})
	return c
}
