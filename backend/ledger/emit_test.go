package ledger_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"binnacle/backend/ledger"
	"binnacle/backend/ledger/ledgertest"
	"binnacle/backend/ledger/query"
	"binnacle/model"
	"binnacle/model/redact"
)

func TestEmit(t *testing.T) {
	f := ledgertest.Open(t)
	ctx := context.Background()
	e, err := f.Emit(ctx, ledger.EmitRequest{Topic: "build/log", Kind: model.KindNote, Payload: []byte(`{ "text":"hi", "a":1.0}`)})
	if err != nil {
		t.Fatal(err)
	}
	if e.Seq != 1 || e.Producer != "tester" || string(e.Payload) != `{"a":1,"text":"hi"}` || e.Prev != model.Genesis {
		t.Fatalf("%+v %s", e, e.Payload)
	}
	got, err := f.Event(ctx, 1)
	if err != nil || got.Hash != e.Hash || string(got.Payload) != string(e.Payload) {
		t.Fatalf("read back %+v, %v", got, err)
	}
	for name, r := range map[string]ledger.EmitRequest{
		"contract":  {Topic: "a", Kind: model.KindNote, Payload: []byte(`{}`)},
		"topic":     {Topic: "a b", Kind: model.KindGeneric, Payload: []byte(`{}`)},
		"work":      {Topic: "a", Kind: model.KindWork, Payload: []byte(`{"action":"claim"}`)},
		"system":    {Topic: "a", Kind: model.KindSystem, Payload: []byte(`{}`)},
		"expires":   {Topic: "a", Kind: model.KindNote, Payload: []byte(`{"text":"x"}`), Expires: time.Hour},
		"twice":     {Topic: "a", Kind: model.KindSignal, Payload: []byte(`{"summary":"x","expires":"2026-06-20T15:00:00Z"}`), Expires: time.Hour},
		"causation": {Topic: "a", Kind: model.KindGeneric, Payload: []byte(`{}`), Causation: 99},
	} {
		_, err := f.Emit(ctx, r)
		if model.CodeOf(err) != model.CodeInvalid || err == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if v := f.Good(); v.To != 1 {
		t.Fatalf("refusals left something: %+v", v)
	}
}

func TestEmitBatchIsAllOrNone(t *testing.T) {
	f := ledgertest.Open(t)
	ctx := context.Background()
	good := ledger.EmitRequest{Topic: "a", Kind: model.KindGeneric, Payload: []byte(`{}`)}
	bad := good
	bad.Topic = ""
	_, err := f.EmitBatch(ctx, []ledger.EmitRequest{good, bad})
	var item *ledger.ItemError
	if !errors.As(err, &item) || item.Index != 1 {
		t.Fatal(err)
	}
	late := good
	late.Causation = 50
	if _, err := f.EmitBatch(ctx, []ledger.EmitRequest{good, late}); err == nil {
		t.Fatal("a cause that is not there was taken")
	}
	if n, _ := query.Count(ctx, f.Store(), query.Query{}); n != 0 {
		t.Fatalf("%d events stayed", n)
	}
}

func TestEmitLines(t *testing.T) {
	f := ledgertest.Open(t)
	var in strings.Builder
	const n = 3000
	for i := range n {
		switch i {
		case 100:
			in.WriteString("{\"text\":\n")
		case 1500:
			in.WriteString(`{"text":"` + strings.Repeat("x", 200_000) + "\"}\n")
		case 2000:
			in.WriteString("   \n")
		default:
			fmt.Fprintf(&in, "{\"text\":\"line %d\"}\r\n", i)
		}
	}
	in.WriteString(`{"text":"no end"}`)
	var bad []int
	sum, err := f.EmitLines(context.Background(), strings.NewReader(in.String()), ledger.LineOptions{Topic: "in", Kind: model.KindNote},
		func(e *ledger.LineError) { bad = append(bad, e.Line) })
	if err != nil {
		t.Fatal(err)
	}
	if sum.Accepted != n-1 || sum.Bad != 1 || sum.Lines != n || sum.First != 1 || sum.Last != n-1 {
		t.Fatalf("%+v", sum)
	}
	if len(bad) != 1 || bad[0] != 101 {
		t.Fatalf("bad lines: %v", bad)
	}
	f.Good()
}

// A line that only the store can refuse costs itself alone, and the order is
// kept.
func TestEmitLinesStoreRefusesOne(t *testing.T) {
	f := ledgertest.Open(t)
	var in strings.Builder
	for i := range 1000 {
		cause := 0
		if i == 333 || i == 777 {
			cause = 1 << 40
		}
		fmt.Fprintf(&in, `{"topic":"t","kind":"generic","causation":%d,"payload":{"i":%d}}`+"\n", cause, i)
	}
	in.WriteString(`{"topic":"t","kind":"generic","payload":{},"surplus":1}` + "\n")
	var bad []int
	sum, err := f.EmitLines(context.Background(), strings.NewReader(in.String()), ledger.LineOptions{Envelope: true},
		func(e *ledger.LineError) { bad = append(bad, e.Line) })
	if err != nil {
		t.Fatal(err)
	}
	if sum.Accepted != 998 || fmt.Sprint(bad) != "[334 778 1001]" {
		t.Fatalf("%+v, %v", sum, bad)
	}
	last := -1
	err = query.Each(context.Background(), f.Store(), query.Query{}, func(e *model.Event) error {
		var i int
		if _, err := fmt.Sscanf(string(e.Payload), `{"i":%d}`, &i); err != nil {
			return err
		}
		if i <= last {
			return fmt.Errorf("%d after %d", i, last)
		}
		last = i
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// What a pipe gave is committed although more may come.
func TestEmitLinesFlushesWhenThePipePauses(t *testing.T) {
	f := ledgertest.Open(t)
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := f.EmitLines(context.Background(), r, ledger.LineOptions{Topic: "in", Kind: model.KindNote}, nil)
		done <- err
	}()
	for i := 1; i <= 3; i++ {
		if _, err := fmt.Fprintf(w, "{\"text\":\"%d\"}\n", i); err != nil {
			t.Fatal(err)
		}
		ledgertest.Eventually(t, "the line is committed", func() bool {
			n, err := query.Count(context.Background(), f.Store(), query.Query{})
			return err == nil && n == int64(i)
		})
	}
	if err := w.CloseWithError(errors.New("the pipe broke")); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil || !strings.Contains(err.Error(), "the pipe broke") {
		t.Fatal(err)
	}
}

func TestEmitLinesTooLong(t *testing.T) {
	f := ledgertest.Open(t)
	in := io.MultiReader(strings.NewReader(`{"text":"`), io.LimitReader(endless('x'), ledger.MaxLine+10), strings.NewReader("\"}\n{\"text\":\"ok\"}\n"))
	var bad []int
	sum, err := f.EmitLines(context.Background(), in, ledger.LineOptions{Topic: "in", Kind: model.KindNote},
		func(e *ledger.LineError) { bad = append(bad, e.Line) })
	if err != nil || sum.Accepted != 1 || len(bad) != 1 || bad[0] != 1 {
		t.Fatalf("%+v %v %v", sum, bad, err)
	}
}

type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

func TestRedactionIsBeforeHashing(t *testing.T) {
	f := ledgertest.Open(t)
	redactor, err := redact.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	l := ledger.Open(f.Store(), ledger.Options{Clock: f.Clock.Read, Redactor: redactor})
	defer l.Close()
	secret := "ghp_" + strings.Repeat("A1b2", 9)
	e, err := l.Emit(context.Background(), ledger.EmitRequest{Topic: "a", Kind: model.KindNote, Payload: ledgertest.Object("text", "use "+secret)})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(e.Payload), secret) || !strings.Contains(string(e.Payload), "redacted") {
		t.Fatalf("%s", e.Payload)
	}
	f.Good()
}

// The bound holds for what was given, before secrets are replaced: a payload
// does not fit because its secrets are longer than their marks. It holds for
// what is written as well.
func TestThePayloadsBoundIsBeforeRedaction(t *testing.T) {
	f := ledgertest.Open(t)
	ctx := context.Background()
	redactor, err := redact.New([]redact.Rule{{Name: "long", Pattern: "L{4,}"}, {Name: "one", Pattern: "#"}})
	if err != nil {
		t.Fatal(err)
	}
	l := ledger.Open(f.Store(), ledger.Options{Clock: f.Clock.Read, Redactor: redactor})
	defer l.Close()
	const frame = len(`{"text":""}`)
	for _, c := range []struct {
		name, text string
		fits       bool
	}{
		{"at the bound", strings.Repeat("L", model.MaxPayload-frame), true},
		{"over it before", strings.Repeat("L", model.MaxPayload-frame+1), false},
		{"over it after", strings.Repeat("#", model.MaxPayload-frame), false},
	} {
		e, err := l.Emit(ctx, ledger.EmitRequest{Topic: "a", Kind: model.KindNote, Payload: ledgertest.Object("text", c.text)})
		if c.fits {
			if err != nil || len(e.Payload) > 100 {
				t.Errorf("%s: %d bytes were written (%v)", c.name, len(e.Payload), err)
			}
			continue
		}
		if err == nil || model.CodeOf(err) != model.CodeInvalid {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if n, _ := query.Count(ctx, f.Store(), query.Query{}); n != 1 {
		t.Errorf("%d events were written", n)
	}
	f.Good()
}

// A signal whose time has run out can't be claimed by a batch either.
func TestBatchesSeeThatASignalIsDue(t *testing.T) {
	f := ledgertest.Open(t)
	ctx := context.Background()
	f.Raise("a", time.Hour)
	f.Raise("b", time.Hour)
	f.Clock.Advance(time.Hour)
	claim := ledger.EmitRequest{Topic: "x", Kind: model.KindSignal, Key: "a", Payload: []byte(`{"state":"claimed"}`)}
	other := ledger.EmitRequest{Topic: "x", Kind: model.KindGeneric, Payload: []byte(`{}`)}
	_, err := f.EmitBatch(ctx, []ledger.EmitRequest{other, claim})
	ledgertest.WantCode(t, err, model.CodeRefused)
	if n, _ := query.Count(ctx, f.Store(), query.Query{}); n != 2 {
		t.Fatalf("%d events", n)
	}
	in := `{"kind":"signal","key":"c","payload":{"summary":"new"}}
{"kind":"signal","key":"b","payload":{"state":"claimed"}}
{"kind":"signal","key":"c","payload":{"state":"claimed","by":"ann"}}`
	sum, err := f.EmitLines(ctx, strings.NewReader(in), ledger.LineOptions{Topic: "x", Envelope: true}, nil)
	if err != nil || sum.Accepted != 2 || sum.Bad != 1 {
		t.Fatalf("%+v %v", sum, err)
	}
	for key, want := range map[string]string{"a": "pending", "b": "expired", "c": "claimed"} {
		if s, err := f.ShowSignal(ctx, key, 0); err != nil || s.Record.State != want {
			t.Errorf("%s is %q, want %q (%v)", key, s.Record.State, want, err)
		}
	}
	f.Good()
}
