package command

import (
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/queue"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/directive"
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
func (a *app) consumer() string {
	for _, v := range []string{a.getenv("CONSUMER"), a.env.Getenv("BINNACLE_PRODUCER"), a.env.Getenv("QUAY_PRODUCER")} {
		if v != "" {
			return v
		}
	}
	return "-"
}

func (a *app) queueNext() *cobra.Command {
	var n queue.Next
	var lease, wait span
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
			return takes()(cmd, args)
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
	a.laneCompletion(c)
	c.RunE = a.runs(func(ctx context.Context, _ []string) error {
		var err error
		if n.Lease, err = a.lease(lease); err != nil {
			return err
		}
		switch f := c.Flags().Lookup("reap-stale-seconds"); {
		case f.Changed && !stale.plain:
			n.Stale = max(stale.age, queue.StaleAll)
		case f.Changed:
			if n.Stale, err = a.seconds("REAP_STALE_SECONDS", queue.DefaultStale); err != nil {
				return err
			}
		}
		if n.Consumer == "" {
			n.Consumer = a.consumer()
		}
		w, err := a.open(ctx, writing)
		if err != nil {
			return err
		}
		var claim queue.Claim
		n.Receipt = true
		if wait > 0 {
			claim, err = w.queue.NextWait(ctx, n, time.Duration(wait))
		} else {
			claim, err = w.queue.Next(ctx, n)
		}
		if err != nil {
			return a.nothing(err)
		}
		return a.deliver(ctx, w, &claim, showID)
	})
	return c
}

// deliver writes a claim out. One that can't be written is given back, for
// nobody has its token.
func (a *app) deliver(ctx context.Context, w *workspace, claim *queue.Claim, showID bool) error {
	d := claim.Directive
	var err error
	if a.asked {
		err = a.writeJSON(taken{
			ID: d.ID, Body: d.Body, ClaimToken: claim.Token, LeaseUntil: d.LeaseUntil, Attempt: d.Attempt,
			Priority: d.Priority, Lane: d.Lane, Parent: d.Parent, TakenBy: d.TakenBy, Seq: claim.Seq,
		})
	} else {
		err = a.writeBody(d.Body)
	}
	if err == nil {
		if showID {
			_, _ = io.WriteString(a.env.Stderr, "#"+itoa(d.ID)+"\n")
		}
		return claim.Delivered()
	}
	// The reader that went away ended ctx, too.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), giveBackWithin)
	defer cancel()
	back, backErr := w.queue.GiveBack(ctx, queue.Act{ID: d.ID, Token: claim.Token, By: d.TakenBy, Why: "its answer could not be written"})
	if backErr != nil {
		// Left behind, unlocked once this process ends: the next claim finds it.
		return model.Errorf(model.CodeInternal, "#%d was taken, and %s; it could not be given back either: %s", d.ID, unwritten(err), backErr.Error()).
			WithHint("binnacle queue reap --undelivered gives it back")
	}
	_ = claim.Delivered()
	return model.Errorf(model.CodeInternal, "#%d was given back, for %s", back.After.ID, unwritten(err)).
		WithHint("it is %s again, and the attempt does not count", back.After.Status)
}

// giveBackWithin bounds how long a claim that can't be delivered is tried to be
// given back.
const giveBackWithin = 30 * time.Second

// unwritten says why an answer did not come out.
func unwritten(err error) string {
	if errors.Is(err, errClosedPipe) {
		return "nobody reads the answer"
	}
	return err.Error()
}

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
func (a *app) nothing(err error) error {
	a.quiet = model.CodeOf(err) == model.CodeEmpty && !a.asked
	return err
}

// writeBody prints a body: to a pipe byte for byte, to a terminal cleaned and
// with an end of line.
func (a *app) writeBody(body string) error {
	if a.env.IsTerminal != nil && a.env.IsTerminal(Stdout) {
		body = clean.Text(body)
		if body == "" || body[len(body)-1] != '\n' {
			body += "\n"
		}
	}
	_, err := io.WriteString(a.out, body)
	return err
}

func (a *app) queuePeek() *cobra.Command {
	var lane string
	var showID bool
	c := &cobra.Command{
		Use:   "peek",
		Short: "Print what next would take, without taking it",
		Long: "Print what next would take, without taking it: #ID [PRIORITY], with lane= and parent= where there are\n" +
			"any, and the body from the next line on. Exits with 3 when nothing is there.",
		Example: "  binnacle queue peek --lane release",
		Args:    takes(),
	}
	c.Flags().StringVar(&lane, "lane", directive.DefaultLane, "the lane")
	c.Flags().BoolVar(&showID, "id", false, "print the id, to stderr, too")
	a.laneCompletion(c)
	c.RunE = a.runs(func(ctx context.Context, _ []string) error {
		w, err := a.open(ctx, reading)
		if err != nil {
			return err
		}
		it, err := w.queue.Peek(ctx, lane)
		if err != nil {
			return a.nothing(err)
		}
		if a.asked {
			return a.writeJSON(it)
		}
		// laneq's two parts, in one write.
		head := "#" + itoa(it.ID) + " [" + standing(it.Directive) + "]\n"
		if showID {
			_, _ = io.WriteString(a.env.Stderr, clean.Line("#"+itoa(it.ID))+"\n")
		}
		body := it.Body
		if a.env.IsTerminal != nil && a.env.IsTerminal(Stdout) {
			body = clean.Text(body)
		}
		if !strings.HasSuffix(body, "\n") {
			body += "\n"
		}
		_, err = io.WriteString(a.out, head+body)
		return err
	})
	return c
}
