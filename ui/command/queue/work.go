package queue

import (
	"context"
	"io"
	"time"

	"github.com/spf13/cobra"

	"binnacle/backend/guard"
	"binnacle/backend/queue/work"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/directive"
	"binnacle/ui/command/cli"
)

// worked is a run, as --json shows it.
type worked struct {
	ID      int64        `json:"id"`
	Attempt int64        `json:"attempt"`
	Lane    string       `json:"lane"`
	Outcome work.Outcome `json:"outcome"`
	Why     string       `json:"why,omitempty"`
	Seconds float64      `json:"seconds,omitempty"`
	PID     int          `json:"pid,omitempty"`
}

// running is the outcome of a run that begins.
const running work.Outcome = "running"

func workers(r *cli.Run) *cobra.Command {
	o := work.Options{}
	lease, timeout := cli.Span(0), cli.Span(0)
	grace, retry := cli.Span(work.DefaultGrace), cli.Span(work.DefaultRetryAfter)
	c := &cobra.Command{
		Use:   "work COMMAND [ARGS…]",
		Short: "Take directives and run a command at each",
		Long: "Take directives, one after the other, and run the command at each, in a process group of its own: the body\n" +
			"is on its stdin (--arg puts it in place of {} instead), and BINNACLE_DIRECTIVE, BINNACLE_LANE,\n" +
			"BINNACLE_PRIORITY, BINNACLE_ATTEMPT, BINNACLE_CLAIM_TOKEN and BINNACLE_WORKSPACE are in its environment. Its\n" +
			"lease is renewed for as long as it runs. How it exits says what becomes of the directive:\n\n" +
			"  0      done, with the last lines of its output as evidence\n" +
			"  75     tried later: after --retry-after, twice as long each time, up to an hour\n" +
			"  78     parked, with its last line as the reason\n" +
			"  else   given back and counted; parked after max_attempts. So is one that runs past --timeout: it gets\n" +
			"         SIGTERM, and ten seconds later SIGKILL\n\n" +
			"The command may finish the directive itself, with its token. When the claim is lost (somebody dropped or\n" +
			"requeued it, or the lease ran out), the command is killed at once and nothing is written. ctrl+c or SIGTERM:\n" +
			"nothing more is claimed, what runs has --grace to end by itself, then gets SIGTERM, and what is unfinished is\n" +
			"given back without counting; a second one kills it at once. When the worker itself is killed its commands are,\n" +
			"too, and their directives come back when their leases end.\n\n" +
			"What it writes is in queue logs ID. Without --once or --drain it waits for work until it is told to stop, and\n" +
			"exits with 130 or 143 then. --once exits with 3 when nothing is there; --once and --drain exit with 1 when\n" +
			"something was not done.",
		Example: "  binnacle queue work -- claude -p\n" +
			"  binnacle queue work --lane release --parallel 4 --timeout 2h -- codex exec -\n" +
			"  binnacle queue work --drain --arg -- opencode run {}",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] == "" {
				return cli.Usage("no command is given").WithHint("binnacle queue work -- COMMAND ARGS…")
			}
			return nil
		},
	}
	f := c.Flags()
	f.SetInterspersed(false) // what follows the command is the command's
	f.StringArrayVar(&o.Lanes, "lane", []string{directive.DefaultLane}, "a lane; may be repeated, and an earlier one goes first")
	f.StringVar(&o.Consumer, "consumer", "", "who takes them (default: BINNACLE_CONSUMER, LANEQ_CONSUMER, BINNACLE_PRODUCER, else who you are)")
	f.Var(&lease, "lease", "how long a claim holds without being renewed (default: LANEQ_LEASE_SECONDS, else 10m)")
	f.IntVar(&o.Parallel, "parallel", 1, "how many commands run at once")
	f.BoolVar(&o.Once, "once", false, "take one directive, and don't wait for it")
	f.BoolVar(&o.Drain, "drain", false, "end when the lanes have nothing to give")
	f.Var(&timeout, "timeout", "how long a command may run, e.g. 2h")
	f.Var(&grace, "grace", "how long commands run on when the worker is told to stop")
	f.Var(&retry, "retry-after", "how long a directive rests whose command exits with 75, the first time")
	f.BoolVar(&o.Arg, "arg", false, "put the body in place of {} in the command's arguments, not on its stdin")
	c.MarkFlagsMutuallyExclusive("once", "drain")
	laneCompletion(r, c)
	c.RunE = runs(r, func(ctx context.Context, args []string) error {
		var err error
		if o.Lease, err = leaseLength(r, lease); err != nil {
			return err
		}
		o.Timeout, o.Grace, o.RetryAfter, o.Command = time.Duration(timeout), time.Duration(grace), time.Duration(retry), args
		if o.Parallel < 1 {
			return cli.Usage("--parallel is 0, and begins with 1")
		}
		w, err := r.Open(ctx, cli.Writing)
		if err != nil {
			return err
		}
		if o.Consumer == "" {
			if o.Consumer = consumer(r); o.Consumer == "-" {
				o.Consumer = w.Producer
			}
		}
		return workOn(ctx, r, w, o)
	})
	return c
}

