package work

import (
	"context"
	"errors"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"binnacle/backend/guard"
	"binnacle/backend/queue"
	"binnacle/backend/store"
	"binnacle/backend/wake"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/directive"
	"binnacle/model/redact"
)

// Defaults and bounds of Options.
const (
	DefaultLease      = 10 * time.Minute
	DefaultGrace      = 10 * time.Second
	DefaultRetryAfter = 30 * time.Second
	DefaultTerm       = 10 * time.Second
	MinLease          = time.Second // below it, a third is too short to renew in
	MaxParallel       = 256
)

// Options say what a worker does. Queue, Store, Dir and Command must be set.
type Options struct {
	Queue    *queue.Queue
	Store    store.Store
	Dir      string   // the workspace's folder, for logs and for what is seen of the worker
	Project  string   // BINNACLE_WORKSPACE of the commands
	Lanes    []string // an earlier one goes first; none is the default lane
	Consumer string
	Clock    model.Clock   // of leases, the queue's
	Lease    time.Duration // 0 is DefaultLease
	Parallel int           // commands at once; 0 is 1
	Once     bool          // one directive, and no waiting for it
	Drain    bool          // until the lanes have nothing to give
	Timeout  time.Duration // of a command; 0 is none
	Grace    time.Duration // that commands run on when the worker is told to stop
	Term     time.Duration // between SIGTERM and SIGKILL; 0 is DefaultTerm
	// RetryAfter is how long a directive rests whose command asked for it, the
	// first time; see later.
	RetryAfter time.Duration
	Arg        bool // the body stands in place of {} in Command, not on stdin
	Command    []string
	WorkDir    string   // where commands run
	Environ    []string // what commands find beside their own variables
	Redactor   *redact.Redactor
	Random     *rand.Rand   // of RetryAfter; nil: seeded by the system
	Tell       func(Report) // hears of each run, one at a time; nil: nobody
	Warn       func(string) // hears of what goes wrong and may go right again; nil: nobody
}

// Report tells of a run.
type Report struct {
	ID      int64
	Attempt int64
	Lane    string
	Outcome Outcome // "" when it begins
	Why     string  // how the command ended, in words; its output is not in it
	Took    time.Duration
	PID     int // of the command; 0 where it did not start
}

// Worker does directives.
type Worker struct {
	o        Options
	runs     Runs
	program  string // Command[0], found
	guardian *guardian
	watch    *watch
	roster   *roster
	now      <-chan struct{} // closed: end at once

	mu     sync.Mutex
	counts map[Outcome]int64
	fatal  error
	wrote  int64 // bytes of logs since they were last swept
	ran    int   // runs since then
	stop   context.CancelCauseFunc
}

// New checks what is asked for, before anything is claimed.
func New(o Options) (*Worker, error) {
	if o.Lease == 0 {
		o.Lease = DefaultLease
	}
	if o.Term == 0 {
		o.Term = DefaultTerm
	}
	if o.Parallel == 0 {
		o.Parallel = 1
	}
	if o.Random == nil {
		o.Random = rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64()))
	}
	if o.Tell == nil {
		o.Tell = func(Report) {}
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if len(o.Lanes) == 0 {
		o.Lanes = []string{directive.DefaultLane}
	}
	switch {
	case len(o.Command) == 0:
		return nil, model.Errorf(model.CodeUsage, "no command is given").WithHint("binnacle queue work -- COMMAND ARGS…")
	case o.Lease < MinLease || o.Lease > queue.MaxLease:
		return nil, model.Errorf(model.CodeUsage, "a lease of %s is out of range", o.Lease).WithHint("leases last from one second to 30 days, e.g. 10m")
	case o.Parallel < 1 || o.Parallel > MaxParallel:
		return nil, model.Errorf(model.CodeUsage, "%d commands at once is out of range", o.Parallel).WithHint("from 1 to %d", MaxParallel)
	case o.Arg && !slices.ContainsFunc(o.Command[1:], hasPlace):
		return nil, model.Errorf(model.CodeUsage, "no argument of the command has {} for the body").WithHint("binnacle queue work --arg -- COMMAND {}")
	}
	program, err := exec.LookPath(o.Command[0])
	if err != nil {
		return nil, noProgram(o.Command[0], err).WithHint("nothing was claimed")
	}
	return &Worker{o: o, runs: RunsFolder(o.Dir), program: program, counts: map[Outcome]int64{}}, nil
}

