package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
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
	"binnacle/backend/store"
	"binnacle/backend/store/sqlite"
	"binnacle/backend/store/storetest"
	"binnacle/backend/workspace"
	"binnacle/model"
	"binnacle/model/directive"
)

// childEnv makes the test binary play a process of its own: "<role> <path>
// <extra>".
const childEnv = "STORE_TEST_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(childEnv); role != "" {
		os.Exit(child(strings.Split(role, "|")))
	}
	os.Exit(m.Run())
}

func child(args []string) int {
	roles := map[string]func(path string, extra string) error{
		"append": childAppend, "count": childCount, "readonly": childReadOnly, "open": childOpen,
		"hold": childHold,
	}
	if err := roles[args[0]](args[1], args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// start runs the test binary as a child in the role.
func start(t testing.TB, role, path, extra string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join([]string{role, path, extra}, "|"))
	cmd.Stderr = os.Stderr
	return cmd
}

// childAppend appends from several goroutines without end and writes each
// acknowledged event to stdout.
func childAppend(path, name string) error {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, sqlite.Options{Parts: parts.All(), Path: path})
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for w := range 6 {
		go func() {
			for i := 0; ; i++ {
				e, err := appendSomething(ctx, s, name, w, i)
				if err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
				fmt.Printf("%d %s\n", e.Seq, e.Hash)
			}
		}()
	}
	select {}
}

// appendSomething writes in one of the ways that the store knows.
func appendSomething(ctx context.Context, s store.Store, name string, w, i int) (e model.Event, err error) {
	if i%3 != 0 {
		out, err := s.Append(ctx, []model.Draft{profile(i)})
		if err != nil {
			return e, err
		}
		return out[0], nil
	}
	err = s.Write(ctx, func(tx store.Tx) error {
		d := step("", directive.StatusPending, fmt.Sprintf(`{"action":"push","body":"%s %d %d"}`, name, w, i))
		if e, err = tx.Append(d); err != nil {
			return err
		}
		if i%2 == 0 {
			_, err = tx.Exec(`INSERT INTO meta (name, value) VALUES ($1, $2)`, fmt.Sprint("pushed ", e.Seq), e.Key)
		}
		return err
	})
	return e, err
}

// childCount appends a number of events and ends.
func childCount(path, n string) error {
	ctx := context.Background()
	s, err := sqlite.Open(ctx, sqlite.Options{Parts: parts.All(), Path: path})
	if err != nil {
		return err
	}
	each, err := strconv.Atoi(n)
	if err != nil {
		return err
	}
	var wg sync.WaitGroup
	errs := make([]error, 4)
	for w := range errs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range each {
				if _, err := appendSomething(ctx, s, n, w, i); err != nil {
					errs[w] = err
					return
				}
			}
		}()
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return s.Close()
}

// Whenever a process is killed, every event that it acknowledged is there, the
// chain is whole, and the records are the fold of the events.
func TestKilledAtAnyMoment(t *testing.T) {
	rounds := 50
	if testing.Short() {
		rounds = 5
	}
	path := filepath.Join(t.TempDir(), workspace.Database)
	acked := map[int64]string{}
	for round := range rounds {
		cmd := start(t, "append", path, fmt.Sprint("round", round))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		if !lines.Scan() {
			t.Fatal("the child did not start")
		}
		// Every other child lives until it has acknowledged something, however slow
		// the machine is; the others are killed whatever they are at.
		var kill *time.Timer
		arm := func() {
			if kill == nil {
				kill = time.AfterFunc(time.Duration(rand.IntN(60))*time.Millisecond, func() { _ = cmd.Process.Kill() })
			}
		}
		if round%2 == 0 {
			arm()
		}
		for lines.Scan() {
			seq, hash, _ := strings.Cut(lines.Text(), " ")
			n, err := strconv.ParseInt(seq, 10, 64)
			if err != nil || len(hash) != 64 {
				continue // the line that the kill cut
			}
			acked[n] = hash
			arm()
		}
		arm() // it ended by itself: there is nothing left to kill
		_ = cmd.Wait()
		kill.Stop()
	}
	s := open(t, path, nil)
	state := storetest.CheckWhole(t, s)
	err := s.Read(context.Background(), func(r store.Reader) error {
		for seq, hash := range acked {
			e, err := r.Event(seq)
			if err != nil {
				return err
			}
			if e.Hash != hash {
				t.Fatalf("event %d was acknowledged with another hash", seq)
			}
		}
		// What a write did beside its event is there with it, or neither is.
		var stray int
		return errorsOr(r.QueryRow(`SELECT count(*) FROM meta WHERE name LIKE 'pushed %' AND NOT EXISTS
			(SELECT 1 FROM events WHERE seq = CAST(substr(name, 8) AS INTEGER) AND key = value)`).Scan(&stray), func() {
			if stray != 0 {
				t.Errorf("%d rows without their event", stray)
			}
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(acked) < rounds/2 {
		t.Fatalf("only %d events were acknowledged in %d rounds", len(acked), rounds)
	}
	t.Logf("%d acknowledged, %d there after %d kills", len(acked), state.Head.Seq, rounds)
	if err := sqlite.CheckFile(context.Background(), path); err != nil {
		t.Fatal(err)
	}
}

func errorsOr(err error, then func()) error {
	if err == nil {
		then()
	}
	return err
}

// Four processes with four goroutines each leave no gap and no fork.
func TestProcessesShareTheChain(t *testing.T) {
	path := filepath.Join(t.TempDir(), workspace.Database)
	const each = 60
	var children []*exec.Cmd
	for range 4 {
		cmd := start(t, "count", path, strconv.Itoa(each))
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children = append(children, cmd)
	}
	for _, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	state := storetest.CheckWhole(t, open(t, path, nil))
	if want := int64(4 * 4 * each); state.Head.Seq != want {
		t.Fatalf("%d events, want %d", state.Head.Seq, want)
	}
}
