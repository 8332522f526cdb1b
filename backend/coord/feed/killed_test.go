package feed_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"binnacle/backend/coord"
	"binnacle/backend/coord/feed"
	"binnacle/backend/parts"
	"binnacle/backend/store/storetest"
	"binnacle/model"
	fed "binnacle/model/feed"
)

// childEnv makes the test binary a process that writes and serves the feed of the
// database that it names.
const childEnv = "BINNACLE_TEST_FEED"

func TestMain(m *testing.M) {
	if place := os.Getenv(childEnv); place != "" {
		if err := serve(place); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// serve writes without end, and says "ack SEQ BY end" after each event that is
// acknowledged. For each line of its input, a cursor, it waits for a page, and
// says "page JSON".
func serve(place string) error {
	s, err := storetest.OpenAt(place, storetest.Options{Parts: parts.All()})
	if err != nil {
		return err
	}
	var out sync.Mutex
	say := func(format string, args ...any) {
		out.Lock()
		defer out.Unlock()
		fmt.Printf(format+"\n", args...)
	}
	for w := range 2 {
		go func() {
			for i := 0; ; i++ {
				d := note("x")
				d.Producer = fmt.Sprintf("w%d-%d-%d", os.Getpid(), w, i)
				if err := d.Check(); err != nil {
					panic(err)
				}
				events, err := s.Append(bg(), []model.Draft{d})
				if err != nil {
					panic(err)
				}
				say("ack %d %s end", events[0].Seq, d.Producer)
			}
		}()
	}
	f := feed.Open(s, feed.Options{})
	asked := bufio.NewScanner(os.Stdin)
	for asked.Scan() {
		p, err := f.Read(bg(), fed.Request{After: asked.Text(), Wait: 5 * time.Second}, coord.Who{Name: "reader"})
		if err != nil {
			return err
		}
		raw, err := json.Marshal(p)
		if err != nil {
			return err
		}
		say("page %s", raw)
	}
	return asked.Err()
}

// child is one such process.
type child struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	pages chan fed.Page // closed when it is dead
}

// acks are what the children acknowledged: who wrote which event.
type acks struct {
	mu sync.Mutex
	by map[int64]string
}

func (a *acks) start(t *testing.T, place string) *child {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childEnv+"="+place)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	must(t, err)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	c := &child{cmd: cmd, in: in, pages: make(chan fed.Page, 1)}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	go func() {
		defer close(c.pages)
		lines := bufio.NewScanner(out)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			word, rest, _ := strings.Cut(lines.Text(), " ")
			switch word {
			case "ack":
				var seq int64
				var by string
				if n, _ := fmt.Sscanf(rest, "%d %s end", &seq, &by); n == 2 && strings.HasSuffix(rest, " end") { // else the kill cut it
					a.mu.Lock()
					a.by[seq] = by
					a.mu.Unlock()
				}
			case "page":
				var p fed.Page
				if json.Unmarshal([]byte(rest), &p) == nil { // else the kill cut it
					c.pages <- p
				}
			}
		}
		_ = cmd.Wait()
	}()
	return c
}

// ask reads the next page at the process, unless it dies.
func (c *child) ask(after model.Cursor) (fed.Page, bool) {
	if _, err := io.WriteString(c.in, after.String()+"\n"); err != nil {
		return fed.Page{}, false
	}
	p, ok := <-c.pages
	return p, ok
}

// Two processes write; a reader alternates between them by its cursor, while one
// or the other is killed and comes back. It sees every acknowledged event, each
// once, in order.
func TestKilledServers(t *testing.T) {
	kills := 100
	if testing.Short() {
		kills = 5
	}
	r := newRig(t, feed.Options{})
	a := acks{by: map[int64]string{}}
	procs := []*child{a.start(t, r.place), a.start(t, r.place)}
	at := model.Cursor{Epoch: r.store.Epoch()}
	seen := []string{} // who wrote the event i+1
	take := func(p fed.Page) {
		for _, e := range p.Events {
			if e.ID.Seq != int64(len(seen))+1 {
				t.Fatalf("after event %d came %d", len(seen), e.ID.Seq)
			}
			seen = append(seen, e.By)
		}
		at = p.Next
	}
	deadline := time.Now().Add(3 * time.Minute)
	turn := 0
	for n := range kills {
		if time.Now().After(deadline) {
			t.Fatalf("only %d kills in three minutes", n)
		}
		// Both have served since the last kill; then one dies at any moment.
		for range 2 {
			turn++
			p, ok := procs[turn%2].ask(at)
			if !ok {
				t.Fatal("a process ended by itself")
			}
			take(p)
		}
		victim := rand.IntN(2)
		process := procs[victim].cmd.Process
		time.AfterFunc(time.Duration(rand.IntN(10_000))*time.Microsecond, func() { _ = process.Kill() })
		for dead := false; !dead; {
			turn++
			p, ok := procs[turn%2].ask(at)
			if ok {
				take(p)
			} else {
				dead = true
			}
		}
		procs[victim] = a.start(t, r.place)
	}
	for _, c := range procs {
		_ = c.cmd.Process.Kill()
		for range c.pages {
		}
	}
	for more := true; more; {
		p := r.read(fed.Request{After: at.String()})
		take(p)
		more = p.More
	}
	storetest.CheckWhole(t, r.store)
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.by) == 0 {
		t.Error("nothing was acknowledged")
	}
	for seq, by := range a.by {
		if seq > int64(len(seen)) || seen[seq-1] != by {
			t.Errorf("the acknowledged event %d of %s was not seen", seq, by)
		}
	}
	t.Logf("%d kills, %d events acknowledged, %d seen", kills, len(a.by), len(seen))
}
