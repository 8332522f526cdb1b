//go:build linux

package command_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"binnacle/backend"
	"binnacle/backend/ledger"
	"binnacle/backend/queue"
	ws "binnacle/backend/workspace"
	"binnacle/model"
	"binnacle/model/directive"
)

// workspaceIn makes a workspace.
func workspaceIn(tb testing.TB, dir string) ws.Workspace {
	tb.Helper()
	w, _, err := backend.InitWorkspace(context.Background(), dir, backend.StoreOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	return w
}

// openIn opens a workspace as a process of its own would, and closes it with
// the test.
func openIn(tb testing.TB, w ws.Workspace, clock model.Clock) *backend.Backend {
	tb.Helper()
	b, err := backend.Open(context.Background(), backend.Options{Dir: w.Dir(), Clock: clock, Producer: "probe"})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = b.Close() })
	return b
}

// old fills a workspace with what happened some hours ago: nothing in it
// changes any more, so that nothing on a screen does.
func old(tb testing.TB, dir string) ws.Workspace {
	tb.Helper()
	w := workspaceIn(tb, dir)
	at := model.WallClock().Add(-5*time.Hour - 20*time.Minute)
	b := openIn(tb, w, model.WallOnly(func() model.Time { return at }))
	fill(tb, b)
	if err := b.Close(); err != nil {
		tb.Fatal(err)
	}
	return w
}

// fill puts something into every pane: events, signals, directives in lanes.
// Leases are what only a running clock makes sense of: see leased.
func fill(tb testing.TB, b *backend.Backend) {
	tb.Helper()
	ctx := context.Background()
	must := func(err error) {
		tb.Helper()
		if err != nil {
			tb.Fatal(err)
		}
	}
	var all []ledger.EmitRequest
	for i := range 120 {
		all = append(all, ledger.EmitRequest{
			Topic: "build/log", Kind: model.KindNote, Producer: "builder-2",
			Payload: []byte(fmt.Sprintf(`{"text":"compiled %d"}`, i)),
		})
	}
	_, err := b.Ledger.EmitBatch(ctx, all)
	must(err)
	for _, text := range []string{"disk almost full on ci-3", "upload test failed 3 times"} {
		_, err := b.Ledger.Emit(ctx, ledger.EmitRequest{
			Topic: "build/alert", Kind: model.KindSignal, Producer: "probe", Payload: []byte(`{"summary":"` + text + `"}`),
		})
		must(err)
	}
	for i, body := range []string{"verify the release candidate", "fix the flaky test", "write the release notes"} {
		_, err := b.Queue.Push(ctx, queue.Push{Body: body, Priority: directive.Priority(i % 3), Lane: []string{"release", "default"}[i%2]})
		must(err)
	}
}

// leased takes a directive and some work, so that leases run.
func leased(tb testing.TB, b *backend.Backend) {
	tb.Helper()
	if _, err := b.Queue.Next(context.Background(), queue.Next{Lane: "release", Consumer: "builder-2", Lease: 30 * time.Minute}); err != nil {
		tb.Fatal(err)
	}
	if _, err := b.Ledger.ClaimWork(context.Background(), ledger.ClaimRequest{Key: "job-42", Executor: "probe", Lease: 8 * time.Minute}); err != nil {
		tb.Fatal(err)
	}
}
