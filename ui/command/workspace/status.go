package workspace

import (
	"context"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend"
	"binnacle/backend/ledger"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/ui/command/cli"
)

// statusAnswer is status as JSON shows it.
type statusAnswer struct {
	Workspace string `json:"workspace"`
	ledger.Status
	Retention desk.Retention `json:"retention,omitzero"`
	Verified  *backend.Walk  `json:"verified,omitempty"` // by a cockpit or a server, in the background
}

func status(r *cli.Run) *cobra.Command {
	return &cobra.Command{
		Use:     "status",
		Short:   "Print the counts and the newest event; costs the same however long the ledger is",
		Example: "  binnacle ledger status\n  binnacle ledger status | jq .planes.signal",
		Args:    cli.Takes(),
		RunE: r.Runs(func(ctx context.Context, _ []string) error {
			w, err := r.Open(ctx, cli.Reading)
			if err != nil {
				return err
			}
			s, err := w.Ledger.Status(ctx)
			if err != nil {
				return err
			}
			// Opened for reading only, whatever the file is: not worth a word.
			s.ReadOnly = false
			kept, late, err := w.Backend.Retention(ctx)
			if err != nil {
				return err
			}
			s.Alarms = append(s.Alarms, late...)
			return r.Answer(statusAnswer{w.Project, s, kept, w.Backend.LastWalk()}, func() error { return showStatus(r, w, s, kept) })
		}),
	}
}

func showStatus(r *cli.Run, w *cli.Workspace, s ledger.Status, kept desk.Retention) error {
	head := "none yet"
	if s.Head.Seq > 0 {
		head = "#" + cli.Itoa(s.Head.Seq) + " at " + s.Head.TS.In(r.Env.Zone) + ", " + s.Head.Hash[:12]
	}
	lines := []string{
		"workspace", w.Project,
		"newest", head,
		"cursor", s.Cursor,
		"record", plane(s.Counts, model.PlaneRecord, false),
		"signal", plane(s.Counts, model.PlaneSignal, true),
		"work", plane(s.Counts, model.PlaneWork, true),
		"queue", queuePlane(s.Counts),
		"size", size(s.DBBytes) + ", write-ahead log " + size(s.WALBytes),
	}
	switch v := w.Backend.LastWalk(); {
	case v == nil:
	case v.State == desk.VerifyFailed:
		lines = append(lines, "verified", "NOT GOOD, by a cockpit or server: "+clean.Line(v.Finding))
	default:
		lines = append(lines, "verified", "to #"+cli.Itoa(v.Seq)+" by a cockpit or server; all of it last read "+model.Age(r.Env.Now().Sub(v.Whole))+" ago")
	}
	if kept != (desk.Retention{}) {
		lines = append(lines, "kept", retention(r, kept))
	}
	for _, alarm := range s.Alarms {
		lines = append(lines, "alarm", alarm)
	}
	return r.Fields(lines...)
}

// retention says for how long events are kept, what is the oldest, and what was
// sealed away.
func retention(r *cli.Run, kept desk.Retention) string {
	var out []string
	if kept.Keep > 0 {
		out = append(out, "for "+model.Age(time.Duration(kept.Keep)*time.Second))
	}
	if kept.Oldest > 0 {
		out = append(out, "the oldest event is of "+kept.Oldest.In(r.Env.Zone))
	}
	if kept.Segments > 0 {
		out = append(out, cli.Number(kept.Sealed)+" before it are sealed in "+size(kept.Bytes))
	}
	return strings.Join(out, "; ")
}

// plane lists a plane's counts: the total always, others where they are not 0,
// or all of them.
func plane(c model.Counts, name string, all bool) string {
	var out []string
	for _, n := range c.Names(name) {
		if v := c.Get(name, n); v != 0 || all || n == "total" {
			out = append(out, n+" "+cli.Number(v))
		}
	}
	return strings.Join(out, "  ")
}

// queuePlane sums the queue's counts by status; status says which lane has
// what.
func queuePlane(c model.Counts) string {
	sum := map[string]int64{}
	for _, n := range c.Names(model.PlaneQueue) {
		sum[n[strings.LastIndexByte(n, '/')+1:]] += c.Get(model.PlaneQueue, n)
	}
	var out []string
	for _, status := range directive.Machine().States() {
		if sum[status] != 0 {
			out = append(out, status+" "+cli.Number(sum[status]))
		}
	}
	if len(out) == 0 {
		return "empty"
	}
	return strings.Join(out, "  ")
}

// size writes bytes as people read them.
func size(n int64) string {
	const unit = 1024
	switch {
	case n < unit:
		return cli.Itoa(n) + " B"
	case n < unit*unit:
		return cli.Itoa(n/unit) + " KiB"
	case n < unit*unit*unit:
		return cli.Itoa(n/unit/unit) + " MiB"
	}
	return cli.Itoa(n/unit/unit/unit) + "." + cli.Itoa(n/unit/unit%unit*10/unit) + " GiB"
}
