package command

import (
	"context"
	"strings"

	"binnacle/model/clean"

	"github.com/spf13/cobra"
)

// newRoot builds the tree of commands. Nothing is opened here: --version and
// --help must cost nothing.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "binnacle",
		Short: "A cockpit for a fleet of coding agents",
		Long: "A full-screen cockpit for people who run a fleet of coding agents, and the engines behind it:\n" +
			"an event ledger, a queue of directives, and the map of who works on what.\n\n" +
			"Without a command it opens the cockpit; where stdout is not a terminal, it prints JSON lines (--plain).",
		Example: "  binnacle init\n  binnacle\n  binnacle --plain --once | jq 'select(.type==\"snapshot\").planes'\n" +
			"  binnacle ledger emit build/log '{\"text\":\"compiled\"}'\n  binnacle queue push -p P0 -b 'ship the smallest verified fix'",
		Args:              unknownVerb,
		Version:           versionLine(),
		SilenceErrors:     true,
		SilenceUsage:      true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	a.persistentFlags(root)
	root.AddGroup(
		&cobra.Group{ID: "start", Title: "To begin:"},
		&cobra.Group{ID: "engines", Title: "The engines:"},
		&cobra.Group{ID: "more", Title: "More:"},
	)
	a.cockpitCommand(root)
	in := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	in("start", a.initCommand(), a.watchCommand(), a.demoCommand())
	in("engines", a.ledgerCommand(), a.queueCommand(), a.fleetCommand(), a.serveCommand())
	in("more", a.trustCommand(), a.keysCommand(), a.configCommand(), a.completionCommand(), a.manCommand(), a.versionCommand())
	a.shortcuts(root)
	root.SetHelpCommand(helpCommand())
	root.SetHelpCommandGroupID("more")
	return root
}

// persistentFlags are the flags of every command.
func (a *app) persistentFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&a.flags.workspace, "workspace", "", "the project, or its .binnacle folder (default: found upward from here)")
	f.BoolVar(&a.flags.json, "json", false, "write JSON, also to a terminal")
	f.BoolVar(&a.flags.noJSON, "no-json", false, "write for people, also to a pipe")
	f.Var(&a.flags.timeout, "timeout", "give up after this long, e.g. 5 (seconds) or 2m")
	f.BoolVar(&a.flags.readOnly, "read-only", false, "refuse every change")
	f.BoolVar(&a.flags.ascii, "ascii", false, "draw with plain ASCII")
	f.StringVar(&a.flags.theme, "theme", "", "auto, dark, light, ansi, mono, or a theme of yours")
	_ = root.RegisterFlagCompletionFunc("theme", cobra.FixedCompletions(
		[]string{"auto", "dark", "light", "ansi", "mono"}, cobra.ShellCompDirectiveNoFileComp))
}

// shortcuts are the ledger's verbs without the noun, for people who type them
// all day. They are hidden: one way to do a thing is enough for the help.
func (a *app) shortcuts(root *cobra.Command) {
	for _, c := range a.ledgerVerbs() {
		if c.Name() == "init" || c.Name() == "watch" {
			continue
		}
		c.Hidden = true
		root.AddCommand(c)
	}
}

// group is a command that only has verbs.
func (a *app) group(use, short, long string, verbs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Long: long, Args: unknownVerb}
	c.AddCommand(verbs...)
	c.RunE = a.runs(func(context.Context, []string) error {
		var names []string
		for _, v := range c.Commands() {
			if !v.Hidden {
				names = append(names, v.Name())
			}
		}
		return usage("%s needs a verb", c.CommandPath()).
			WithHint("one of %s; %s --help says what they do", list(names), c.CommandPath())
	})
	return c
}

// helpCommand shows the help of the command that its words name, and refuses
// words that name none.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:               "help [COMMAND…]",
		Short:             "Show the help of a command",
		ValidArgsFunction: completeCommands,
		RunE: func(cmd *cobra.Command, args []string) error {
			about := cmd.Root()
			for _, word := range args {
				next := verbOf(about, word)
				if next == nil {
					if !about.HasSubCommands() {
						return usage("%s has no commands below it", about.CommandPath()).WithHint("binnacle help%s", strings.TrimPrefix(about.CommandPath(), "binnacle"))
					}
					return unknownVerb(about, []string{word})
				}
				about = next
			}
			about.InitDefaultHelpFlag()
			about.InitDefaultVersionFlag()
			return about.Help()
		},
	}
}

// verbOf is the command of that name below cmd, nil where there is none.
func verbOf(cmd *cobra.Command, name string) *cobra.Command {
	for _, c := range cmd.Commands() {
		if c.Name() == name || c.HasAlias(name) {
			return c
		}
	}
	return nil
}

// completeCommands completes the words of help.
func completeCommands(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	about := cmd.Root()
	for _, word := range args {
		if about = verbOf(about, word); about == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
	}
	var out []string
	for _, c := range about.Commands() {
		if c.IsAvailableCommand() {
			out = append(out, described(c.Name(), c.Short))
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// unknownVerb refuses a word that names no command.
func unknownVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	e := usage("%s has no command %q", cmd.CommandPath(), clean.Line(args[0]))
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	if near := nearest(args[0], names); near != "" {
		return e.WithHint("did you mean %s %s?", cmd.CommandPath(), near)
	}
	return e.WithHint("%s --help lists the commands", cmd.CommandPath())
}

// takes checks the number of arguments. A name in brackets may be left out; a
// last one that ends with … may come more than once.
func takes(names ...string) cobra.PositionalArgs {
	least, most := 0, len(names)
	for _, n := range names {
		if !strings.HasPrefix(n, "[") {
			least++
		}
		if strings.Contains(n, "…") {
			most = 1 << 20
		}
	}
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && len(args) <= most {
			return notEmpty(cmd, names, args)
		}
		hint := cmd.CommandPath() + " --help shows an example"
		if most == 0 {
			return usage("%s takes no argument, but %q was given", cmd.CommandPath(), clean.Line(args[0])).WithHint("%s", hint)
		}
		wanted := strings.Join(names, " ")
		if len(args) < least {
			return usage("%s needs %s; %s", cmd.CommandPath(), wanted, given(len(args))).WithHint("%s", hint)
		}
		return usage("%s takes only %s; %s", cmd.CommandPath(), wanted, given(len(args))).
			WithHint("quote an argument that has spaces")
	}
}

// notEmpty refuses an argument without anything in it, the usual trace of a
// variable that a script did not set.
func notEmpty(cmd *cobra.Command, names, args []string) error {
	for i, arg := range args {
		if arg == "" {
			name := strings.Trim(names[min(i, len(names)-1)], "[]…")
			return usage("%s needs %s, and it is empty", cmd.CommandPath(), name).
				WithHint("%s --help shows an example", cmd.CommandPath())
		}
	}
	return nil
}

func given(n int) string {
	switch n {
	case 0:
		return "nothing was given"
	case 1:
		return "one was given"
	}
	return itoa(int64(n)) + " were given"
}
