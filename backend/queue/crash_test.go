package queue_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"binnacle/backend/parts"
	"binnacle/backend/queue"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/model"
	"binnacle/model/directive"
)

// workerEnv makes the test binary a worker on the database that it names.
const workerEnv = "BINNACLE_TEST_QUEUE_WORKER"

func TestMain(m *testing.M) {
	if path := os.Getenv(workerEnv); path != "" {
		work(path)
		return
	}
	os.Exit(m.Run())
}

// work claims and finishes directives with 64 goroutines until it is killed. It
// prints "done ID" after each acknowledged done, and "STALE ID" when a token was
// accepted that should not have been.
func work(path string) {
	fail := func(err error) {
		fmt.Println("FAIL", err)
		os.Exit(1)
	}
	s, err := storetest.OpenAt(path, storetest.Options{Parts: parts.All()})
	if err != nil {
		fail(err)
	}
	off := int64(0)
	q, err := queue.Open(s, queue.Options{MaxAttempts: &off, Lease: 2 * time.Second})
	if err != nil {
		fail(err)
	}
	var out sync.Mutex
	say := func(word string, id int64) {
		out.Lock()
		defer out.Unlock()
		fmt.Fprintf(os.Stdout, "%s %d\n", word, id)
	}
	var wg sync.WaitGroup
	for w := range 64 {
		wg.Go(func() {
			name := fmt.Sprintf("worker-%d-%d", os.Getpid(), w)
			for {
				n := queue.Next{Consumer: name}
				slow := rand.IntN(100) == 0
				if slow {
					n.Lease = 20 * time.Millisecond
				}
				c, err := q.NextWait(background(), n, time.Minute)
				if model.CodeOf(err) == model.CodeEmpty && err != nil {
					continue
				}
				if err != nil {
					fail(err)
				}
				if slow {
					// Outlive the lease: the token must be refused, whoever has it now.
					<-time.After(c.Directive.LeaseUntil.Sub(model.WallClock()) + time.Millisecond)
				}
				_, err = q.Done(background(), queue.Act{ID: c.Directive.ID, Token: c.Token})
				switch {
				case err == nil && slow:
					say("STALE", c.Directive.ID)
				case err == nil:
					say("done", c.Directive.ID)
				case model.CodeOf(err) != model.CodeToken:
					fail(err)
				}
			}
		})
	}
	wg.Wait()
}

// TestKilledWorkers runs two processes of 64 workers each and kills one of them
// every now and then. Each directive is done exactly once, by the token that was
// current; none is lost; every step is in the ledger.
// BINNACLE_TEST_DIRECTIVES=20000 is the long run.
func TestKilledWorkers(t *testing.T) {
	if testing.Short() {
		t.Skip("it kills processes for seconds")
	}
	total := 3_000
	if s := os.Getenv("BINNACLE_TEST_DIRECTIVES"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		total = n
	}
	path := filepath.Join(t.TempDir(), "binnacle.db")
	s, err := storetest.OpenAt(path, storetest.Options{Parts: parts.All()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	q, err := queue.Open(s, queue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := make([]queue.Push, total)
	for i := range all {
		all[i] = queue.Push{Body: fmt.Sprint("directive ", i), Priority: directive.Priority(i % 3)}
	}
	if _, err := q.PushMany(background(), all); err != nil {
		t.Fatal(err)
	}
	var acks acknowledged
	procs := []*exec.Cmd{acks.start(t, path), acks.start(t, path)}
	deadline := time.Now().Add(time.Duration(25+total/200) * time.Second)
	kills := 0
	for {
		done := finished(t, q)
		if done >= int64(total) {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d of %d done after %d kills", done, total, kills)
		}
		// One is killed each time that another tenth is done, however fast that goes.
		if done > int64(total*(kills+1)/10) {
			i := rand.IntN(2)
			acks.kill(procs[i])
			procs[i] = acks.start(t, path)
			kills++
		}
		<-time.After(time.Millisecond)
	}
	for _, p := range procs {
		acks.kill(p)
	}
	acks.readers.Wait()
	if kills == 0 {
		t.Fatal("nobody was killed")
	}
	t.Logf("%d directives, %d kills, %d acknowledged", total, kills, len(acks.done))
	for _, bad := range acks.bad {
		t.Error(bad)
	}
	r := &rig{t: t, q: q, store: s}
	state := r.wantFold()
	doneBy := provenDone(t, s)
	for id := int64(1); id <= int64(total); id++ {
		d := queue.Directives.Find(state, directive.Key(id))
		if d == nil || d.Status != directive.StatusDone {
			t.Fatalf("#%d: %+v", id, d)
		}
		if n := acks.done[id]; n > 1 || doneBy[id] != 1 {
			t.Fatalf("#%d: %d acknowledged, %d in the ledger", id, n, doneBy[id])
		}
	}
}

// provenDone counts, by the ledger alone, the ends of each directive that were
// reported under the claim that was current.
func provenDone(t *testing.T, s store.Store) map[int64]int {
	t.Helper()
	out := map[int64]int{}
	holder := map[string]string{}
	after := int64(0)
	for {
		var events []model.Event
		err := s.Read(background(), func(r store.Reader) (err error) {
			events, err = r.Events(after, 2_000)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		if len(events) == 0 {
			return out
		}
		for _, e := range events {
			after = e.Seq
			var p directive.Payload
			if err := json.Unmarshal(e.Payload, &p); err != nil {
				t.Fatal(err)
			}
			switch p.Action {
			case "take":
				holder[e.Key] = p.By
			case "lapse":
				delete(holder, e.Key)
			case "done":
				if p.Forced || p.By == "" || holder[e.Key] != p.By {
					t.Fatalf("event %d: done by %q, held by %q", e.Seq, p.By, holder[e.Key])
				}
				id, err := directive.ParseKey(e.Key)
				if err != nil {
					t.Fatal(err)
				}
				out[id]++
			}
		}
	}
}

func finished(t *testing.T, q *queue.Queue) (n int64) {
	t.Helper()
	s, err := q.Stats(background(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range s.ByStatus {
		if c.Status == directive.StatusDone {
			n += c.Count
		}
	}
	return n
}

// acknowledged collects what the workers print.
type acknowledged struct {
	mu      sync.Mutex
	readers sync.WaitGroup
	done    map[int64]int
	bad     []string
}

func (a *acknowledged) start(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), workerEnv+"="+path)
	cmd.Stderr = os.Stderr
	out, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = in
	err = cmd.Start()
	_ = in.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	a.readers.Go(func() { a.read(out) })
	return cmd
}

func (a *acknowledged) read(out io.ReadCloser) {
	defer out.Close()
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		word, rest, _ := strings.Cut(lines.Text(), " ")
		id, err := strconv.ParseInt(rest, 10, 64)
		a.mu.Lock()
		switch {
		case word == "done" && err == nil:
			if a.done == nil {
				a.done = map[int64]int{}
			}
			a.done[id]++
		case word == "done": // cut off by the kill
		default:
			a.bad = append(a.bad, lines.Text())
		}
		a.mu.Unlock()
	}
}

// kill ends a process at once; what it had printed is still read.
func (a *acknowledged) kill(cmd *exec.Cmd) {
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}
