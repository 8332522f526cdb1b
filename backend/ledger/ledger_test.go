package ledger_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"binnacle/backend/clock/clocktest"
	"binnacle/backend/ledger"
	"binnacle/backend/ledger/verify"
	"binnacle/backend/parts"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/model"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// start is the fake clock's first instant.
const start = model.Time(1_780_000_000_000_000)

// clock is a machine's clocks that only move when they are told to.
type clock struct{ *clocktest.Machine }

func newClock() *clock { return &clock{clocktest.New(start)} }

func (c *clock) Forward(d time.Duration) { c.Advance(d) }

// fixture is a ledger on a real database.
type fixture struct {
	*ledger.Ledger
	t     testing.TB
	store store.Store
	clock *clock
	path  string
}

func open(t testing.TB) *fixture {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "binnacle.db"), newClock())
}

func openAt(t testing.TB, path string, c *clock) *fixture {
	t.Helper()
	s, err := storetest.OpenAt(path, storetest.Options{Parts: parts.All(), Clock: c.Read})
	if err != nil {
		t.Fatal(err)
	}
	l := ledger.Open(s, ledger.Options{Clock: c.Read, Producer: "tester"})
	f := &fixture{Ledger: l, t: t, store: s, clock: c, path: path}
	t.Cleanup(func() { f.shut() })
	return f
}

func (f *fixture) shut() {
	f.t.Helper()
	if err := f.Close(); err != nil {
		f.t.Error(err)
	}
	if err := f.store.Close(); err != nil {
		f.t.Error(err)
	}
}

// note emits a note.
func (f *fixture) note(topic, text string) model.Event {
	f.t.Helper()
	e, err := f.Emit(context.Background(), ledger.EmitRequest{Topic: topic, Kind: model.KindNote, Payload: object("text", text)})
	if err != nil {
		f.t.Fatal(err)
	}
	return e
}

// notes emits n notes in one transaction.
func (f *fixture) notes(n int) {
	f.t.Helper()
	batch := make([]ledger.EmitRequest, n)
	for i := range batch {
		batch[i] = ledger.EmitRequest{Topic: "t/" + fmt.Sprint(i%7), Kind: model.KindNote, Payload: object("text", fmt.Sprintf("note %d", i))}
	}
	if _, err := f.EmitBatch(context.Background(), batch); err != nil {
		f.t.Fatal(err)
	}
}

// raise raises a signal.
func (f *fixture) raise(key string, expires time.Duration) model.Event {
	f.t.Helper()
	e, err := f.Emit(context.Background(), ledger.EmitRequest{
		Topic: "build/alert", Kind: model.KindSignal, Key: key, Payload: object("summary", "disk almost full"), Expires: expires,
	})
	if err != nil {
		f.t.Fatal(err)
	}
	return e
}

// good fails the test unless the whole ledger verifies.
func (f *fixture) good() verify.Result {
	f.t.Helper()
	v, err := verify.Run(context.Background(), f.store, verify.Options{})
	if err != nil {
		f.t.Fatal(err)
	}
	if !v.OK || !v.Derived {
		f.t.Fatalf("the ledger does not verify: %+v, %+v", v, v.Finding)
	}
	return v
}

func object(name, text string) json.RawMessage {
	raw, err := json.Marshal(map[string]string{name: text})
	if err != nil {
		panic(err)
	}
	return raw
}

// wantCode fails unless err has the code.
func wantCode(t testing.TB, err error, want model.Code) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want %s", want)
	}
	if got := model.CodeOf(err); got != want {
		t.Fatalf("error %q has code %s; want %s", err, got, want)
	}
}

// eventually waits for a condition, at most ten seconds.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !ok(); {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(time.Millisecond) //nolint // polls a condition
	}
}
