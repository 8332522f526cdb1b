package work_test

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"binnacle/backend/queue/work"
	"binnacle/model"
	"binnacle/model/directive"
	"binnacle/model/redact"
)

// TestMain makes the test binary double as a worker that can be killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("WORKER_DIR"); dir != "" {
		var t testing.T // for its logs, which nobody reads
		r := open(&t, dir, os.Getenv("WORKER_MARKS"))
		w, err := work.New(r.options(os.Getenv("WORKER_SCRIPT"), func(o *work.Options) { o.Drain, o.Lease = false, time.Second }))
		if err == nil {
			err = w.Run(context.Background(), nil)
		}
		println(err.Error())
		os.Exit(1)
	}
	os.Exit(m.Run())
}

func redactor(t *testing.T) *redact.Redactor {
	t.Helper()
	r, err := redact.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A worker that is killed takes its commands with it, all that they started, and
// its directive comes back when the lease ends: counted, for it may be the
// directive that kills.
func TestAKilledWorkerTakesItsCommandsWithIt(t *testing.T) {
	r := newRig(t)
	r.push(1)
	script := `[ "$BINNACLE_ATTEMPT" = 1 ] || exit 0
(trap '' HUP INT TERM; sleep 60) & echo $! >"$MARKS/left"; echo $$ >"$MARKS/runs"; sleep 60`
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "WORKER_DIR="+r.dir, "WORKER_MARKS="+r.marks, "WORKER_SCRIPT="+script)
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	r.until1("runs")
	leader, left := r.pid("runs"), r.pid("left")
	if !alive(leader) || !alive(left) {
		t.Fatal("the command does not run")
	}
	if len(work.Seen(r.dir)) == 0 {
		r.until("the worker is seen", func() bool { return len(work.Seen(r.dir)) == 1 })
	}
	if err := child.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed
	r.until("its command and what that started are gone", func() bool { return !alive(leader) && !alive(left) })
	if seen := work.Seen(r.dir); len(seen) != 0 {
		t.Errorf("the dead worker is seen: %+v", seen)
	}
	w := r.start(r.options(script, func(o *work.Options) { o.Drain = false }))
	r.until("it is done by another", func() bool { return r.outcomes(1) == "done" })
	w.stop()
	r.wait(w, model.CodeCancelled)
	r.is(1, directive.StatusDone, 2, 1)
}
