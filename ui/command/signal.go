package command

import (
	"context"

	"github.com/spf13/cobra"

	"binnacle/backend/ledger"
	"binnacle/model"
	"binnacle/model/redact"
)

func (a *app) signalCommand() *cobra.Command {
	return a.group("signal", "Act on what asks for attention",
		"Act on signals. A signal is raised by binnacle ledger emit --kind signal; it is pending until somebody\n"+
			"claims it, and then cleared, released or expired.",
		a.signalStep(ledger.SignalClaim, "Claim a pending signal", false),
		a.signalStep(ledger.SignalRelease, "Give a claimed signal back", true),
		a.signalStep(ledger.SignalClear, "Say that a claimed signal is dealt with", true),
		a.signalStep(ledger.SignalExpire, "Say that a signal does not matter any more", true),
		a.signalList(), a.signalShow(),
	)
}

// signalStep is one of the four verbs that take a signal a step on.
func (a *app) signalStep(action, short string, reasoned bool) *cobra.Command {
	var by, reason string
	var secrets redact.Secrets
	c := &cobra.Command{
		Use: action + " KEY", Short: short, Args: takes("KEY"),
		Example:           "  binnacle ledger signal " + action + " 41",
		ValidArgsFunction: a.completeKeys(model.KindSignal),
	}
	c.Flags().StringVar(&by, "by", "", "who does it (default: BINNACLE_PRODUCER, else config.toml, else user@host)")
	if reasoned {
		c.Flags().StringVar(&reason, "reason", "", "why")
		secretFlags(c, &secrets)
	}
	c.RunE = a.runs(func(ctx context.Context, args []string) error {
		w, err := a.open(ctx, writing)
		if err != nil {
			return err
		}
		if by == "" {
			by = w.producer
		}
		s, err := w.ledger.Signal(ctx, ledger.SignalRequest{Action: action, Key: args[0], By: by, Reason: reason, Secrets: secrets})
		if err != nil {
			return err
		}
		a.wrote("signal " + s.Key + " is " + s.State)
		return a.answer(s, func() error {
			if s.Already {
				return a.say("signal " + s.Key + " was " + model.Past(action) + " already, by " + by)
			}
			return a.say("signal " + s.Key + " is " + s.State)
		})
	})
	return c
}

func (a *app) signalList() *cobra.Command {
	var o ledger.ListOptions
	state := choice{words: model.SignalMachine().States()}
	c := &cobra.Command{
		Use: "list", Short: "List signals by key", Args: takes(),
		Example: "  binnacle ledger signal list --state pending",
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
		all, err := w.ledger.ListSignals(ctx, o)
		if err != nil {
			return err
		}
		if a.json {
			return a.writeJSON(orEmpty(all))
		}
		now := a.env.Now()
		var rows [][]string
		for _, s := range all {
			st := s.State
			if s.Due {
				st += " (run out)"
			}
			rows = append(rows, []string{s.Key, st, model.Age(s.Waited(now)), s.Topic, s.Holder, s.Summary})
		}
		return a.table([]column{
			{name: "key"},
			{name: "state"},
			{name: "for", right: true},
			{name: "topic", most: 40},
			{name: "holder", most: 24},
			{name: "summary"},
		}, rows)
	})
	return c
}

func (a *app) signalShow() *cobra.Command {
	limit := 50
	c := &cobra.Command{
		Use: "show KEY", Short: "Show a signal and its history", Args: takes("KEY"),
		ValidArgsFunction: a.completeKeys(model.KindSignal),
	}
	c.Flags().IntVar(&limit, "limit", limit, "at most this many events of its history, the newest")
	c.RunE = a.runs(func(ctx context.Context, args []string) error {
		w, err := a.open(ctx, reading)
		if err != nil {
			return err
		}
		h, err := w.ledger.ShowSignal(ctx, args[0], limit)
		if err != nil {
			return err
		}
		return a.answer(h, func() error {
			s := h.Record
			err := a.fields("key", s.Key, "state", s.State, "summary", s.Summary, "topic", s.Topic, "producer", s.Producer,
				"holder", s.Holder, "raised", s.Raised.In(a.env.Zone), "since", s.Since.In(a.env.Zone), "expires", s.Expires.In(a.env.Zone),
				"revision", itoa(s.Rev))
			if err != nil {
				return err
			}
			return a.history(h.Events, h.More)
		})
	})
	return c
}

// listFlags are the flags of lists of records.
func (a *app) listFlags(c *cobra.Command, o *ledger.ListOptions, state *choice) {
	c.Flags().Var(state, "state", list(state.words))
	c.Flags().StringVar(&o.After, "after", "", "only keys that come after this one")
	c.Flags().IntVar(&o.Limit, "limit", 100, "at most this many, up to "+itoa(ledger.MaxList))
	_ = c.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(state.words, cobra.ShellCompDirectiveNoFileComp))
}

// checkList refuses a list that would be cut without a word.
func checkList(o ledger.ListOptions) error {
	if o.Limit < 1 || o.Limit > ledger.MaxList {
		return usage("--limit must be from 1 to %d", ledger.MaxList).WithHint("--after names the key after which to go on")
	}
	return nil
}

// history writes a record's events below its fields.
func (a *app) history(events []model.Event, more bool) error {
	if err := a.say(""); err != nil {
		return err
	}
	if more {
		if err := a.say("(older events are left out; --limit shows more)"); err != nil {
			return err
		}
	}
	for _, e := range events {
		if err := a.say(a.eventLine(e)); err != nil {
			return err
		}
	}
	return nil
}

// orEmpty keeps an empty list from being written as null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
