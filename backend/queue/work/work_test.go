package work_test

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"binnacle/backend/queue"
	"binnacle/backend/queue/work"
	"binnacle/model"
	"binnacle/model/directive"
)

// Twenty directives, of which one's command is killed, one is dropped in the
// middle, and one is at work when the worker is told to stop: each is done once, or
// given back.
func TestTwentyDirectives(t *testing.T) {
	r := newRig(t)
	r.push(20)
	script := `body=$(cat)
echo $$ >"$MARKS/$BINNACLE_DIRECTIVE-$BINNACLE_ATTEMPT"
case $BINNACLE_DIRECTIVE-$BINNACLE_ATTEMPT in
5-1) sleep 60 ;;
8-1) sleep 60 ;;
12-1) [ -e "$MARKS/stopped" ] || { trap 'touch "$MARKS/stopped"; exit 0' TERM; sleep 60 & wait; } ;;
esac
echo "$body" >>"$MARKS/did"`
	w := r.start(r.options(script, func(o *work.Options) { o.Parallel, o.Grace = 3, 50*time.Millisecond }))

	r.until1("5-1")
	if err := syscall.Kill(r.pid("5-1"), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	r.until1("8-1")
	if _, err := r.q.Drop(context.Background(), queue.Act{ID: 8, Force: true, By: "operator"}); err != nil {
		t.Fatal(err)
	}
	r.until("the dropped one's command is gone", func() bool { return r.outcomes(8) != "" })
	if alive(r.pid("8-1")) {
		t.Error("the command of the dropped directive lives on")
	}
	r.until1("12-1")
	w.stop()
	r.wait(w, model.CodeCancelled)
	r.is(12, directive.StatusPending, 0, 0)
	r.run(r.options(script))

	did := map[string]int{}
	for _, line := range strings.Split(r.mark("did"), "\n") {
		did[line]++
	}
	for id := int64(1); id <= 20; id++ {
		switch id {
		case 5:
			r.is(id, directive.StatusDone, 2, 1)
		case 8:
			r.is(id, directive.StatusDropped, 1, 0)
		default:
			if d := r.show(id); d.Status != directive.StatusDone || d.RequeueCount != 0 {
				t.Errorf("#%d: %+v", id, d)
			}
		}
		if want := 1; id != 8 && did["job "+strconv.FormatInt(id, 10)] != want {
			t.Errorf("#%d was done %d times", id, did["job "+strconv.FormatInt(id, 10)])
		}
	}
	if did["job 8"] != 0 || r.outcomes(8) != "lost" || r.outcomes(5) != "failed done" || r.outcomes(12) != "returned done" {
		t.Errorf("8: %s, 5: %s, 12: %s", r.outcomes(8), r.outcomes(5), r.outcomes(12))
	}
	if why := r.show(5).History; !strings.Contains(string(why[2].Payload), "killed by signal 9") {
		t.Errorf("its failure says %s", why[2].Payload)
	}
}

// What a command is given, and what its exit means.
func TestWhatACommandIsGivenAndSays(t *testing.T) {
	for _, c := range []struct {
		name, script, outcome, status, reason string
		requeues                              int64
	}{
		{"done", `cat; echo; echo "$BINNACLE_DIRECTIVE $BINNACLE_LANE $BINNACLE_PRIORITY $BINNACLE_ATTEMPT ${#BINNACLE_CLAIM_TOKEN} ${BINNACLE_WORKSPACE##*/}"`, "done", directive.StatusDone, "job 1\n1 default P1 1 32 ", 0},
		{"failed", `echo broken >&2; exit 3`, "failed", directive.StatusPending, "exit 3", 1},
		{"tried later", `exit 75`, "later", directive.StatusDeferred, "exit 75", 0},
		{"parked", `echo one; echo 'no key is configured'; exit 78`, "parked", directive.StatusParked, "no key is configured", 0},
		{"killed", `kill -9 $$`, "failed", directive.StatusPending, "killed by signal 9 (killed)", 1},
		{"too long", `trap 'exit 0' TERM; sleep 60 & wait`, "failed", directive.StatusPending, "past its timeout of 200ms: exit 0", 1},
		{"too long, deaf to SIGTERM", `trap '' TERM; while :; do sleep 0.05; done`, "failed", directive.StatusPending, "past its timeout of 200ms: killed by signal 9", 1},
		{"secret", `echo 'password: hunter2hunter2'`, "done", directive.StatusDone, "[redacted", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t)
			r.push(1)
			r.run(r.options(c.script, func(o *work.Options) {
				o.Drain, o.Once, o.RetryAfter = false, true, time.Hour
				o.Redactor = redactor(t)
				if strings.HasPrefix(c.name, "too long") {
					o.Timeout = 200 * time.Millisecond
				}
			}))
			d := r.show(1)
			if got := r.outcomes(1); got != c.outcome || d.Status != c.status || !strings.Contains(d.Reason, c.reason) || d.RequeueCount != c.requeues {
				t.Errorf("%s; it is %s (%q), counted %d", got, d.Status, d.Reason, d.RequeueCount)
			}
			if c.name == "secret" && strings.Contains(r.log(1, 1), "hunter2") {
				t.Error("the secret is in the log")
			}
			if c.name == "tried later" {
				if rest := d.NotBefore.Sub(d.Since); rest < 45*time.Minute || rest > 75*time.Minute {
					t.Errorf("it rests for %s", rest)
				}
			}
		})
	}
}

