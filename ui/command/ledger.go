package command

import "github.com/spf13/cobra"

// ledgerCommand is Quay's place: its verbs, its options.
func (a *app) ledgerCommand() *cobra.Command {
	return a.group("ledger", "The event ledger: append-only, hash-chained",
		"The ledger of everything that happens. Each event is chained to the one before by SHA-256; state is what\n"+
			"the events add up to. alias quay='binnacle ledger' serves scripts that were written for Quay.\n\n"+
			"The verbs work without the noun, too: binnacle emit, binnacle log …",
		a.ledgerVerbs()...,
	)
}

// ledgerVerbs makes the verbs anew, for each place where they stand.
func (a *app) ledgerVerbs() []*cobra.Command {
	return []*cobra.Command{
		a.initCommand(), a.emitCommand(), a.logCommand(), a.statusCommand(), a.verifyCommand(), a.queryCommand(),
		a.kindsCommand(), a.signalCommand(), a.workCommand(), a.importCommand(), a.exportCommand(), a.rebuildCommand(),
		a.backupCommand(), a.restoreCommand(), a.watchCommand(), a.benchCommand(),
	}
}
