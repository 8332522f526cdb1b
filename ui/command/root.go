package command

import (
	"github.com/spf13/cobra"

	"binnacle/ui/command/cli"
	"binnacle/ui/command/cockpit"
	"binnacle/ui/command/feed"
	"binnacle/ui/command/fleet"
	"binnacle/ui/command/hooks"
	"binnacle/ui/command/ledger"
	"binnacle/ui/command/note"
	"binnacle/ui/command/queue"
	"binnacle/ui/command/serve"
	"binnacle/ui/command/session"
	"binnacle/ui/command/workspace"
)

// newRoot builds the tree of commands. Nothing is opened here: --version and
// --help must cost nothing.
func newRoot(r *cli.Run, p cockpit.Programs) *cobra.Command {
	p.Commands = paletteCommands
	root := &cobra.Command{
		Use:   "binnacle",
		Short: "A cockpit for a fleet of coding agents",
		Long: "A full-screen cockpit for people who run a fleet of coding agents, and the engines behind it:\n" +
			"an event ledger, a queue of directives, and the map of who works on what.\n\n" +
			"Without a command it opens the cockpit; where stdout is not a terminal, it prints JSON lines (--plain).",
		Example: "  binnacle init\n  binnacle\n  binnacle --plain --once | jq 'select(.type==\"snapshot\").planes'\n" +
			"  binnacle ledger emit build/log '{\"text\":\"compiled\"}'\n  binnacle queue push -p P0 -b 'ship the smallest verified fix'",
		Args:              cli.UnknownVerb,
		Version:           versionLine(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(cli.FlagError)
	r.PersistentFlags(root)
	root.AddGroup(
		&cobra.Group{ID: "start", Title: "To begin:"},
		&cobra.Group{ID: "engines", Title: "The engines:"},
		&cobra.Group{ID: "more", Title: "More:"},
	)
	cockpit.Give(r, p, root)
	in := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	in("start", workspace.Init(r), cockpit.Watch(r, p), cockpit.Demo(r, p))
	in("engines", ledger.Command(r, ledgerVerbs(r, p)...), queue.Command(r), fleet.Command(r), session.Command(r), note.Command(r), feed.Command(r), serve.Command(r))
	in("more", fleet.Trust(r), cockpit.Keys(r), workspace.Config(r), completionCommand(r), manCommand(r), versionCommand(r))
	shortcuts(root, ledgerVerbs(r, p))
	root.SetHelpCommand(helpCommand())
	root.SetHelpCommandGroupID("more")
	return root
}

// ledgerVerbs are what stands below the noun ledger, made anew for each place
// where it stands: the verbs over events, those of the workspace as a whole, and
// the cockpit under Quay's name.
func ledgerVerbs(r *cli.Run, p cockpit.Programs) []*cobra.Command {
	return append(append(ledger.Verbs(r), workspace.Verbs(r)...), cockpit.Watch(r, p))
}

// shortcuts are the ledger's verbs without the noun, for people who type them
// all day. They are hidden: one way to do a thing is enough for the help.
func shortcuts(root *cobra.Command, verbs []*cobra.Command) {
	for _, c := range verbs {
		if c.Name() == "init" || c.Name() == "watch" {
			continue
		}
		c.Hidden = true
		root.AddCommand(c)
	}
}

// tree is the tree of commands, or of it only what a hook needs: an agent waits
// for each of its hooks.
func tree(r *cli.Run, p cockpit.Programs, args []string) *cobra.Command {
	if len(args) < 3 || args[0] != "fleet" || args[1] != "hook" || hooks.AsksHelp(args[2:]) {
		return newRoot(r, p)
	}
	noun := &cobra.Command{Use: "fleet"}
	noun.AddCommand(hooks.Hook(r))
	root := &cobra.Command{Use: "binnacle", SilenceErrors: true, SilenceUsage: true}
	root.CompletionOptions.DisableDefaultCmd = true
	root.AddCommand(noun)
	return root
}
