package command

import (
	"context"

	"github.com/spf13/cobra"
)

// trustCommand records that a repository's notify command may run.
func (a *app) trustCommand() *cobra.Command {
	remove := false
	c := &cobra.Command{
		Use:   "trust",
		Short: "Let this repository's notify command run, as it is now",
		Long: "A [notify] command comes with the repository, so it does not run before you looked at it and said so: a\n" +
			"clone must not run code by being opened. What is recorded stands for the command, the configuration that\n" +
			"it is in and the program's bytes; a change of any of them asks again. --remove takes it back.",
		Example: "  binnacle trust\n  binnacle trust --remove",
		Args:    takes(),
	}
	c.Flags().BoolVar(&remove, "remove", false, "trust it no longer")
	c.RunE = a.runs(func(ctx context.Context, _ []string) error {
		if a.flags.readOnly {
			return readOnly()
		}
		f, err := a.openFleet(ctx, reading)
		if err != nil {
			return err
		}
		command, _ := f.NotifyState()
		if remove {
			if err := f.Untrust(); err != nil {
				return err
			}
			return a.answer(map[string]any{"command": command, "trusted": false}, func() error {
				return a.say("no notify command of this repository is trusted")
			})
		}
		if command, err = f.Trust(); err != nil {
			return err
		}
		return a.answer(map[string]any{"command": command, "trusted": true}, func() error {
			return a.say("trusted as it is now: " + command)
		})
	})
	return c
}