func TestABodyAsAnArgument(t *testing.T) {
	r := newRig(t)
	for _, body := range []string{"a 'b' $c\n{}", strings.Repeat("x", directive.MaxBody), "nul\x00"} {
		if _, err := r.q.Push(context.Background(), queue.Push{Body: body, Priority: directive.P1}); err != nil {
			t.Fatal(err)
		}
	}
	r.run(r.options("", func(o *work.Options) {
		o.Arg, o.Command = true, []string{"sh", "-c", `printf %s "$1" >"$MARKS/arg"; cat >"$MARKS/stdin"`, "x", "<{}>"}
	}))
	if got := r.mark("arg"); got != "<a 'b' $c\n{}>" || r.mark("stdin") != "" {
		t.Errorf("the argument is %q, stdin %q", got, r.mark("stdin"))
	}
	r.is(1, directive.StatusDone, 1, 0)
	r.is(2, directive.StatusParked, 1, 0) // the system takes no argument of that size
	r.is(3, directive.StatusParked, 1, 0)
	if _, err := work.New(r.options("x", func(o *work.Options) { o.Arg = true })); model.CodeOf(err) != model.CodeUsage {
		t.Errorf("without a place for the body: %v", err)
	}
}

// A failure that repeats parks, and an operator is asked, as when leases lapse.
func TestRepeatedFailuresPark(t *testing.T) {
	r := newRig(t)
	r.push(1)
	r.run(r.options("echo hopeless; exit 1"))
	d := r.show(1)
	if d.Status != directive.StatusParked || d.Attempt != queue.DefaultMaxAttempts || !strings.HasPrefix(d.Reason, "its 10th failure: exit 1") {
		t.Errorf("%s after %d attempts: %q", d.Status, d.Attempt, d.Reason)
	}
	if got := r.outcomes(1); got != strings.Repeat("failed ", queue.DefaultMaxAttempts-1)+"parked" {
		t.Error(got)
	}
}

// The lease is renewed for as long as the command runs.
func TestTheLeaseIsRenewed(t *testing.T) {
	r := newRig(t)
	r.push(1)
	w := r.start(r.options(`touch "$MARKS/runs"; sleep 2.5`, func(o *work.Options) { o.Lease = time.Second }))
	other := r.start(r.options(`echo 2 >"$MARKS/second"`, func(o *work.Options) { o.Drain = false }))
	r.wait(w, "")
	other.stop()
	r.wait(other, model.CodeCancelled)
	if got := r.outcomes(1); got != "done" || r.mark("second") != "" {
		t.Errorf("%s, and the other worker had it, too: %q", got, r.mark("second"))
	}
}

