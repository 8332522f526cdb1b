package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"binnacle/model/clean"
)

// EachCommand visits cmd and what is below it, but for what is hidden.
func EachCommand(cmd *cobra.Command, visit func(*cobra.Command) error) error {
	if cmd.Hidden || cmd.Name() == "help" {
		return nil
	}
	if err := visit(cmd); err != nil {
		return err
	}
	for _, sub := range cmd.Commands() {
		if err := EachCommand(sub, visit); err != nil {
			return err
		}
	}
	return nil
}

// Group is a command that only has verbs.
func (r *Run) Group(use, short, long string, verbs ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short, Long: long, Args: UnknownVerb}
	c.AddCommand(verbs...)
	c.RunE = r.Runs(func(context.Context, []string) error {
		var names []string
		for _, v := range c.Commands() {
			if !v.Hidden {
				names = append(names, v.Name())
			}
		}
		return Usage("%s needs a verb", c.CommandPath()).
			WithHint("one of %s; %s --help says what they do", List(names), c.CommandPath())
	})
	return c
}

// UnknownVerb refuses a word that names no command.
func UnknownVerb(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	e := Usage("%s has no command %q", cmd.CommandPath(), clean.Line(args[0]))
	var names []string
	for _, c := range cmd.Commands() {
		names = append(names, c.Name())
	}
	if near := nearest(args[0], names); near != "" {
		return e.WithHint("did you mean %s %s?", cmd.CommandPath(), near)
	}
	return e.WithHint("%s --help lists the commands", cmd.CommandPath())
}

// Takes checks the number of arguments. A name in brackets may be left out; a
// last one that ends with … may come more than once.
func Takes(names ...string) cobra.PositionalArgs {
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
			return Usage("%s takes no argument, but %q was given", cmd.CommandPath(), clean.Line(args[0])).WithHint("%s", hint)
		}
		wanted := strings.Join(names, " ")
		if len(args) < least {
			return Usage("%s needs %s; %s", cmd.CommandPath(), wanted, given(len(args))).WithHint("%s", hint)
		}
		return Usage("%s takes only %s; %s", cmd.CommandPath(), wanted, given(len(args))).
			WithHint("quote an argument that has spaces")
	}
}

// notEmpty refuses an argument without anything in it, the usual trace of a
// variable that a script did not set.
func notEmpty(cmd *cobra.Command, names, args []string) error {
	for i, arg := range args {
		if arg == "" {
			name := strings.Trim(names[min(i, len(names)-1)], "[]…")
			return Usage("%s needs %s, and it is empty", cmd.CommandPath(), name).
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
	return Itoa(int64(n)) + " were given"
}
