// Package fleet is the commands over the fleet map, bay's place.
package fleet

import (
	"context"

	"github.com/spf13/cobra"

	"binnacle/ui/command/cli"
	"binnacle/ui/command/hooks"
)

// Command is bay's place: who works on what, on every machine.
func Command(r *cli.Run) *cobra.Command {
	return r.Group("fleet", "Who works on what, on every machine, read from Git refs",
		"The fleet map: each machine publishes one summary of its sessions to a ref of the remote that all share,\n"+
			"and reads the others' from there. There is no server, and no connection between the machines.\n\n"+
			"Ages count by this machine's own clock. Without a fetch of the configured remote the map is blocked: it\n"+
			"lists nothing, and the exit status is 10.",
		status(r), watch(r), push(r), changes(r), hooks.Settings(r), hooks.Hook(r), key(r), forget(r),
		witness(r), doctor(r),
	)
}

// runs wraps a command that needs an open fleet. A refusal with exit
// status 10 is an answer, too: where stdout gets JSON, it gets one object.
func runs(r *cli.Run, how cli.Access, fn func(ctx context.Context, f *cli.Fleet, args []string) error) func(*cobra.Command, []string) error {
	return r.Runs(func(ctx context.Context, args []string) error {
		f, err := r.OpenFleet(ctx, how)
		if err == nil {
			err = fn(ctx, f, args)
		}
		return r.SayBlocked(err)
	})
}
