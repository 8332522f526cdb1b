// Package ledgertest is a ledger on a real database for tests, and what they fill
// it with.
package ledgertest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"binnacle/backend/clock/clocktest"
	"binnacle/backend/ledger"
	"binnacle/backend/ledger/verify"
	"binnacle/backend/parts"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/model"
	"binnacle/model/directive"
)

// Start is the fake clock's first instant.
const Start = model.Time(1_780_000_000_000_000)

// Fixture is a ledger of every part on a real database, and its clock, which moves
// only when it is told to.
type Fixture struct {
	*ledger.Ledger
	t     testing.TB
	Clock *clocktest.Machine
	Path  string
}

// Open opens a new one. It is closed at the end of the test.
func Open(t testing.TB) *Fixture {
	t.Helper()
	return OpenAt(t, filepath.Join(t.TempDir(), "binnacle.db"), clocktest.New(Start))
}

// OpenAt opens the one at path, by the clock c.
func OpenAt(t testing.TB, path string, c *clocktest.Machine) *Fixture {
	t.Helper()
	s, err := storetest.OpenAt(path, storetest.Options{Parts: parts.All(), Clock: c.Read})
	if err != nil {
		t.Fatal(err)
	}
	l := ledger.Open(s, ledger.Options{Clock: c.Read, Producer: "tester"})
	f := &Fixture{Ledger: l, t: t, Clock: c, Path: path}
	t.Cleanup(func() { f.Shut() })
	return f
}

// Shut closes it before the test ends.
func (f *Fixture) Shut() {
	f.t.Helper()
	if err := f.Close(); err != nil {
		f.t.Error(err)
	}
	if err := f.Store().Close(); err != nil {
		f.t.Error(err)
	}
}

// Note emits a note.
func (f *Fixture) Note(topic, text string) model.Event {
	f.t.Helper()
	e, err := f.Emit(context.Background(), ledger.EmitRequest{Topic: topic, Kind: model.KindNote, Payload: Object("text", text)})
	if err != nil {
		f.t.Fatal(err)
	}
	return e
}

// Notes emits n notes in one transaction.
func (f *Fixture) Notes(n int) {
	f.t.Helper()
	batch := make([]ledger.EmitRequest, n)
	for i := range batch {
		batch[i] = ledger.EmitRequest{Topic: "t/" + fmt.Sprint(i%7), Kind: model.KindNote, Payload: Object("text", fmt.Sprintf("note %d", i))}
	}
	if _, err := f.EmitBatch(context.Background(), batch); err != nil {
		f.t.Fatal(err)
	}
}

// Raise raises a signal.
func (f *Fixture) Raise(key string, expires time.Duration) model.Event {
	f.t.Helper()
	e, err := f.Emit(context.Background(), ledger.EmitRequest{
		Topic: "build/alert", Kind: model.KindSignal, Key: key, Payload: Object("summary", "disk almost full"), Expires: expires,
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return e
}

// Good fails the test unless the whole ledger verifies.
func (f *Fixture) Good() verify.Result {
	f.t.Helper()
	v, err := verify.Run(context.Background(), f.Store(), verify.Options{})
	if err != nil {
		f.t.Fatal(err)
	}
	if !v.OK || !v.Derived {
		f.t.Fatalf("the ledger does not verify: %+v, %+v", v, v.Finding)
	}
	return v
}

// Object is a JSON object of one member.
func Object(name, text string) json.RawMessage {
	raw, err := json.Marshal(map[string]string{name: text})
	if err != nil {
		panic(err)
	}
	return raw
}

// WantCode fails unless err has the code.
func WantCode(t testing.TB, err error, want model.Code) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want %s", want)
	}
	if got := model.CodeOf(err); got != want {
		t.Fatalf("error %q has code %s; want %s", err, got, want)
	}
}

// Eventually waits for a condition, at most ten seconds.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(time.Millisecond) //nolint // polls a condition
	}
}

