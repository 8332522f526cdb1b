package backend_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"binnacle/backend"
	"binnacle/backend/coord"
	"binnacle/backend/ledger"
	"binnacle/backend/ledger/query"
	"binnacle/backend/queue"
	"binnacle/backend/workspace"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/directive"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bound is how long a test waits for what must happen at all.
const bound = 20 * time.Second

// place makes an empty workspace folder and returns it.
func place(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), ".binnacle")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// open opens a backend that the test's end closes.
func open(t *testing.T, dir string, change func(*backend.Options)) *backend.Backend {
	t.Helper()
	o := backend.Options{Dir: dir, Producer: "tester"}
	if change != nil {
		change(&o)
	}
	b, err := backend.Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// until waits for a snapshot that is as wanted.
func until(t *testing.T, b *backend.Backend, what string, want func(desk.Snapshot) bool) desk.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	var last desk.Snapshot
	for s := range b.Snapshots(ctx) {
		if last = s; want(s) {
			return s
		}
	}
	t.Fatalf("%s never came; the last snapshot was %+v", what, last)
	return last
}

func emit(t *testing.T, b *backend.Backend, kind model.Kind, payload string) model.Event {
	t.Helper()
	e, err := b.Ledger.Emit(context.Background(), ledger.EmitRequest{Topic: "build/log", Kind: kind, Payload: []byte(payload)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestSnapshotsSeeOtherProcessesCommits(t *testing.T) {
	dir := place(t)
	a, b := open(t, dir, nil), open(t, dir, nil)
	emit(t, a, model.KindNote, `{"text":"x"}`)
	until(t, b, "the other's event", func(s desk.Snapshot) bool { return s.Head.Seq == 1 })
	emit(t, a, model.KindSignal, `{"summary":"look"}`)
	s := until(t, b, "the other's signal", func(s desk.Snapshot) bool { return s.Head.Seq == 2 })
	if len(s.Signals) != 1 || len(s.Needs) != 1 || s.Counts.Get(model.PlaneSignal, model.SignalPending) != 1 {
		t.Fatalf("%+v", s)
	}
}

func TestDutiesAreHandedOver(t *testing.T) {
	dir := place(t)
	a, b := open(t, dir, nil), open(t, dir, nil)
	a.Run(context.Background())
	until(t, a, "the duties", func(s desk.Snapshot) bool { return s.Duties.Held })
	b.Run(context.Background())
	s := until(t, b, "the holder", func(s desk.Snapshot) bool { return s.Duties.Holder != 0 })
	if s.Duties.Held || s.Duties.Holder != os.Getpid() {
		t.Fatalf("%+v", s.Duties)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	free := time.Now()
	until(t, b, "the hand-over", func(s desk.Snapshot) bool { return s.Duties.Held })
	// Who is not told that the lock is free tries every five seconds.
	if took := time.Since(free); took > 3*time.Second {
		t.Errorf("the duties were taken over after %s", took)
	}
}

func TestDutiesEndWithTheirLock(t *testing.T) {
	dir := place(t)
	a := open(t, dir, nil)
	a.Run(context.Background())
	until(t, a, "the duties", func(s desk.Snapshot) bool { return s.Duties.Held })
	if err := os.Remove(filepath.Join(dir, backend.LockName)); err != nil {
		t.Fatal(err)
	}
	until(t, a, "the end of the duties", func(s desk.Snapshot) bool {
		for _, alarm := range s.Health {
			if alarm.Engine == "duties" && strings.Contains(alarm.Text, "taken away") {
				return true
			}
		}
		return false
	})
	// The lock can be had again, and then nothing is wrong any more.
	until(t, a, "the duties again, without an alarm", func(s desk.Snapshot) bool {
		return s.Duties.Held && !slices.ContainsFunc(s.Health, func(x desk.Alarm) bool { return x.Engine == "duties" })
	})
}

// A signal that runs out changes what is shown, also where nobody writes it down.
func TestASnapshotComesWhenASignalRunsOut(t *testing.T) {
	b := open(t, place(t), nil)
	_, err := b.Ledger.Emit(context.Background(), ledger.EmitRequest{Topic: "a", Kind: model.KindSignal, Payload: []byte(`{"summary":"s"}`), Expires: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	until(t, b, "a snapshot after the end", func(s desk.Snapshot) bool { return len(s.Signals) == 1 && s.At >= s.Signals[0].Expires })
}

// What a caller of Run started goes with the caller's context: nothing of it
// stays with the backend until Close.
func TestRunLeavesNothingBehind(t *testing.T) {
	b := open(t, place(t), nil)
	waits := func() int {
		var all bytes.Buffer
		_ = pprof.Lookup("goroutine").WriteTo(&all, 2)
		return strings.Count(all.String(), "backend.(*Backend).spawn")
	}
	run := func() {
		ctx, cancel := context.WithCancel(context.Background())
		b.Run(ctx)
		b.Snapshots(ctx)
		cancel()
	}
	held := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapObjects
	}
	ended := func() {
		t.Helper()
		for end := time.Now().Add(bound); waits() > 0; runtime.Gosched() {
			if time.Now().After(end) {
				t.Fatalf("%d goroutines go on", waits())
			}
		}
	}
	for range 20 {
		run()
	}
	ended()
	before := held()
	for range 200 {
		run()
	}
	ended()
	// A context that is left behind is three objects and more, of three
	// goroutines a round; what only the collector has to see goes soon.
	for end := time.Now().Add(bound); held() > before+1000; runtime.Gosched() {
		if time.Now().After(end) {
			t.Fatalf("200 rounds leave %d objects", held()-before)
		}
	}
}

func TestWhatRunsOutIsTakenBack(t *testing.T) {
	b := open(t, place(t), nil)
	b.Run(context.Background())
	ctx := context.Background()
	if _, err := b.Ledger.ClaimWork(ctx, ledger.ClaimRequest{Key: "job", Executor: "e", Lease: time.Second}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Queue.Push(ctx, queue.Push{Body: "do it", Priority: directive.P1}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Queue.Next(ctx, queue.Next{Consumer: "w", Lease: time.Second}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Ledger.Emit(ctx, ledger.EmitRequest{Topic: "a", Kind: model.KindSignal, Payload: []byte(`{"summary":"s"}`), Expires: time.Second}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Coord.Start(ctx, coord.Start{Task: "t", Paths: []string{"a"}, Lease: time.Second}); err != nil {
		t.Fatal(err)
	}
	s := until(t, b, "the reaping", func(s desk.Snapshot) bool {
		open, err := b.Coord.List(ctx, false)
		return s.Counts.Get(model.PlaneWork, model.WorkExpired) == 1 && s.Counts.Get(model.PlaneSignal, model.SignalExpired) == 1 &&
			len(s.Taken) == 0 && len(open) == 0 && err == nil
	})
	if got := s.Lanes[0].Directives[0]; got.Status != directive.StatusPending || got.RequeueCount != 1 {
		t.Fatalf("%+v", got)
	}
}

func TestBackgroundVerificationFindsWhatWasChanged(t *testing.T) {
	dir := place(t)
	b := open(t, dir, nil)
	for range 3 {
		emit(t, b, model.KindNote, `{"text":"x"}`)
	}
	b.Run(context.Background())
	until(t, b, "the first verification", func(s desk.Snapshot) bool {
		return s.Verified.State == desk.VerifyOK && s.Verified.Seq == 3
	})
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", filepath.Join(dir, workspace.Database))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`UPDATE events SET payload = '{"text":"y"}' WHERE seq = 2`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir, nil)
	again.Run(context.Background())
	s := until(t, again, "the finding", func(s desk.Snapshot) bool { return s.Verified.State == desk.VerifyFailed })
	if s.Verified.At != 2 || !strings.Contains(s.Verified.Finding, "payload") {
		t.Fatalf("%+v", s.Verified)
	}
}

func TestAnActIsConditionalOnWhatWasOnScreen(t *testing.T) {
	b := open(t, place(t), nil)
	ctx := context.Background()
	e := emit(t, b, model.KindSignal, `{"summary":"look"}`)
	first := desk.Action{Verb: desk.VerbSignalClaim, Key: e.Key, Rev: 1}
	o, err := b.Do(ctx, first)
	if err != nil || o.Undo == nil {
		t.Fatalf("%+v %v", o, err)
	}
	if _, err := b.Do(ctx, first); model.CodeOf(err) != model.CodeStale {
		t.Fatalf("a second act on the same revision: %v", err)
	}
	if _, err := b.Undo(ctx, overWire(t, *o.Undo)); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Undo(ctx, *o.Undo); model.CodeOf(err) != model.CodeStale {
		t.Fatalf("an undo of what moved on: %v", err)
	}
}

// overWire is an undo as it comes back from a client far away.
func overWire(t *testing.T, u desk.Undo) (back desk.Undo) {
	t.Helper()
	b, err := desk.Marshal(u)
	if err == nil {
		err = desk.Unmarshal(b, &back)
	}
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// A claim of somebody else's, a release and a directive's changes are undone by
// what came over a wire; what the ledger does not hold as an act is not.
func TestUndoKnowsOnlyWhatTheLedgerHolds(t *testing.T) {
	b := open(t, place(t), nil)
	ctx := context.Background()
	do := func(a desk.Action) desk.Outcome {
		t.Helper()
		o, err := b.Do(ctx, a)
		if err != nil || o.Undo == nil {
			t.Fatalf("%s: %+v %v", a.Verb, o, err)
		}
		return o
	}
	raised := emit(t, b, model.KindSignal, `{"summary":"look"}`)
	note := emit(t, b, model.KindNote, `{"text":"x"}`)
	other := emit(t, b, model.KindSignal, `{"summary":"another"}`)
	pending := emit(t, b, model.KindSignal, `{"summary":"nobody's yet"}`)
	others := do(desk.Action{Verb: desk.VerbSignalClaim, Key: other.Key})
	do(desk.Action{Verb: desk.VerbSignalClaim, Key: raised.Key})
	released := do(desk.Action{Verb: desk.VerbSignalRelease, Key: raised.Key})
	if o, err := b.Undo(ctx, overWire(t, *released.Undo)); err != nil || o.Text != "undone: signal "+raised.Key+" is claimed" {
		t.Fatalf("%+v %v", o, err)
	}
	pushed := do(desk.Action{Verb: desk.VerbPush, Body: "do it"})
	dropped := do(desk.Action{Verb: desk.VerbDrop, Key: pushed.Record.Key})
	copied, err := b.Undo(ctx, overWire(t, *dropped.Undo))
	if err != nil || copied.Record.Key == pushed.Record.Key {
		t.Fatalf("%+v %v", copied, err)
	}
	signal, directive := released.Record, copied.Record
	if s, err := b.Detail(ctx, desk.Ref{Kind: model.KindSignal, Key: raised.Key}); err != nil {
		t.Fatal(err)
	} else {
		signal.Rev = s.Signal.Rev
	}
	before, err := b.Snapshot(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for name, u := range map[string]desk.Undo{
		"the raise of a signal":     {Event: pending.Seq, Record: desk.At{Kind: model.KindSignal, Key: pending.Key, Rev: 1}},
		"another signal's act":      {Event: others.Undo.Event, Record: desk.At{Kind: model.KindSignal, Key: raised.Key, Rev: others.Record.Rev}},
		"a note":                    {Event: note.Seq, Record: signal},
		"a note for a directive":    {Event: note.Seq, Record: directive},
		"no event":                  {Event: 4711, Record: signal},
		"a directive for a signal":  {Event: dropped.Undo.Event, Record: signal},
		"another record's kind":     {Event: note.Seq, Record: desk.At{Kind: model.KindNote, Key: "x"}},
		"a drop that was undone":    *dropped.Undo,
		"a directive that is no id": {Event: dropped.Undo.Event, Record: desk.At{Kind: model.KindDirective, Key: "x"}},
	} {
		if o, err := b.Undo(ctx, u); err == nil {
			t.Errorf("%s was undone: %+v", name, o)
		}
	}
	if after, err := b.Snapshot(ctx); err != nil || after.Head.Seq != before.Head.Seq {
		t.Errorf("the ledger went on from %d to %d: %v", before.Head.Seq, after.Head.Seq, err)
	}
}

// What Follow delivers and what it counts as missed is what was committed, in
// order, whatever the reader's pace.
func TestFollowDeliversOrCounts(t *testing.T) {
	b := open(t, place(t), nil)
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	const total = 12_000
	batch := make([]ledger.EmitRequest, 500)
	for i := range batch {
		batch[i] = ledger.EmitRequest{Topic: "build/log", Kind: model.KindNote, Payload: []byte(`{"text":"x"}`)}
	}
	begun, done := make(chan struct{}), make(chan error, 1)
	go func() {
		close(begun)
		for range total / len(batch) {
			if _, err := b.Ledger.EmitBatch(ctx, batch); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	<-begun
	var got, missed, last int64
	feed, err := b.Follow(ctx, desk.FollowRequest{After: &model.Cursor{}, Room: 4096})
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	for last < total {
		items, err := feed.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		for _, it := range items {
			if g := it.Gap; g != nil {
				missed += g.Missed
				last = max(last, g.To)
				continue
			}
			if it.Event.Seq <= last {
				t.Errorf("event %d came after %d", it.Event.Seq, last)
			}
			last = it.Event.Seq
			got++
		}
	}
	if err := <-done; err != nil && got+missed < total {
		t.Fatal(err)
	}
	if got+missed != total {
		t.Fatalf("%d delivered and %d missed of %d", got, missed, total)
	}
}

// An operator extends a lease without its token: that is forced, and the event
// says so and who did it.
func TestExtendingALeaseIsForcedAndSaysSo(t *testing.T) {
	b := open(t, place(t), nil)
	ctx := context.Background()
	if _, err := b.Ledger.ClaimWork(ctx, ledger.ClaimRequest{Key: "job", Executor: "e", Lease: time.Hour}); err != nil {
		t.Fatal(err)
	}
	c, err := b.Queue.Push(ctx, queue.Push{Body: "do it", Priority: directive.P1})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Queue.Next(ctx, queue.Next{Consumer: "w", Lease: time.Hour}); err != nil {
		t.Fatal(err)
	}
	for _, a := range []desk.Action{
		{Verb: desk.VerbExtend, Key: directive.Key(c.After.ID), For: 2 * time.Hour},
		{Verb: desk.VerbWorkExtend, Key: "job", For: 2 * time.Hour},
	} {
		o, err := b.Do(ctx, a)
		if err != nil || o.Did != "extended" {
			t.Errorf("%s: %+v %v", a.Verb, o, err)
			continue
		}
		last, err := query.All(ctx, b.Store, query.Query{Newest: true, Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		var said struct {
			By     string
			Forced bool
		}
		if err := json.Unmarshal(last[0].Payload, &said); err != nil {
			t.Fatal(err)
		}
		if !said.Forced || said.By != "tester" && last[0].Producer != "tester" {
			t.Errorf("%s: the event of %s says %s", a.Verb, last[0].Producer, last[0].Payload)
		}
	}
	// Without force, both ask for the claim's token.
	if _, err := b.Queue.Touch(ctx, queue.Act{ID: c.After.ID}, time.Hour); model.CodeOf(err) != model.CodeToken {
		t.Errorf("a directive's lease without token or force: %v", err)
	}
	if _, err := b.Ledger.HeartbeatWork(ctx, ledger.WorkRequest{Key: "job", Executor: "ana", Lease: time.Hour}); err == nil {
		t.Error("a work item's lease was extended without token or force")
	}
}
