package fleet

import (
	"context"

	"github.com/spf13/cobra"

	"binnacle/ui/command/cli"
)

// Trust records that what a repository brings may run.
func Trust(r *cli.Run) *cobra.Command {
	remove := false
	c := &cobra.Command{
		Use:   "trust",
		Short: "Let what this repository brings run, as it is now: its notify command, its Git settings",
		Long: "A [notify] command, and settings in .git/config that run programs (core.sshCommand, credential.helper, …),\n" +
			"come with the folder, so they do not run before you looked at them and said so: a clone must not run code by\n" +
			"being opened. What is recorded stands for the command, the configuration that it is in, the program, and\n" +
			"every file of the repository that it names, and for the settings; a change of any of them asks again. Your\n" +
			"own Git configuration always counts. --remove takes it back.",
		Example: "  binnacle trust\n  binnacle trust --remove",
		Args:    cli.Takes(),
	}
	c.Flags().BoolVar(&remove, "remove", false, "no longer trust it")
	c.RunE = r.Runs(func(ctx context.Context, _ []string) error {
		if r.Flags.ReadOnly {
			return cli.ReadOnly()
		}
		f, err := r.OpenFleet(ctx, cli.Reading)
		if err != nil {
			return err
		}
		if remove {
			command, _ := f.NotifyState()
			if err := f.Untrust(); err != nil {
				return err
			}
			return r.Answer(map[string]any{"command": command, "trusted": false}, func() error {
				return r.Say("nothing that this repository brings is trusted")
			})
		}
		t, err := f.Trust(ctx)
		if err != nil {
			return err
		}
		return r.Answer(t, func() error {
			lines := t.Settings
			if t.Command != "" {
				lines = append([]string{t.Command}, lines...)
			}
			for _, line := range lines {
				if err := r.Say("trusted as it is now: " + line); err != nil {
					return err
				}
			}
			return nil
		})
	})
	return c
}
