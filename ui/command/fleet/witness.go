package fleet

import (
	"context"

	"github.com/spf13/cobra"

	"binnacle/model"
	"binnacle/model/fleetmap"
	"binnacle/ui/command/cli"
)

func witness(r *cli.Run) *cobra.Command {
	machine := ""
	c := &cobra.Command{
		Use:   "witness",
		Short: "Compare the ledger with the heads of it that were published",
		Long: "Each summary carries the head of its machine's ledger, so whoever fetches it is a witness. Compare this\n" +
			"workspace's ledger with the heads of it that were fetched: a history that was rewritten, or cut off at its\n" +
			"end, does not match, and the exit status is 1. With --machine, list the heads of another machine's ledger\n" +
			"that are held here, for its owner to compare.",
		Example: "  binnacle fleet witness\n  binnacle fleet witness --machine m-k7d3xq2a5b",
		Args:    cli.Takes(),
	}
	c.Flags().StringVar(&machine, "machine", "", "list the heads that are held of this machine's ledger")
	c.RunE = runs(r, cli.Reading, func(ctx context.Context, f *cli.Fleet, _ []string) error {
		if machine != "" {
			held, err := f.Witnesses(ctx, machine)
			if err != nil {
				return err
			}
			return r.Answer(cli.OrEmpty(held), func() error { return showWitnesses(r, held) })
		}
		found, err := f.VerifyWitness(ctx)
		if err != nil {
			return err
		}
		if err := r.Answer(cli.OrEmpty(found), func() error { return ShowComparison(r, found) }); err != nil {
			return err
		}
		return Mismatch(r, found)
	})
	return c
}

func showWitnesses(r *cli.Run, held []fleetmap.Witness) error {
	if len(held) == 0 {
		return r.Say("no head of that machine's ledger was fetched")
	}
	var rows [][]string
	for _, w := range held {
		rows = append(rows, []string{"#" + cli.Itoa(w.Ledger.Seq), w.Ledger.Hash, w.SeenAt.In(r.Env.Zone), yesNo(w.Signed)})
	}
	return r.Table([]cli.Column{{Name: "event", Right: true}, {Name: "hash"}, {Name: "seen at"}, {Name: "signed"}}, rows)
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

func ShowComparison(r *cli.Run, found []fleetmap.WitnessFinding) error {
	if len(found) == 0 {
		return r.Say("no witness: no head of this ledger was published and fetched yet")
	}
	for _, f := range found {
		line := "good      "
		if !f.OK {
			line = "diverges  "
		}
		if err := r.Say(line + "#" + cli.Itoa(f.Witness.Ledger.Seq) + ", seen at " + f.Witness.SeenAt.In(r.Env.Zone) + ": " + f.Text); err != nil {
			return err
		}
	}
	return nil
}

// Mismatch is the failure of a comparison, nil where all heads match.
func Mismatch(r *cli.Run, found []fleetmap.WitnessFinding) error {
	bad := 0
	for _, f := range found {
		if !f.OK {
			bad++
		}
	}
	if bad == 0 {
		return nil
	}
	r.Quiet = true // the answer says what is wrong
	return model.Errorf(model.CodeCorrupt, "%d of %d published heads do not match the ledger", bad, len(found))
}
