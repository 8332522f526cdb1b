package work

import (
	"context"
	"errors"
	"syscall"
	"time"

	"binnacle/backend/guard"
	"binnacle/backend/queue"
	"binnacle/backend/wake"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/directive"
	"binnacle/model/redact"
)

// run is one command at one directive.
type run struct {
	w     *Worker
	claim queue.Claim
	began time.Time
	ends  time.Time           // of the lease, on the clock that nobody can set
	end   chan queue.Standing // what became of the claim, once it is no longer held

	child    *child
	why      ending
	finished bool   // by the command itself
	lost     string // why the claim is lost, in words
	renewed  chan renewal
}

// renewal is what came of renewing a lease.
type renewal struct {
	claim directive.Directive
	err   error
}

func (w *Worker) newRun(c queue.Claim) *run {
	r := &run{w: w, claim: c, began: time.Now(), end: make(chan queue.Standing, 1), renewed: make(chan renewal, 1)}
	r.ends = r.endOf(c.Directive)
	return r
}

// endOf is when the lease of the claim ends, on the clock that nobody can set.
func (r *run) endOf(d directive.Directive) time.Time {
	return time.Now().Add(d.Term().Left(r.w.o.Clock()))
}

// learn hands over what became of the claim; only the first word counts.
func (r *run) learn(s queue.Standing) {
	select {
	case r.end <- s:
	default:
	}
}

// do runs the command at a claim and settles it.
func (w *Worker) do(ctx context.Context, c queue.Claim) {
	d := c.Directive
	r := w.newRun(c)
	var err error
	r.child, err = w.start(d, c.Token)
	if err != nil {
		r.notStarted(err)
		return
	}
	w.tell(Report{ID: d.ID, Attempt: d.Attempt, Lane: d.Lane, PID: r.child.pid})
	w.roster.begin(d, r.child.pid)
	w.watch.add(r)
	status := r.await(ctx)
	w.watch.remove(r)
	took := time.Since(r.began)
	bytes := r.child.close()
	r.settle(status, took)
	w.swept(bytes)
}

// await waits for the command, keeps its lease, and ends it when it has to.
func (r *run) await(ctx context.Context) syscall.WaitStatus {
	o := r.w.o
	beat := time.NewTimer(o.Lease / 3)
	defer beat.Stop()
	lapse := time.NewTimer(time.Until(r.ends))
	defer lapse.Stop()
	var timeout, kill, grace <-chan time.Time
	if o.Timeout > 0 {
		t := time.NewTimer(o.Timeout)
		defer t.Stop()
		timeout = t.C
	}
	term := func(why ending) <-chan time.Time {
		if r.why == byItself {
			r.why = why
		}
		r.child.signal(syscall.SIGTERM)
		return time.After(o.Term)
	}
	told, now := ctx.Done(), r.w.now
	for {
		select {
		case status := <-r.child.done:
			return status
		case s := <-r.end:
			beat.Stop()
			lapse.Stop()
			if r.finished = s.Own; !s.Own {
				r.lose(s)
			}
		case <-beat.C:
			r.renew()
		case got := <-r.renewed:
			if r.finished || r.why == claimLost {
				continue
			}
			beat.Reset(r.takeIn(got))
			lapse.Reset(time.Until(r.ends))
		case <-lapse.C:
			r.lose(queue.Standing{Action: "lapse"})
		case <-timeout:
			timeout = nil
			kill = term(tooLong)
		case <-told:
			told = nil
			grace = time.After(o.Grace)
		case <-grace:
			kill = term(stopping)
		case <-now:
			now = nil
			if r.why == byItself {
				r.why = stopping
			}
			r.child.signal(syscall.SIGKILL)
		case <-kill:
			r.child.signal(syscall.SIGKILL)
		}
	}
}

// lose ends the command at once: somebody else may be at the directive already.
func (r *run) lose(s queue.Standing) {
	r.why = claimLost
	switch {
	case s.Action == "gone":
		r.lost = "the workspace is gone"
		r.w.fail(r.w.o.Store.Health().Gone)
	case s.Action == "lapse":
		r.lost = "its lease ran out"
	case s.Action == "":
		r.lost = "its claim is not in the ledger any more"
	case s.By != "":
		r.lost = "it was " + model.Past(s.Action) + " by " + clean.Line(s.By)
	default:
		r.lost = "it was " + model.Past(s.Action)
	}
	r.child.signal(syscall.SIGKILL)
}

// renew asks for the lease to go on, beside the waiting: a database that is slow
// keeps no command from ending.
func (r *run) renew() {
	guard.Go("queue lease", func() {
		ctx, stop := context.WithDeadline(context.Background(), r.ends)
		defer stop()
		c, err := r.w.o.Queue.Touch(ctx, queue.Act{ID: r.claim.Directive.ID, Token: r.claim.Token}, r.w.o.Lease)
		r.renewed <- renewal{c.After, err}
	})
}

