package command

import (
	"context"

	"github.com/spf13/cobra"

	"binnacle/backend"
)

func (a *app) initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Make a workspace here",
		Long: "Make a workspace: the folder .binnacle, with the database, an empty config.toml with every setting\n" +
			"explained, and a .gitignore of its own that keeps all but config.toml out of Git. Where there is one\n" +
			"already, nothing is changed.",
		Example: "  cd ~/src/harbour && binnacle init",
		Args:    takes("[DIR]"),
		RunE: a.runs(func(ctx context.Context, args []string) error {
			dir := a.env.Dir
			switch {
			case len(args) == 1:
				dir = a.path(args[0])
			case a.flags.workspace != "":
				dir = a.path(a.flags.workspace)
			}
			if a.flags.readOnly {
				return readOnly()
			}
			paths, made, err := backend.InitWorkspace(ctx, dir, backend.StoreOptions{Clock: a.env.Clock, Log: a.env.Stderr})
			if err != nil {
				return err
			}
			answer := map[string]any{"workspace": paths.Project(), "path": paths.Dir(), "created": made}
			return a.answer(answer, func() error {
				if !made {
					return a.say("there is a workspace already: ", paths.Dir())
				}
				return a.say("made the workspace ", paths.Dir())
			})
		}),
	}
}

func (a *app) configCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Say where the workspace is, and check its config.toml",
		Args:  takes(),
		RunE: a.runs(func(context.Context, []string) error {
			paths, err := a.find()
			if err != nil {
				return err
			}
			if _, err := backend.LoadConfig(paths.Config()); err != nil {
				return err
			}
			answer := map[string]any{
				"workspace": paths.Project(), "path": paths.Dir(), "database": paths.Database(), "config": paths.Config(), "valid": true,
			}
			return a.answer(answer, func() error {
				return a.fields("workspace", paths.Project(), "folder", paths.Dir(), "database", paths.Database(), "config",
					paths.Config()+" (good)")
			})
		}),
	}
}
