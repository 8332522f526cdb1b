package archive_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"binnacle/backend/clock"
	"binnacle/backend/ledger"
	"binnacle/backend/ledger/archive"
	"binnacle/backend/ledger/ledgertest"
	"binnacle/backend/ledger/verify"
	"binnacle/backend/parts"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/model"
)

// childEnv makes the test binary a process that writes and sweeps the ledger at
// the path.
const childEnv = "ARCHIVE_TEST_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		if err := writeAndSweep(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	goleak.VerifyTestMain(m)
}

// writeAndSweep appends without end, prints each number that was acknowledged, and
// beside it seals everything but the newest event, again and again.
func writeAndSweep(path string) error {
	ctx := context.Background()
	s, err := storetest.OpenAt(path, storetest.Options{Parts: parts.All()})
	if err != nil {
		return err
	}
	l := ledger.Open(s, ledger.Options{Producer: "tester"})
	failed := make(chan error, 2)
	go func() {
		for i := 0; ; i++ {
			e, err := l.Emit(ctx, ledger.EmitRequest{Topic: "t", Kind: model.KindNote, Payload: ledgertest.Object("text", fmt.Sprint(i))})
			if err != nil {
				failed <- err
				return
			}
			fmt.Println(e.Seq, e.Hash)
		}
	}()
	later := func() model.Reading {
		now := clock.Machine()()
		now.Wall = now.Wall.Add(time.Hour)
		return now
	}
	go func() {
		for {
			if _, err := archive.Sweep(ctx, s, later, archive.Options{Keep: archive.MinKeep, Now: true}); err != nil {
				failed <- err
				return
			}
		}
	}()
	return <-failed
}

// However a sweeping process is killed, every event that was acknowledged is there
// once, in order, and the next one goes on sweeping.
func TestKilledWhileSweeping(t *testing.T) {
	path := filepath.Join(t.TempDir(), "binnacle.db")
	acked := map[int64]string{}
	for round := range 20 {
		cmd := exec.Command(os.Args[0], "-test.run=^$")
		cmd.Env = append(os.Environ(), childEnv+"="+path)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 1 + rand.IntN(150); n > 0; n-- {
			if !lines.Scan() {
				t.Fatalf("round %d: the child ended: %v", round, lines.Err())
			}
			var seq int64
			var hash string
			if _, err := fmt.Sscan(lines.Text(), &seq, &hash); err != nil {
				t.Fatal(err)
			}
			acked[seq] = hash
		}
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait() // it was killed

		s, err := storetest.OpenAt(path, storetest.Options{Parts: parts.All()})
		if err != nil {
			t.Fatal(err)
		}
		storetest.CheckWhole(t, s)
		v, err := verify.Run(context.Background(), s, verify.Options{})
		if err != nil || !v.OK {
			t.Fatalf("round %d: %+v %+v %v", round, v, v.Finding, err)
		}
		err = s.Read(context.Background(), func(r store.Reader) error {
			for seq, hash := range acked {
				if e, err := r.Event(seq); err != nil || e.Hash != hash {
					t.Errorf("round %d: event %d: %+v %v", round, seq, e, err)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		clear(acked)
	}
	s, err := storetest.OpenAt(path, storetest.Options{Parts: parts.All()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.Read(context.Background(), func(r store.Reader) error {
		if all, err := r.Segments(); err != nil || len(all) < 5 {
			t.Errorf("%d segments, %v", len(all), err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
