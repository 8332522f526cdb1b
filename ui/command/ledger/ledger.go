// Package ledger is the commands over events, Quay's place.
package ledger

import (
	"github.com/spf13/cobra"

	"binnacle/ui/command/cli"
)

// Command is Quay's place: its verbs, its options.
func Command(r *cli.Run, verbs ...*cobra.Command) *cobra.Command {
	return r.Group("ledger", "The event ledger: append-only, hash-chained",
		"The ledger of everything that happens. Each event is chained to the one before by SHA-256; state is what\n"+
			"the events add up to. alias quay='binnacle ledger' serves scripts that were written for Quay.\n\n"+
			"The verbs work without the noun, too: binnacle emit, binnacle log …",
		verbs...,
	)
}

// Verbs are those over events and their records, made anew for each place where
// they stand.
func Verbs(r *cli.Run) []*cobra.Command {
	return []*cobra.Command{
		emit(r), log(r), queryVerb(r), exportVerb(r), kinds(r), signal(r), work(r), verifyVerb(r), sweep(r), segments(r), measure(r),
	}
}
