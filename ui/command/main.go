package command

import (
	"context"
	"io"

	"binnacle/ui/command/cli"
	"binnacle/ui/command/cockpit"
	"binnacle/ui/command/queue"
)

// Env is all that the program takes from the world around it: what every command
// does, and what takes a whole terminal.
type Env struct {
	cli.Env
	cockpit.Programs
}

// OS is the Env of a real process.
func OS() Env { return Env{cli.OS(), cockpit.Real()} }

// Main runs the program with the arguments (without its name) and returns the
// exit status.
func Main(args []string, env Env) int {
	return cli.Do(args, env.Env, queue.Bare(args), func(ctx context.Context, r *cli.Run) error {
		if len(args) == 1 && args[0] == "--version" {
			// Scripts ask this again and again, and building the whole tree of commands
			// costs more than the answer.
			_, err := io.WriteString(r.Out, versionLine()+"\n")
			return err
		}
		root := tree(r, env.Programs, args)
		root.SetArgs(args)
		root.SetIn(r.Env.Stdin)
		root.SetOut(r.Out)
		root.SetErr(r.Env.Stderr)
		return root.ExecuteContext(ctx)
	})
}