// Furnish fills a ledger with events and records of every kind: notes 1-40,
// then signals and work and directives.
func (f *Fixture) Furnish() {
	f.t.Helper()
	ctx := context.Background()
	for range 4 {
		f.Notes(10)
	}
	f.Raise("s1", 0)
	f.Raise("s2", time.Hour)
	if _, err := f.Signal(ctx, ledger.SignalRequest{Action: ledger.SignalClaim, Key: "s1", By: "ann"}); err != nil {
		f.t.Fatal(err)
	}
	c, err := f.ClaimWork(ctx, ledger.ClaimRequest{Key: "w1", Executor: "bob", Lease: time.Minute})
	if err != nil {
		f.t.Fatal(err)
	}
	if _, err := f.CompleteWork(ctx, ledger.WorkRequest{Key: "w1", Executor: "bob", Token: c.Token, Evidence: []byte(`{"ok":true}`)}); err != nil {
		f.t.Fatal(err)
	}
	if _, err := f.ClaimWork(ctx, ledger.ClaimRequest{Key: "w2", Executor: "bob"}); err != nil {
		f.t.Fatal(err)
	}
	body := strings.Repeat("long body ", 30)
	for id := 1; id <= 3; id++ {
		push := fmt.Sprintf(`{"action":"push","lane":"default","priority":"P1","body":%q}`, body)
		state := directive.StatusPending
		if id == 3 {
			push = fmt.Sprintf(`{"action":"push-deferred","lane":"default","priority":"P1","body":%q,"blocked_by":[1,2]}`, body)
			state = directive.StatusDeferred
		}
		f.Directive(id, state, push)
	}
	f.Notes(10)
}

// Directive appends a directive's event as the queue would.
func (f *Fixture) Directive(id int, state, payload string) {
	f.t.Helper()
	d := model.Draft{Topic: "queue/default", Producer: "q", Kind: model.KindDirective, Key: fmt.Sprint(id), State: state, Payload: []byte(payload)}
	if err := d.Check(); err != nil {
		f.t.Fatal(err)
	}
	if _, err := f.Store().Append(context.Background(), []model.Draft{d}); err != nil {
		f.t.Fatal(err)
	}
}

// Motley fills a ledger with events whose fields test every corner of a filter.
func (f *Fixture) Motley() {
	f.t.Helper()
	f.Furnish()
	ctx := context.Background()
	for i, text := range []string{"100% sure", "under_score", `back\slash`, "ÄÖ ä", "Quote\"d", "tab\there", "MIXED Case", "[class]", "a*b?c", "日本語 text"} {
		f.Clock.Advance(time.Minute)
		if _, err := f.Emit(ctx, ledger.EmitRequest{Topic: fmt.Sprintf("build/x_%d", i), Kind: model.KindNote, Producer: "ci " + string([]rune(text)[:1]), Payload: Object("text", text)}); err != nil {
			f.t.Fatal(err)
		}
	}
	f.Raise("k*[1]%_", 0)
	if _, err := f.Signal(ctx, ledger.SignalRequest{Action: ledger.SignalClaim, Key: "k*[1]%_", By: "a%b", Reason: "Word"}); err != nil {
		f.t.Fatal(err)
	}
	f.Directive(1, "taken", `{"action":"take","by":"w-1"}`)
	f.Directive(2, "pending", `{"action":"reprioritize","priority":"P0","by":"op"}`)
	if _, err := f.Emit(ctx, ledger.EmitRequest{Topic: "queue/default", Kind: model.KindGeneric, Payload: []byte(`{"by":"w-1","priority":"P0","executor":"bob"}`)}); err != nil {
		f.t.Fatal(err)
	}
	if _, err := f.Emit(ctx, ledger.EmitRequest{Topic: "odd", Kind: model.KindGeneric, Payload: []byte(`{"by":5,"priority":["P0"],"executor":{"a":"b"}}`)}); err != nil {
		f.t.Fatal(err)
	}
}

// Throng appends six spans of events, most by one producer: "rare" has four,
// "late" the last.
func (f *Fixture) Throng() {
	f.t.Helper()
	batch := make([]ledger.EmitRequest, 6*store.SpanSize)
	for i := range batch {
		batch[i] = ledger.EmitRequest{Topic: "t/throng", Kind: model.KindNote, Producer: "chatty", Payload: Object("text", fmt.Sprint("line ", i))}
	}
	for _, i := range []int{700, 701, 2000, 3000} {
		batch[i].Producer = "rare"
	}
	batch[1300].Kind, batch[1300].Payload = model.KindMetric, []byte(`{"name":"load1","value":1}`)
	batch[len(batch)-1].Producer = "late"
	for part := range slices.Chunk(batch, 1000) {
		f.Clock.Advance(10 * time.Second)
		if _, err := f.EmitBatch(context.Background(), part); err != nil {
			f.t.Fatal(err)
		}
	}
}

// Seqs are the sequence numbers of events.
func Seqs(events []model.Event) []int64 {
	var out []int64
	for _, e := range events {
		out = append(out, e.Seq)
	}
	return out
}

// Files are the files of a folder with what they hold.
func Files(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name()] = string(b)
	}
	return out
}
