package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"binnacle/backend"
	"binnacle/backend/ledger"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/model/directive"
)

// statusAnswer is status as JSON shows it.
type statusAnswer struct {
	Workspace string `json:"workspace"`
	ledger.Status
	Verified *backend.Walk `json:"verified,omitempty"` // by a cockpit or a server, in the background
}

func (a *app) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "status",
		Short:   "Print the counts and the newest event; costs the same however long the ledger is",
		Example: "  binnacle ledger status\n  binnacle ledger status | jq .planes.signal",
		Args:    takes(),
		RunE: a.runs(func(ctx context.Context, _ []string) error {
			w, err := a.open(ctx, reading)
			if err != nil {
				return err
			}
			s, err := w.ledger.Status(ctx)
			if err != nil {
				return err
			}
			// Opened for reading only, whatever the file is: not worth a word.
			s.ReadOnly = false
			return a.answer(statusAnswer{w.project, s, w.backend.LastWalk()}, func() error { return a.showStatus(w, s) })
		}),
	}
}

func (a *app) showStatus(w *workspace, s ledger.Status) error {
	head := "none yet"
	if s.Head.Seq > 0 {
		head = "#" + itoa(s.Head.Seq) + " at " + s.Head.TS.In(a.env.Zone) + ", " + s.Head.Hash[:12]
	}
	lines := []string{
		"workspace", w.project,
		"newest", head,
		"cursor", s.Cursor,
		"record", plane(s.Counts, model.PlaneRecord, false),
		"signal", plane(s.Counts, model.PlaneSignal, true),
		"work", plane(s.Counts, model.PlaneWork, true),
		"queue", queuePlane(s.Counts),
		"size", size(s.DBBytes) + ", write-ahead log " + size(s.WALBytes),
	}
	switch v := w.backend.LastWalk(); {
	case v == nil:
	case v.State == desk.VerifyFailed:
		lines = append(lines, "verified", "NOT GOOD, by a cockpit or server: "+clean.Line(v.Finding))
	default:
		lines = append(lines, "verified", "to #"+itoa(v.Seq)+" by a cockpit or server; all of it last read "+model.Age(a.env.Now().Sub(v.Whole))+" ago")
	}
	for _, alarm := range s.Alarms {
		lines = append(lines, "alarm", alarm)
	}
	return a.fields(lines...)
}

// plane lists a plane's counts: the total always, others where they are not 0,
// or all of them.
func plane(c model.Counts, name string, all bool) string {
	var out []string
	for _, n := range c.Names(name) {
		if v := c.Get(name, n); v != 0 || all || n == "total" {
			out = append(out, n+" "+number(v))
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
			out = append(out, status+" "+number(sum[status]))
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
		return itoa(n) + " B"
	case n < unit*unit:
		return itoa(n/unit) + " KiB"
	case n < unit*unit*unit:
		return itoa(n/unit/unit) + " MiB"
	}
	return itoa(n/unit/unit/unit) + "." + itoa(n/unit/unit%unit*10/unit) + " GiB"
}
