package work_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"binnacle/backend/clock"
	"binnacle/backend/parts"
	"binnacle/backend/queue"
	"binnacle/backend/queue/work"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/model"
	"binnacle/model/directive"
)

// rig is a workspace on a real database, and a folder in which scripts leave what
// they did.
type rig struct {
	t     testing.TB
	q     *queue.Queue
	store store.Store
	dir   string // the workspace's
	marks string

	mu      sync.Mutex
	reports []work.Report
}

func newRig(t testing.TB) *rig {
	t.Helper()
	dir := t.TempDir()
	r := open(t, filepath.Join(dir, "w"), filepath.Join(dir, "marks"))
	t.Cleanup(func() { _ = r.store.Close() })
	return r
}

func open(t testing.TB, dir, marks string) *rig {
	t.Helper()
	for _, d := range []string{dir, marks} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s, err := storetest.OpenAt(filepath.Join(dir, "binnacle.db"), storetest.Options{Parts: parts.All(), Clock: clock.Machine()})
	if err != nil {
		t.Fatal(err)
	}
	q, err := queue.Open(s, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t: t, q: q, store: s, dir: dir, marks: marks}
}

func (r *rig) push(n int) {
	r.t.Helper()
	for i := range n {
		if _, err := r.q.Push(context.Background(), queue.Push{Body: "job " + strconv.Itoa(i+1), Priority: directive.P1}); err != nil {
			r.t.Fatal(err)
		}
	}
}

// options are those of a worker that runs a script with sh: it finds $MARKS, and
// the body on its stdin.
func (r *rig) options(script string, change ...func(*work.Options)) work.Options {
	o := work.Options{
		Queue: r.q, Store: r.store, Dir: r.dir, Project: filepath.Dir(r.dir), Clock: clock.Machine(), Consumer: "w", Lease: time.Minute,
		Drain: true, Grace: time.Minute, Term: 300 * time.Millisecond, Command: []string{"sh", "-c", script},
		Environ: []string{"PATH=" + os.Getenv("PATH"), "MARKS=" + r.marks}, WorkDir: r.marks,
		Tell: func(x work.Report) {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.reports = append(r.reports, x)
		},
		Warn: func(text string) { r.t.Log(text) },
	}
	for _, f := range change {
		f(&o)
	}
	return o
}

// worker is one that runs, and how it is stopped.
type worker struct {
	stop, now func()
	ended     chan error
	w         *work.Worker
}

func (r *rig) start(o work.Options) *worker {
	r.t.Helper()
	w, err := work.New(o)
	if err != nil {
		r.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	now := make(chan struct{})
	x := &worker{stop: stop, now: sync.OnceFunc(func() { close(now) }), ended: make(chan error, 1), w: w}
	go func() { x.ended <- w.Run(ctx, now) }()
	r.t.Cleanup(func() { stop(); x.now() })
	return x
}

func (r *rig) wait(w *worker, code model.Code) {
	r.t.Helper()
	select {
	case err := <-w.ended:
		if got := model.CodeOf(err); err == nil && code != "" || err != nil && got != code {
			r.t.Fatalf("the worker ended with %v, want %q", err, code)
		}
	case <-time.After(30 * time.Second):
		r.t.Fatal("the worker does not end")
	}
}

// run starts a worker and waits for its end.
func (r *rig) run(o work.Options) { r.t.Helper(); r.wait(r.start(o), "") }

// until waits for a condition.
func (r *rig) until(what string, ok func() bool) {
	r.t.Helper()
	for end := time.Now().Add(20 * time.Second); !ok(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(end) {
			r.t.Fatalf("not within 20 seconds: %s", what)
		}
	}
}

// mark is what scripts left under a name, "" when nothing.
func (r *rig) mark(name string) string {
	b, _ := os.ReadFile(filepath.Join(r.marks, name))
	return strings.TrimSpace(string(b))
}

func (r *rig) pid(name string) int {
	n, _ := strconv.Atoi(r.mark(name))
	return n
}

func (r *rig) until1(name string) string {
	r.t.Helper()
	r.until(name+" is marked", func() bool { return r.mark(name) != "" })
	return r.mark(name)
}

func (r *rig) show(id int64) queue.Detail {
	r.t.Helper()
	d, err := r.q.Show(context.Background(), id)
	if err != nil {
		r.t.Fatal(err)
	}
	return d
}

// is fails unless the directive is in the state, with so many attempts and
// failures.
func (r *rig) is(id int64, status string, attempts, requeues int64) {
	r.t.Helper()
	if d := r.show(id); d.Status != status || d.Attempt != attempts || d.RequeueCount != requeues {
		r.t.Errorf("#%d is %s after %d attempts, %d counted (%s); want %s, %d, %d", id, d.Status, d.Attempt, d.RequeueCount, d.Reason, status, attempts, requeues)
	}
}

// outcomes are those of one directive, in their order.
func (r *rig) outcomes(id int64) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, x := range r.reports {
		if x.ID == id && x.Outcome != "" {
			out = append(out, string(x.Outcome))
		}
	}
	return strings.Join(out, " ")
}

func (r *rig) log(id, attempt int64) string {
	r.t.Helper()
	b, err := os.ReadFile(filepath.Join(r.dir, "runs", fmt.Sprintf("%d-%d.log", id, attempt)))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(b)
}

func alive(pid int) bool { return pid > 0 && syscall.Kill(pid, 0) == nil && !zombie(pid) }

// zombie says whether a process has ended and nobody has waited for it yet.
func zombie(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(b), ") Z ")
}
