package ui

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/model"
	"binnacle/ui/overlay"
	"binnacle/views/dialog"
)

// name is how the palette calls the command.
func (m Command) name() string { return strings.Join(m.Words, " ") }

// check says why the arguments can't be run.
func (m Command) check(args []string) error {
	if m.Needs && len(args) == 0 {
		return model.Errorf(model.CodeUsage, "it needs %s", m.Takes)
	}
	for _, arg := range args {
		name, _, _ := strings.Cut(arg, "=")
		if slices.Contains(m.Endless, name) {
			return model.Errorf(model.CodeUsage, "with %s it does not end by itself; run it in a shell", name)
		}
	}
	return nil
}

// choose runs the command, after asking for arguments where it takes any.
func (c *Cockpit) choose(m Command) tea.Cmd {
	if m.Takes == "" && len(m.Flags) == 0 {
		return c.runCommand(m, nil)
	}
	form := dialog.Form{
		Title: "binnacle " + m.name(), Says: m.Help,
		Fields: []dialog.Field{{Label: "arguments"}},
		Hint:   strings.TrimSpace("It takes "+strings.TrimSpace(m.Takes+" "+strings.Join(m.Flags, " "))) + ". enter runs it, esc leaves.",
	}
	c.over.Push(overlay.NewForm(form, nil, nil, func(values []string) (func() tea.Cmd, int, error) {
		args, err := splitWords(values[0])
		if err == nil {
			err = m.check(args)
		}
		return func() tea.Cmd { return c.runCommand(m, args) }, 0, err
	}))
	return nil
}

// runCommand runs a command in the background and opens what it writes.
func (c *Cockpit) runCommand(m Command, args []string) tea.Cmd {
	all := slices.Concat(m.Words, args)
	o, run := overlay.NewOutput("binnacle "+strings.Join(all, " "), func(ctx context.Context) (text, fault string) {
		return c.opt.Runner.run(ctx, all)
	})
	c.over.Push(o)
	return run
}