// What a command starts ends with it, and with its claim.
func TestTheWholeGroupEnds(t *testing.T) {
	for name, end := range map[string]string{"itself": "exit 0", "lost": "sleep 60"} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			r.push(1)
			w := r.start(r.options(`(trap '' TERM; sleep 60) & echo $! >"$MARKS/left.new"; mv "$MARKS/left.new" "$MARKS/left"; ` + end))
			r.until1("left")
			if name == "lost" {
				if _, err := r.q.Requeue(context.Background(), queue.Act{ID: 1, Force: true, By: "operator"}); err != nil {
					t.Fatal(err)
				}
				w.stop()
			}
			<-w.ended
			r.until("what it left behind ends", func() bool { return !alive(r.pid("left")) })
		})
	}
}

// A command may finish its directive itself, and work on.
func TestTheCommandFinishesItself(t *testing.T) {
	r := newRig(t)
	r.push(1)
	w := r.start(r.options(`echo "$BINNACLE_CLAIM_TOKEN" >"$MARKS/token"
while [ ! -e "$MARKS/on" ]; do sleep 0.02; done; sleep 0.3; echo yes >"$MARKS/after"; exit 1`))
	token := r.until1("token")
	if _, err := r.q.Done(context.Background(), queue.Act{ID: 1, Token: token, Why: "by myself"}); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.marks, "on"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	r.wait(w, "")
	if d := r.show(1); d.Status != directive.StatusDone || d.Reason != "by myself" || r.outcomes(1) != "finished" || r.mark("after") != "yes" {
		t.Errorf("%s (%s), %s, it went on: %q", d.Status, d.Reason, r.outcomes(1), r.mark("after"))
	}
}

