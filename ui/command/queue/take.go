package queue

import (
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/queue"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/directive"
	"binnacle/ui/command/cli"
)

// taken is a claim, as next --json shows it.
type taken struct {
	ID         int64              `json:"id"`
	Body       string             `json:"body"`
	ClaimToken string             `json:"claim_token"`
	LeaseUntil model.Time         `json:"lease_until"`
	Attempt    int64              `json:"attempt"`
	Priority   directive.Priority `json:"priority"`
	Lane       string             `json:"lane"`
	Parent     int64              `json:"parent,omitempty"`
	TakenBy    string             `json:"taken_by"`
	Seq        int64              `json:"seq"`
}

// consumer is who takes where no flag says it.
func consumer(r *cli.Run) string {
	for _, v := range []string{getenv(r, "CONSUMER"), r.Env.Getenv("BINNACLE_PRODUCER"), r.Env.Getenv("QUAY_PRODUCER")} {
		if v != "" {
			return v
		}
	}
	return "-"
}

func next(r *cli.Run) *cobra.Command {
	var n queue.Next
	var lease, wait cli.Span
	var stale staleAge
	var showID bool
	c := &cobra.Command{
		Use:   "next",
		Short: "Take the first directive of a lane and print its body",
		Long: "Take the first directive of a lane, atomically among any number of processes, and print its body. With\n" +
			"--json print body, id, claim_token, lease_until and attempt; keep the token: done, requeue, drop, defer,\n" +
			"touch and park need it. Exits with 3 when nothing is there, at once or after --wait.\n\n" +
			"A claim whose answer can't be written is given back at once; one whose process is killed before its answer\n" +
			"is out is given back by the next claim, or by reap. Neither counts as an attempt.",
		Example: "  binnacle queue next --json --consumer worker-a --lease 45m\n  binnacle queue next --lane release --wait 30s",
		Args: func(cmd *cobra.Command, args []string) error {
			// laneq takes the seconds after a space, too.
			if f := cmd.Flags().Lookup("reap-stale-seconds"); f.Changed && len(args) == 1 {
				if _, err := strconv.ParseUint(args[0], 10, 31); err == nil {
					return f.Value.Set(args[0])
				}
			}
			return cli.Takes()(cmd, args)
		},
	}
	f := c.Flags()
	f.BoolVar(&showID, "id", false, "print the id, to stderr")
	f.StringVar(&n.Consumer, "consumer", "", "who takes it (default: BINNACLE_CONSUMER, LANEQ_CONSUMER, BINNACLE_PRODUCER, else -)")
	f.Var(&lease, "lease", "how long the claim holds, e.g. 45m (default: LANEQ_LEASE_SECONDS, else config.toml, else 30m)")
	f.StringVar(&n.Lane, "lane", directive.DefaultLane, "the lane")
	f.Var(&wait, "wait", "wait this long for a directive, e.g. 30s")
	f.Var(&stale, "reap-stale-seconds", "first take back claims that are older than this many seconds")
	f.Lookup("reap-stale-seconds").NoOptDefVal = plainFlag
	laneCompletion(r, c)
	c.RunE = runsBare(r, func(ctx context.Context, _ []string) error {
		var err error
		if n.Lease, err = leaseLength(r, lease); err != nil {
			return err
		}
		switch f := c.Flags().Lookup("reap-stale-seconds"); {
		case f.Changed && !stale.plain:
			n.Stale = max(stale.age, queue.StaleAll)
		case f.Changed:
			if n.Stale, err = seconds(r, "REAP_STALE_SECONDS", queue.DefaultStale); err != nil {
				return err
			}
		}
		if n.Consumer == "" {
			n.Consumer = consumer(r)
		}
		w, err := r.Open(ctx, cli.Writing)
		if err != nil {
			return err
		}
		var claim queue.Claim
		n.Receipt = true
		if wait > 0 {
			claim, err = w.Queue.NextWait(ctx, n, time.Duration(wait))
		} else {
			claim, err = w.Queue.Next(ctx, n)
		}
		if err != nil {
			return nothing(r, err)
		}
		return deliver(ctx, r, w, &claim, showID)
	})
	return c
}