// takeIn takes in what came of renewing, and says when to do it again.
func (r *run) takeIn(got renewal) time.Duration {
	lease := r.w.o.Lease
	if got.err == nil {
		r.ends = r.endOf(got.claim)
		return lease / 3
	}
	if code := model.CodeOf(got.err); code == model.CodeToken || code == model.CodeNotFound {
		// The watch says what became of it, if it was not quicker.
		s, err := r.w.o.Queue.Standing(context.Background(), r.claim)
		if err == nil && s[0].Held {
			s[0] = queue.Standing{Action: "lapse"} // refused under its own token: too late
		}
		if err == nil {
			r.learn(s[0])
		}
		return lease
	}
	r.w.o.Warn("the lease of #" + directive.Key(r.claim.Directive.ID) + " could not be renewed: " + got.err.Error())
	return min(lease/10, 5*time.Second)
}

// notStarted gives back what no command could be started for. Where the body
// itself is the reason, nobody can do it; else this worker can do none.
func (r *run) notStarted(err error) {
	d := r.claim.Directive
	if errors.Is(err, errBody) || errors.Is(err, syscall.E2BIG) {
		why := "its body can't be an argument of a command: " + err.Error()
		r.report(r.write(Parked, why), why, 0)
		return
	}
	r.w.fail(noProgram(r.w.o.Command[0], err).WithHint("#%d was given back, and nothing more is claimed", d.ID))
	r.report(r.write(Returned, "the worker could not run its command"), err.Error(), 0)
}

// settle writes what becomes of the claim.
func (r *run) settle(status syscall.WaitStatus, took time.Duration) {
	how := ended(status, took)
	out := decide(r.why, status.ExitStatus())
	why := evidence(how, r.child.out.tail)
	switch {
	case r.finished:
		out = Finished
	case out == Lost:
		how = r.lost
	case out == Returned:
		why, how = "the worker was told to stop", "the worker was told to stop"
	case r.why == tooLong:
		how = "past its timeout of " + r.w.o.Timeout.String() + ": " + how
		why = evidence(how, r.child.out.tail)
	case out == Parked:
		if last := lastLines(r.child.out.tail, 1, evidenceBytes); last != "" {
			why = last
		}
	}
	if out != Finished && out != Lost {
		out = r.write(out, why)
		if out == Lost && r.lost != "" {
			how = r.lost
		}
	}
	r.report(out, how, took)
}

func (r *run) report(out Outcome, how string, took time.Duration) {
	d := r.claim.Directive
	pid := 0
	if r.child != nil {
		pid = r.child.pid
	}
	r.w.roster.end(d.ID, out)
	r.w.tell(Report{ID: d.ID, Attempt: d.Attempt, Lane: d.Lane, Outcome: out, Why: how, Took: took, PID: pid})
}

// write takes the step of the outcome, again and again for as long as the claim
// holds: a full disk or a busy database must not turn what was done into what is
// done twice. It returns what became of the claim.
func (r *run) write(out Outcome, why string) Outcome {
	ctx, stop := context.WithDeadline(context.Background(), r.ends)
	defer stop()
	for pause := 50 * time.Millisecond; ; pause = min(2*pause, 5*time.Second) {
		c, err := r.step(ctx, out, why)
		if err == nil {
			if c.After.Status == directive.StatusParked {
				return Parked
			}
			return out
		}
		code := model.CodeOf(err)
		switch {
		case code == model.CodeToken, code == model.CodeNotFound:
			return r.whatElse()
		case code == model.CodeGone:
			r.lost = "the workspace is gone"
			r.w.fail(err)
			return Lost
		}
		r.w.o.Warn("#" + directive.Key(r.claim.Directive.ID) + " is " + string(out) + ", which can't be written for now: " + err.Error())
		select {
		case <-r.w.now:
			r.lost = "it could not be written: " + err.Error()
			return Lost
		default:
		}
		if !wake.Sleep(ctx, pause) {
			r.lost = "its lease ran out before it could be written: " + err.Error()
			return Lost
		}
	}
}

func (r *run) step(ctx context.Context, out Outcome, why string) (queue.Change, error) {
	q := r.w.o.Queue
	a := queue.Act{ID: r.claim.Directive.ID, Token: r.claim.Token, Why: why, Secrets: redact.SecretsRedact}
	switch out {
	case Done:
		return q.Done(ctx, a)
	case Later:
		if rest := r.w.restFor(r.claim.Directive.Attempt); rest > 0 {
			return q.Defer(ctx, a, queue.Deferral{For: rest})
		}
		return q.Requeue(ctx, a)
	case Parked:
		return q.Park(ctx, a)
	case Returned:
		return q.GiveBack(ctx, a)
	}
	return q.Fail(ctx, a)
}

// whatElse is what became of a claim whose token is refused.
func (r *run) whatElse() Outcome {
	s, err := r.w.o.Queue.Standing(context.Background(), r.claim)
	if err == nil && s[0].Own {
		return Finished
	}
	r.lost = "its claim was lost before it could be written"
	if err == nil && s[0].Held {
		r.lost = "its lease ran out"
	}
	return Lost
}

// giveBack ends a claim that no command was started for.
func (w *Worker) giveBack(c queue.Claim, why string) {
	r := w.newRun(c)
	r.report(r.write(Returned, why), why, 0)
}

// errBody says that a body can't be an argument.
var errBody = errors.New("it holds a NUL")
