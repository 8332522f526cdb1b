//go:build linux

package command_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"binnacle/backend"
	"binnacle/backend/ledger"
	ws "binnacle/backend/workspace"
	"binnacle/model"
)

// stormOf makes events of which no two in a row are equal, as a fleet would
// write them.
func stormOf(from, n int) []ledger.EmitRequest {
	topics := []string{"build/log", "host/load", "test/log", "deploy/eu", "review/42"}
	out := make([]ledger.EmitRequest, n)
	for i := range out {
		k := from + i
		out[i] = ledger.EmitRequest{
			Topic: topics[k%len(topics)], Kind: model.KindNote, Producer: "builder-" + strconv.Itoa(k%7),
			Payload: []byte(fmt.Sprintf(`{"text":"compiling package %d of the tree, attempt %d"}`, k, k%3)),
		}
	}
	return out
}

// quantile is the q-th part of what was measured, in milliseconds.
func quantile(took []time.Duration, q float64) float64 {
	s := slices.Sorted(slices.Values(took))
	if len(s) == 0 {
		return 0
	}
	return ms(s[min(int(q*float64(len(s))), len(s)-1)])
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// resident is how much memory a process holds, in MiB.
func resident(tb testing.TB, pid int) float64 {
	tb.Helper()
	n, err := residentMiB(pid)
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

func residentMiB(pid int) (float64, error) {
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "VmRSS:")
	f := strings.Fields(rest)
	if len(f) == 0 {
		return 0, errors.New("the kernel does not say how much memory is resident")
	}
	kib, err := strconv.ParseFloat(f[0], 64)
	return kib / 1024, err
}

// filled makes a ledger of n events, an hour old, and one rare word in the
// middle of it.
func filled(tb testing.TB, dir string, n int) ws.Workspace {
	tb.Helper()
	w := workspaceIn(tb, dir)
	at := model.WallClock().Add(-time.Hour)
	b, err := backend.Open(context.Background(), backend.Options{Dir: w.Dir(), Clock: model.WallOnly(func() model.Time { return at })})
	if err != nil {
		tb.Fatal(err)
	}
	defer func() {
		if err := b.Close(); err != nil {
			tb.Fatal(err)
		}
	}()
	const batch = 2000
	for from := 0; from < n; from += batch {
		events := stormOf(from, min(batch, n-from))
		if from <= n/2 && n/2 < from+batch {
			events[n/2-from].Payload = []byte(`{"text":"the quokka was here"}`)
		}
		if _, err := b.Ledger.EmitBatch(context.Background(), events); err != nil {
			tb.Fatal(err)
		}
	}
	return w
}

// number reads a number of the environment.
func number(tb testing.TB, name string, otherwise int) int {
	tb.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		tb.Fatal(errors.New(name + " is no number"))
	}
	return n
}