// workOn runs the worker and says how it went.
func workOn(ctx context.Context, r *cli.Run, w *cli.Workspace, o work.Options) error {
	o.Queue, o.Store, o.Dir, o.Project, o.Redactor = w.Queue, w.Backend.Store, w.Paths.Dir(), w.Project, w.Backend.Redactor()
	o.Clock, o.WorkDir, o.Environ = r.Env.Clock, r.Env.Dir, r.Env.Environ()
	o.Tell = func(x work.Report) { _ = tellRun(r, x) } // a stdout that is gone ends ctx
	o.Warn = func(text string) { _, _ = io.WriteString(r.Env.Stderr, "binnacle: "+clean.Line(text)+"\n") }
	worker, err := work.New(o)
	if err != nil {
		return err
	}
	now, stop := secondSignal(ctx, r)
	err = worker.Run(ctx, now)
	stop()
	if model.CodeOf(err) == model.CodeEmpty && err != nil {
		if o.Drain {
			return nil
		}
		return nothing(r, err)
	}
	if err != nil || !o.Once && !o.Drain {
		return err
	}
	all, good := int64(0), int64(0)
	for outcome, n := range worker.Counts() {
		all += n
		if outcome == work.Done || outcome == work.Finished {
			good += n
		}
	}
	if good < all {
		return model.Errorf(model.CodeRefused, "%d of %d runs did not end with their directive done", all-good, all).
			WithHint("binnacle queue logs ID shows what a command wrote, binnacle queue show ID what became of the directive")
	}
	return nil
}

// secondSignal is closed by the signal that comes after the one that ended ctx.
func secondSignal(ctx context.Context, r *cli.Run) (now <-chan struct{}, stop func()) {
	again, done := make(chan struct{}), make(chan struct{})
	if r.Env.Signals == nil {
		return again, func() {}
	}
	var g guard.Group
	g.Go("second signal", func() {
		select {
		case <-ctx.Done():
		case <-done:
			return
		}
		signals, stopSignals := r.Env.Signals()
		defer stopSignals()
		select {
		case <-signals:
			close(again)
		case <-done:
		}
	})
	return again, func() { close(done); g.Wait() }
}

func tellRun(r *cli.Run, x work.Report) error {
	if r.JSON {
		out := worked{x.ID, x.Attempt, x.Lane, x.Outcome, x.Why, x.Took.Seconds(), x.PID}
		if out.Outcome == "" {
			out.Outcome = running
		}
		return r.WriteJSON(out)
	}
	if x.Outcome == "" {
		return r.Say("#" + cli.Itoa(x.ID) + " runs, attempt " + cli.Itoa(x.Attempt) + ", process " + cli.Itoa(int64(x.PID)))
	}
	return r.Say("#" + cli.Itoa(x.ID) + " " + inWords(x.Outcome) + ": " + x.Why)
}

// inWords says an outcome as people do.
func inWords(o work.Outcome) string {
	switch o {
	case work.Later:
		return "will be tried later"
	case work.Failed:
		return "failed and was given back"
	case work.Returned:
		return "was given back, uncounted"
	case work.Finished:
		return "was finished by its command"
	case work.Lost:
		return "was lost"
	}
	return "is " + string(o)
}
