package command

import (
	"context"

	"github.com/spf13/cobra"

	"binnacle/backend/ledger"
	"binnacle/model"
	"binnacle/model/fleetmap"
)

func (a *app) fleetWitness() *cobra.Command {
	machine := ""
	c := &cobra.Command{
		Use:   "witness",
		Short: "Compare the ledger with the heads of it that were published",
		Long: "Each summary carries the head of its machine's ledger, so whoever fetches it is a witness. Compare this\n" +
			"workspace's ledger with the heads of it that were fetched: a history that was rewritten, or cut off at its\n" +
			"end, does not match, and the exit status is 1. With --machine, list the heads of another machine's ledger\n" +
			"that are held here, for its owner to compare.",
		Example: "  binnacle fleet witness\n  binnacle fleet witness --machine m-k7d3xq2a5b",
		Args:    takes(),
	}
	c.Flags().StringVar(&machine, "machine", "", "list the heads that are held of this machine's ledger")
	c.RunE = a.fleetRuns(reading, func(ctx context.Context, f *fleetPlace, _ []string) error {
		if machine != "" {
			held, err := f.Witnesses(ctx, machine)
			if err != nil {
				return err
			}
			return a.answer(orEmpty(held), func() error { return a.showWitnesses(held) })
		}
		found, err := f.VerifyWitness(ctx)
		if err != nil {
			return err
		}
		if err := a.answer(orEmpty(found), func() error { return a.showComparison(found) }); err != nil {
			return err
		}
		return a.mismatch(found)
	})
	return c
}

func (a *app) showWitnesses(held []fleetmap.Witness) error {
	if len(held) == 0 {
		return a.say("no head of that machine's ledger was fetched")
	}
	var rows [][]string
	for _, w := range held {
		rows = append(rows, []string{"#" + itoa(w.Ledger.Seq), w.Ledger.Hash, w.SeenAt.In(a.env.Zone), yesNo(w.Signed)})
	}
	return a.table([]column{{name: "event", right: true}, {name: "hash"}, {name: "seen at"}, {name: "signed"}}, rows)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func (a *app) showComparison(found []fleetmap.WitnessFinding) error {
	if len(found) == 0 {
		return a.say("no witness: no head of this ledger was published and fetched yet")
	}
	for _, f := range found {
		line := "good      "
		if !f.OK {
			line = "diverges  "
		}
		if err := a.say(line + "#" + itoa(f.Witness.Ledger.Seq) + ", seen at " + f.Witness.SeenAt.In(a.env.Zone) + ": " + f.Text); err != nil {
			return err
		}
	}
	return nil
}

// mismatch is the failure of a comparison, nil where all heads match.
func (a *app) mismatch(found []fleetmap.WitnessFinding) error {
	bad := 0
	for _, f := range found {
		if !f.OK {
			bad++
		}
	}
	if bad == 0 {
		return nil
	}
	a.quiet = true // the answer says what is wrong
	return model.Errorf(model.CodeCorrupt, "%d of %d published heads do not match the ledger", bad, len(found))
}

// verifyWitness answers for ledger verify --witness: the chain as it was
// verified, and the comparison.
func (a *app) verifyWitness(ctx context.Context, w *workspace, v ledger.Verification) error {
	f, err := a.fleetOf(w)
	if err != nil {
		return err
	}
	found, err := f.VerifyWitness(ctx)
	if err != nil {
		return err
	}
	answer, err := joined(v, "witness", orEmpty(found))
	if err != nil {
		return err
	}
	err = a.answer(answer, func() error {
		if err := a.showVerification(v); err != nil {
			return err
		}
		return a.showComparison(found)
	})
	if err != nil {
		return err
	}
	if v.Finding != nil {
		a.quiet = true // the answer says what is wrong
		return v.Finding.Err()
	}
	return a.mismatch(found)
}