// deliver writes a claim out. One that can't be written is given back, for
// nobody has its token.
func deliver(ctx context.Context, r *cli.Run, w *cli.Workspace, claim *queue.Claim, showID bool) error {
	d := claim.Directive
	var err error
	if r.Asked {
		err = r.WriteJSON(taken{
			ID: d.ID, Body: d.Body, ClaimToken: claim.Token, LeaseUntil: d.LeaseUntil, Attempt: d.Attempt,
			Priority: d.Priority, Lane: d.Lane, Parent: d.Parent, TakenBy: d.TakenBy, Seq: claim.Seq,
		})
	} else {
		err = writeBody(r, d.Body)
	}
	if err == nil {
		if showID {
			_, _ = io.WriteString(r.Env.Stderr, "#"+cli.Itoa(d.ID)+"\n")
		}
		return claim.Delivered()
	}
	// The reader that went away ended ctx, too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackWithin)
	defer cancel()
	back, backErr := w.Queue.GiveBack(ctx, queue.Act{ID: d.ID, Token: claim.Token, By: d.TakenBy, Why: "its answer could not be written"})
	if backErr != nil {
		// Left behind, unlocked once this process ends: the next claim finds it.
		return model.Errorf(model.CodeInternal, "#%d was taken, and %s; it could not be given back either: %s", d.ID, cli.Unwritten(err), backErr.Error()).
			WithHint("binnacle queue reap --undelivered gives it back")
	}
	_ = claim.Delivered()
	return model.Errorf(model.CodeInternal, "#%d was given back, for %s", back.After.ID, cli.Unwritten(err)).
		WithHint("it is %s again, and the attempt does not count", back.After.Status)
}

// giveBackWithin bounds how long a claim that can't be delivered is tried to be
// given back.
const giveBackWithin = 30 * time.Second

// plainFlag is the value of a flag that was given without one.
const plainFlag = "as usual"

// staleAge is a span that may be left out where the flag is given.
type staleAge struct {
	age   time.Duration
	plain bool
}

func (s *staleAge) String() string {
	if s.plain || s.age == 0 {
		return ""
	}
	return s.age.String()
}

func (s *staleAge) Set(text string) error {
	if s.plain = text == plainFlag; s.plain {
		return nil
	}
	d, err := model.ParseDuration(text)
	s.age = d
	return err
}

func (*staleAge) Type() string { return "duration" }

// nothing keeps quiet about an empty lane, as laneq does: the exit status says
// it. Under --json the error is an object like any other.
func nothing(r *cli.Run, err error) error {
	r.Quiet = model.CodeOf(err) == model.CodeEmpty && !r.Asked
	return err
}

// writeBody prints a body: to a pipe byte for byte, to a terminal cleaned and
// with an end of line.
func writeBody(r *cli.Run, body string) error {
	if r.Env.Terminal(cli.Stdout) {
		body = clean.Text(body)
		if body == "" || body[len(body)-1] != '\n' {
			body += "\n"
		}
	}
	_, err := io.WriteString(r.Out, body)
	return err
}

func peek(r *cli.Run) *cobra.Command {
	var lane string
	var showID bool
	c := &cobra.Command{
		Use:   "peek",
		Short: "Print what next would take, without taking it",
		Long: "Print what next would take, without taking it: #ID [PRIORITY], with lane= and parent= where there are\n" +
			"any, and the body from the next line on. Exits with 3 when nothing is there.",
		Example: "  binnacle queue peek --lane release",
		Args:    cli.Takes(),
	}
	c.Flags().StringVar(&lane, "lane", directive.DefaultLane, "the lane")
	c.Flags().BoolVar(&showID, "id", false, "print the id, to stderr, too")
	laneCompletion(r, c)
	c.RunE = runsBare(r, func(ctx context.Context, _ []string) error {
		w, err := r.Open(ctx, cli.Reading)
		if err != nil {
			return err
		}
		it, err := w.Queue.Peek(ctx, lane)
		if err != nil {
			return nothing(r, err)
		}
		if r.Asked {
			return r.WriteJSON(it)
		}
		// laneq's two parts, in one write.
		head := "#" + cli.Itoa(it.ID) + " [" + standing(it.Directive) + "]\n"
		if showID {
			_, _ = io.WriteString(r.Env.Stderr, clean.Line("#"+cli.Itoa(it.ID))+"\n")
		}
		body := it.Body
		if r.Env.Terminal(cli.Stdout) {
			body = clean.Text(body)
		}
		if !strings.HasSuffix(body, "\n") {
			body += "\n"
		}
		_, err = io.WriteString(r.Out, head+body)
		return err
	})
	return c
}
