// Package serve is the command that holds the duties without a cockpit.
package serve

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend"
	"binnacle/backend/ledger/archive"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/ui/command/cli"
)

// Command runs the duties without a cockpit.
func Command(r *cli.Run) *cobra.Command {
	var keep cli.Span
	c := &cobra.Command{
		Use:   "serve",
		Short: "Do what only one process may do, without a cockpit",
		Long: "Take back leases that ran out, expire signals, and promote deferrals that are due, as soon as they are.\n" +
			"A cockpit does the same; whoever holds .binnacle/serve.lock does it for all, and another one takes over\n" +
			"within a second when it goes. What happens is logged to stderr; SIGTERM and SIGINT end it with 0. Under\n" +
			"systemd (Type=notify) it says when it is ready.",
		Example: "  binnacle serve\n  binnacle --workspace ~/src/harbour serve",
		Args:    cli.Takes(),
		RunE: r.Runs(func(ctx context.Context, _ []string) error {
			if keep != 0 && time.Duration(keep) < archive.MinKeep {
				return cli.Usage("--retention must be a minute or more")
			}
			w, err := r.OpenAs(ctx, cli.Writing, func(c *backend.Config) {
				if keep != 0 {
					c.Ledger.Retention = time.Duration(keep).String()
				}
			})
			if err != nil {
				return err
			}
			w.Backend.OpenFleet(r.Env.Dir, w.Project, r.Env.Environ(), r.Env.World())
			return run(ctx, r, w.Backend)
		}),
	}
	c.Flags().Var(&keep, "retention", "seal events older than this into .binnacle/archive, a minute or more (default: config.toml's, else none)")
	return c
}

// run runs until ctx ends, which is how it is told to.
func run(ctx context.Context, r *cli.Run, b *backend.Backend) error {
	log := func(format string, args ...any) {
		_, _ = fmt.Fprintf(r.Env.Stderr, "%s %s\n", r.Env.Now().In(r.Env.Zone), fmt.Sprintf(format, args...))
	}
	b.Run(ctx)
	ready := false
	var before desk.Snapshot
	for s := range b.Snapshots(ctx) {
		if s.Duties != before.Duties {
			switch {
			case s.Duties.Held:
				log("holding the duties")
			case s.Duties.Holder != 0:
				log("process %d holds the duties; waiting", s.Duties.Holder)
			}
		}
		if !ready {
			ready = true
			notify(r.Env.Getenv("NOTIFY_SOCKET"), "READY=1")
		}
		for _, alarm := range s.Health {
			if !hasAlarm(before.Health, alarm) {
				log("%s: %s", alarm.Engine, clean.Line(alarm.Text))
			}
		}
		if v := s.Verified; v.State == desk.VerifyFailed && before.Verified.State != v.State {
			log("the chain is broken: %s", clean.Line(v.Finding))
		}
		before = s
		if s.Gone != "" {
			break
		}
	}
	if gone := b.Store.Health().Gone; gone != nil {
		notify(r.Env.Getenv("NOTIFY_SOCKET"), "STOPPING=1")
		return gone
	}
	log("ending")
	notify(r.Env.Getenv("NOTIFY_SOCKET"), "STOPPING=1")
	return nil
}

func hasAlarm(list []desk.Alarm, a desk.Alarm) bool {
	for _, x := range list {
		if x.Engine == a.Engine && x.Text == a.Text {
			return true
		}
	}
	return false
}

// notify tells systemd what it waits for; without a socket it does nothing.
func notify(socket, state string) {
	if socket == "" {
		return
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return // nobody listens: the service goes on all the same
	}
	defer func() { _ = c.Close() }()
	_, _ = c.Write([]byte(state))
}
