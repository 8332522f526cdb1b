// Package workspace is the commands over a workspace as a whole: make it, say how
// it stands, back it up, move it, bring other tools' data in.
package workspace

import (
	"context"

	"github.com/spf13/cobra"

	"binnacle/backend"
	"binnacle/ui/command/cli"
)

// Verbs are those of the workspace as a whole, made anew for each place where
// they stand.
func Verbs(r *cli.Run) []*cobra.Command {
	return []*cobra.Command{
		Init(r), status(r), Import(r, r.Runs), rebuild(r), backupVerb(r), restore(r),
	}
}

// Init makes a workspace.
func Init(r *cli.Run) *cobra.Command {
	return &cobra.Command{
		Use:   "init [DIR]",
		Short: "Make a workspace here",
		Long: "Make a workspace: the folder .binnacle, with the database, an empty config.toml with every setting\n" +
			"explained, and a .gitignore of its own that keeps all but config.toml out of Git. Where there is one\n" +
			"already, nothing is changed.",
		Example: "  cd ~/src/harbour && binnacle init",
		Args:    cli.Takes("[DIR]"),
		RunE: r.Runs(func(ctx context.Context, args []string) error {
			dir := r.Env.Dir
			switch {
			case len(args) == 1:
				dir = r.Path(args[0])
			case r.Flags.Workspace != "":
				dir = r.Path(r.Flags.Workspace)
			}
			if r.Flags.ReadOnly {
				return cli.ReadOnly()
			}
			paths, made, err := backend.InitWorkspace(ctx, dir, backend.StoreOptions{Clock: r.Env.Clock, Log: r.Env.Stderr})
			if err != nil {
				return err
			}
			answer := map[string]any{"workspace": paths.Project(), "path": paths.Dir(), "created": made}
			return r.Answer(answer, func() error {
				if !made {
					return r.Say("there is a workspace already: ", paths.Dir())
				}
				return r.Say("made the workspace ", paths.Dir())
			})
		}),
	}
}

// Config says where the workspace is.
func Config(r *cli.Run) *cobra.Command {
	return &cobra.Command{
		Use:   "config",
		Short: "Say where the workspace is, and check its config.toml",
		Args:  cli.Takes(),
		RunE: r.Runs(func(context.Context, []string) error {
			paths, err := r.Find()
			if err != nil {
				return err
			}
			if _, err := backend.LoadConfig(paths.Config()); err != nil {
				return err
			}
			answer := map[string]any{
				"workspace": paths.Project(), "path": paths.Dir(), "database": paths.Database(), "config": paths.Config(), "valid": true,
			}
			return r.Answer(answer, func() error {
				return r.Fields("workspace", paths.Project(), "folder", paths.Dir(), "database", paths.Database(), "config",
					paths.Config()+" (good)")
			})
		}),
	}
}
