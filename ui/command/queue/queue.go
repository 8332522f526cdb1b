// Package queue is the commands over directives, laneq's place.
package queue

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/queue"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/directive"
	"binnacle/model/filter"
	"binnacle/ui/command/cli"
)

// Command is laneq's place: its verbs, its options, its texts and its exit
// statuses.
func Command(r *cli.Run) *cobra.Command {
	return r.Group("queue", "Directives in lanes, claimed under leases",
		"The queue of directives. next takes exactly one under a lease and a token; only that claim's token may\n"+
			"finish it. alias laneq='binnacle queue' serves scripts that were written for laneq; LANEQ_LEASE_SECONDS,\n"+
			"LANEQ_CONSUMER and LANEQ_REAP_STALE_SECONDS are read beside their BINNACLE_ names.\n\n"+
			"next prints the body itself and peek the head and the body, also to a pipe; both exit with 3 when nothing is\n"+
			"there. A refusal exits with 1, what can't be read with 2. LANEQ_DB names another queue, so it is refused.",
		push(r), next(r), peek(r), show(r), list(r), reprioritize(r),
		step(r, "done", "Finish a claim", (*queue.Queue).Done),
		step(r, "requeue", "Hand a claim back", (*queue.Queue).Requeue),
		step(r, "drop", "End a directive that will not be done", (*queue.Queue).Drop),
		step(r, "park", "Set a directive aside until somebody unparks it", (*queue.Queue).Park),
		unpark(r), deferral(r), touch(r), threadStatus(r), reap(r), stats(r),
		why(r), workers(r), logs(r), migrate(r), bringOver(r),
	)
}

// leaseLength is the length that --lease asks for, else what the environment says;
// 0 leaves it to config.toml.
func leaseLength(r *cli.Run, flag cli.Span) (time.Duration, error) {
	if flag != 0 {
		return time.Duration(flag), nil
	}
	return seconds(r, "LEASE_SECONDS", 0)
}

// id reads a directive's id; a leading # is forgiven. There is no #0, as the
// queue says.
func id(arg string) (int64, error) {
	n, err := strconv.ParseInt(strings.TrimPrefix(arg, "#"), 10, 64)
	if err != nil || n < 0 {
		return 0, cli.Usage("%q is not a directive's id", clean.Line(arg))
	}
	return n, nil
}

// ids reads ids, each flag being one or several with commas or spaces.
func ids(flags []string) ([]int64, error) {
	var out []int64
	for _, f := range flags {
		for _, word := range strings.FieldsFunc(f, func(r rune) bool { return r == ',' || r == ' ' }) {
			n, err := id(word)
			if err != nil {
				return nil, cli.Usage("invalid dependency id: %s", clean.Line(word))
			}
			out = append(out, n)
		}
	}
	return out, nil
}

// changed is what an act did, as --json shows it.
type changed struct {
	directive.Directive
	Action   string  `json:"action"`
	Seq      int64   `json:"seq"`
	Forced   bool    `json:"forced,omitempty"`
	Promoted []int64 `json:"promoted,omitempty"`
	Already  bool    `json:"already,omitempty"`
}

func answerChange(r *cli.Run, c queue.Change, text string) error {
	if c.Already {
		text = "#" + cli.Itoa(c.After.ID) + " was " + model.Past(c.Action) + " already, by this claim"
	}
	r.Wrote("#" + cli.Itoa(c.After.ID) + " is " + c.After.Status)
	return r.Answer(changed{c.After, c.Action, c.Seq, c.Forced, c.Promoted, c.Already}, func() error { return r.Say(text) })
}

// readTime reads a flag's instant; one that can't be read is a mistake of
// usage.
func readTime(flag, text string) (model.Time, error) {
	t, err := model.ParseTime(text)
	if err != nil {
		return 0, cli.Usage("%s: %s", flag, err).WithHint("%s", model.HintOf(err))
	}
	return t, nil
}

// laneCompletion completes --lane.
func laneCompletion(r *cli.Run, c *cobra.Command) {
	_ = c.RegisterFlagCompletionFunc("lane", func(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return r.Complete(cmd, func(ctx context.Context, w *cli.Workspace) []string {
			return w.Backend.Values(ctx, string(filter.FieldLane))
		})
	})
}
