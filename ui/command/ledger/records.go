package ledger

import (
	"github.com/spf13/cobra"

	"binnacle/backend/ledger"
	"binnacle/model"
	"binnacle/ui/command/cli"
)

// listFlags are the flags of lists of records.
func listFlags(r *cli.Run, c *cobra.Command, o *ledger.ListOptions, state *cli.Choice) {
	c.Flags().Var(state, "state", cli.List(state.Words))
	c.Flags().StringVar(&o.After, "after", "", "only keys that come after this one")
	c.Flags().IntVar(&o.Limit, "limit", 100, "at most this many, up to "+cli.Itoa(ledger.MaxList))
	_ = c.RegisterFlagCompletionFunc("state", cobra.FixedCompletions(state.Words, cobra.ShellCompDirectiveNoFileComp))
}

// checkList refuses a list that would be cut without a word.
func checkList(o ledger.ListOptions) error {
	if o.Limit < 1 || o.Limit > ledger.MaxList {
		return cli.Usage("--limit must be from 1 to %d", ledger.MaxList).WithHint("--after names the key after which to go on")
	}
	return nil
}

// history writes a record's events below its fields.
func history(r *cli.Run, events []model.Event, more bool) error {
	if err := r.Say(""); err != nil {
		return err
	}
	if more {
		if err := r.Say("(older events are left out; --limit shows more)"); err != nil {
			return err
		}
	}
	for _, e := range events {
		if err := r.Say(r.EventLine(e)); err != nil {
			return err
		}
	}
	return nil
}