// Told to stop, what ends within the grace is done; a second time, all ends at
// once and is given back.
func TestStopping(t *testing.T) {
	t.Run("within the grace", func(t *testing.T) {
		r := newRig(t)
		r.push(2)
		w := r.start(r.options(`echo x >"$MARKS/runs"; while [ ! -e "$MARKS/on" ]; do sleep 0.02; done`))
		r.until1("runs")
		w.stop()
		if err := os.WriteFile(filepath.Join(r.marks, "on"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		r.wait(w, model.CodeCancelled)
		r.is(1, directive.StatusDone, 1, 0)
		r.is(2, directive.StatusPending, 0, 0)
	})
	t.Run("at once", func(t *testing.T) {
		r := newRig(t)
		r.push(1)
		w := r.start(r.options(`trap '' TERM; echo $$ >"$MARKS/runs"; while :; do sleep 0.05; done`))
		r.until1("runs")
		w.stop()
		w.now()
		r.wait(w, model.CodeCancelled)
		r.is(1, directive.StatusPending, 0, 0)
		if alive(r.pid("runs")) {
			t.Error("the command lives on")
		}
	})
	t.Run("deaf to SIGTERM", func(t *testing.T) {
		r := newRig(t)
		r.push(1)
		w := r.start(r.options(`trap '' TERM; echo x >"$MARKS/runs"; while :; do sleep 0.05; done`, func(o *work.Options) { o.Grace = 0 }))
		r.until1("runs")
		w.stop()
		r.wait(w, model.CodeCancelled)
		r.is(1, directive.StatusPending, 0, 0)
	})
}

// Two workers at one lane do everything once.
func TestTwoWorkers(t *testing.T) {
	r := newRig(t)
	r.push(60)
	script := `read -r body; echo "$body" >>"$MARKS/did"`
	a := r.start(r.options(script, func(o *work.Options) { o.Parallel, o.Consumer = 3, "a" }))
	b := r.start(r.options(script, func(o *work.Options) { o.Parallel, o.Consumer = 3, "b" }))
	r.wait(a, "")
	r.wait(b, "")
	did := map[string]bool{}
	lines := strings.Split(r.mark("did"), "\n")
	for _, line := range lines {
		did[line] = true
	}
	if len(lines) != 60 || len(did) != 60 {
		t.Errorf("%d runs of %d directives", len(lines), len(did))
	}
}

// Lanes are worked through in their order, and one that gets work is seen.
func TestLanes(t *testing.T) {
	r := newRig(t)
	push := func(lane, body string) {
		if _, err := r.q.Push(context.Background(), queue.Push{Body: body, Lane: lane, Priority: directive.P1}); err != nil {
			t.Fatal(err)
		}
	}
	push("b", "second")
	push("a", "first")
	w := r.start(r.options(`cat >>"$MARKS/did"; echo >>"$MARKS/did"`, func(o *work.Options) { o.Lanes, o.Drain = []string{"a", "b"}, false }))
	r.until("both are done", func() bool { return r.mark("did") == "first\nsecond" })
	push("b", "third")
	r.until("the third is done", func() bool { return r.mark("did") == "first\nsecond\nthird" })
	w.stop()
	r.wait(w, model.CodeCancelled)
}

func TestTheGroundGoes(t *testing.T) {
	t.Run("the program", func(t *testing.T) {
		r := newRig(t)
		r.push(2)
		program := filepath.Join(r.marks, "agent")
		if err := os.WriteFile(program, []byte("#!/bin/sh\nrm -- \"$0\"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		w := r.start(r.options("", func(o *work.Options) { o.Command = []string{program} }))
		r.wait(w, model.CodeUsage)
		r.is(1, directive.StatusDone, 1, 0)
		r.is(2, directive.StatusPending, 0, 0)
		_, err := work.New(r.options("", func(o *work.Options) { o.Command = []string{"no-such-program"} }))
		if model.CodeOf(err) != model.CodeUsage || err.Error() != "there is no program no-such-program in the PATH" {
			t.Errorf("%v", err)
		}
	})
	t.Run("the workspace", func(t *testing.T) {
		r := newRig(t)
		r.push(1)
		w := r.start(r.options(`echo $$ >"$MARKS/runs"; sleep 60`))
		r.until1("runs")
		if err := os.Rename(r.dir, r.dir+".moved"); err != nil {
			t.Fatal(err)
		}
		r.wait(w, model.CodeGone)
		if alive(r.pid("runs")) || r.outcomes(1) != "lost" {
			t.Errorf("the command lives: %v; %s", alive(r.pid("runs")), r.outcomes(1))
		}
	})
	t.Run("the logs' folder", func(t *testing.T) {
		r := newRig(t)
		r.push(1)
		if err := os.WriteFile(filepath.Join(r.dir, "runs"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		r.run(r.options(`echo fine`))
		if d := r.show(1); d.Status != directive.StatusDone || !strings.Contains(d.Reason, "fine") {
			t.Errorf("%s: %s", d.Status, d.Reason)
		}
	})
}

// Output of any size and kind is bounded, and its end is kept.
func TestHugeOutput(t *testing.T) {
	r := newRig(t)
	r.push(1)
	r.run(r.options(`echo begin; head -c 12000000 /dev/urandom; echo; echo the end`))
	text := r.log(1, 1)
	if len(text) > work.MaxLog || !strings.HasPrefix(text, "begin\n") || !strings.HasSuffix(text, "\nthe end\n") || !strings.Contains(text, "bytes are left out here]") {
		t.Errorf("%d bytes, %q … %q", len(text), text[:10], text[len(text)-20:])
	}
	if d := r.show(1); d.Status != directive.StatusDone || !strings.HasSuffix(d.Reason, "the end") {
		t.Errorf("%s: %q", d.Status, d.Reason)
	}
}
