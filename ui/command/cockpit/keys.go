package cockpit

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"binnacle/keymap"
	"binnacle/ui/command/cli"
)

func Keys(r *cli.Run) *cobra.Command {
	var markdown bool
	c := &cobra.Command{
		Use:   "keys",
		Short: "Print the cockpit's keys",
		Long: "Print every action of the cockpit with its keys. Where there is a workspace, the overrides of its\n" +
			"config.toml are applied; a conflict in them is refused, with both names.",
		Example: "  binnacle keys\n  binnacle keys --json | jq -r '.[] | select(.changes) | .name'",
		Args:    cli.Takes(),
	}
	c.Flags().BoolVar(&markdown, "markdown", false, "print the table of the README: the default keys")
	c.RunE = r.Runs(func(context.Context, []string) error {
		if markdown {
			_, err := io.WriteString(r.Out, keymap.Default().Markdown())
			return err
		}
		m := keymap.Default()
		config, err := r.Config()
		if err != nil {
			return err
		}
		if m, err = m.WithOverrides(config.Keys); err != nil {
			return err
		}
		return r.Answer(m, func() error {
			_, err := io.WriteString(r.Out, m.Text())
			return err
		})
	})
	return c
}