// noProgram says why a program can't be run.
func noProgram(name string, err error) *model.Error {
	if errors.Is(err, exec.ErrNotFound) {
		return model.Errorf(model.CodeUsage, "there is no program %s in the PATH", clean.Line(name))
	}
	var in *exec.Error
	if errors.As(err, &in) {
		err = in.Err
	}
	return model.Errorf(model.CodeUsage, "the program %s can't be run: %w", clean.Line(name), err)
}

func hasPlace(arg string) bool { return strings.Contains(arg, "{}") }

// Counts says how often each outcome came.
func (w *Worker) Counts() map[Outcome]int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	out := make(map[Outcome]int64, len(w.counts))
	for k, v := range w.counts {
		out[k] = v
	}
	return out
}

// Run works until ctx ends, or until there is nothing left to do for Once and
// Drain; then CodeEmpty says that there was nothing at all. When ctx ends the
// commands that run have Grace; when now is closed they are ended at once.
func (w *Worker) Run(ctx context.Context, now <-chan struct{}) error {
	ctx, w.stop = context.WithCancelCause(ctx)
	defer w.stop(nil)
	w.now = now
	var err error
	if w.guardian, err = newGuardian(); err != nil {
		return err
	}
	defer w.guardian.close()
	w.roster = newRoster(w.o)
	defer w.roster.close()
	w.watch = newWatch(w.o)
	defer w.watch.close()
	w.runs.sweep(MaxLogs, MaxLogFiles)

	var slots guard.Group
	for range w.o.Parallel {
		slots.Go("queue worker", func() { w.slot(ctx) })
		if w.o.Once {
			break
		}
	}
	slots.Wait()
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.fatal != nil:
		return w.fatal
	case ctx.Err() != nil:
		return model.Errorf(model.CodeCancelled, "told to stop: %w", context.Cause(ctx))
	case len(w.counts) == 0:
		return model.Errorf(model.CodeEmpty, "lane %s has nothing pending", strings.Join(w.o.Lanes, ", "))
	}
	return nil
}

// claimWait is how long a claim waits at most before it asks anew.
const claimWait = time.Hour

// mostBackOff bounds the pause after a claim that failed.
const mostBackOff = 30 * time.Second

// slot does one directive after the other.
func (w *Worker) slot(ctx context.Context) {
	for pause := time.Second; ctx.Err() == nil; {
		wait := claimWait
		if w.o.Once || w.o.Drain {
			wait = 0
		}
		c, err := w.o.Queue.NextOf(ctx, queue.Next{Consumer: w.o.Consumer, Lease: w.o.Lease}, slices.Clone(w.o.Lanes), wait)
		switch code := model.CodeOf(err); {
		case err == nil && ctx.Err() != nil:
			w.giveBack(c, "the worker was told to stop") // the claim and the signal crossed
			return
		case err == nil:
			pause = time.Second
			w.do(ctx, c)
			if w.o.Once {
				return
			}
		case code == model.CodeEmpty && wait == 0, code == model.CodeCancelled:
			return
		case code == model.CodeEmpty:
		case !passing(code) || w.o.Once:
			w.fail(err)
			return
		default:
			w.o.Warn("nothing can be claimed for now: " + err.Error())
			wake.Sleep(ctx, pause)
			pause = min(2*pause, mostBackOff)
		}
	}
}

// passing says whether an error may pass by itself.
func passing(code model.Code) bool {
	return code == model.CodeBusy || code == model.CodeNoSpace
}

// fail ends the worker: it can't do what it is for.
func (w *Worker) fail(err error) {
	w.mu.Lock()
	if w.fatal == nil {
		w.fatal = err
	}
	w.mu.Unlock()
	w.stop(err)
}

// tell counts a run that ended and reports it.
func (w *Worker) tell(r Report) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.Outcome != "" {
		w.counts[r.Outcome]++
	}
	w.o.Tell(r)
}

// swept keeps the logs within their bounds, now and then.
func (w *Worker) swept(bytes int64) {
	w.mu.Lock()
	w.wrote += bytes
	w.ran++
	due := w.wrote >= MaxLog || w.ran >= 500
	if due {
		w.wrote, w.ran = 0, 0
	}
	w.mu.Unlock()
	if due {
		w.runs.sweep(MaxLogs, MaxLogFiles)
	}
}

func (w *Worker) restFor(attempt int64) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return later(w.o.RetryAfter, attempt, w.o.Random)
}
