package storetest

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/directive"
)

// harness makes stores of some parts for the suite.
type harness struct {
	parts  *store.Parts
	places map[store.Store]string
}

// New opens a store on a new, empty database and closes it after the test.
func (h harness) New(t testing.TB, clock model.Clock) store.Store {
	t.Helper()
	place := Place(t)
	s := open(t, place, Options{Parts: h.parts, Clock: clock})
	h.places[s] = place
	return s
}

// Again opens one more store on the database of s, as another process would, and
// closes it after the test.
func (h harness) Again(t testing.TB, s store.Store, clock model.Clock) store.Store {
	t.Helper()
	return open(t, h.places[s], Options{Parts: h.parts, Clock: clock})
}

// recordsOf is the projection of the events of a kind.
func recordsOf(parts *store.Parts, k model.Kind) store.Projection {
	return parts.Records()[parts.Owner(k, "")]
}

// Run runs the whole suite, with the records of the parts, which are signals, work
// and directives at least.
func Run(t *testing.T, parts *store.Parts) {
	h := harness{parts, map[store.Store]string{}}
	cases := []struct {
		name string
		run  func(t *testing.T, h harness)
	}{
		{"events come out as they went in, in a chain", chained},
		{"full spans say who wrote, and what", spans},
		{"a clock that goes back doesn't take timestamps back", clockBack},
		{"causation names an earlier event", causation},
		{"records move by their machines only", machines},
		{"keyless records are named", keyless},
		{"a batch goes in whole or not at all", batches},
		{"a refused write leaves nothing and disturbs nobody", refused},
		{"a panic is an error", panics},
		{"a write sees its own work", ownWork},
		{"a read sees one instant and can't write", instants},
		{"concurrent writers leave no gap", concurrent},
		{"two stores on one database don't fork the chain", twoStores},
		{"one of many claims wins", oneWinner},
		{"a cancelled write that waits never runs", cancelWaiting},
		{"a cancelled write that runs is told the truth", cancelRunning},
		{"watchers get the newest head", watching},
		{"who listens is rung for what is notified, once it is there", listeningTo},
		{"what was acknowledged is there after reopening", reopening},
		{"what is sealed away reads as before", sealing},
		{"a closed store refuses", closing},
		{"whatever is written, the records are the fold of the events", folds},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, h) })
	}
}

// patience bounds every wait of the suite.
const patience = 20 * time.Second

// ticking is a clock that moves a millisecond at each look.
func ticking() model.Clock {
	var n atomic.Int64
	base, _ := model.ParseTime("2026-06-20T15:00:00Z")
	return func() model.Reading {
		d := time.Duration(n.Add(1)) * time.Millisecond
		return model.Reading{Boot: "suite", Up: d, Awake: d, Wall: base.Add(d)}
	}
}

func note(text string) model.Draft {
	return draft(model.KindNote, "", "", map[string]any{"text": text})
}

func draft(kind model.Kind, key, state string, payload any) model.Draft {
	b, err := json.Marshal(payload)
	if err != nil {
		panic(err)
	}
	d := model.Draft{Topic: "test/suite", Producer: "suite", Kind: kind, Key: key, State: state, Payload: b}
	if err := d.Check(); err != nil {
		panic(err)
	}
	return d
}

func appendOne(t testing.TB, s store.Store, d model.Draft) model.Event {
	t.Helper()
	out, err := s.Append(context.Background(), []model.Draft{d})
	if err != nil {
		t.Fatalf("append: %v", err)
	}
	return out[0]
}

func wantCode(t testing.TB, err error, want model.Code) {
	t.Helper()
	if err == nil || model.CodeOf(err) != want {
		t.Fatalf("got the error %v (code %s), want code %s", err, model.CodeOf(err), want)
	}
}

// allEvents reads the whole ledger, in pages.
func allEvents(t testing.TB, s store.Store) []model.Event {
	t.Helper()
	var out []model.Event
	err := s.Read(context.Background(), func(r store.Reader) error {
		for {
			after := int64(0)
			if len(out) > 0 {
				after = out[len(out)-1].Seq
			}
			page, err := r.Events(after, 500)
			if err != nil || len(page) == 0 {
				return err
			}
			out = append(out, page...)
		}
	})
	if err != nil {
		t.Fatalf("reading all events: %v", err)
	}
	return out
}

// CheckWhole fails the test unless the chain is whole and the records and
// counts are exactly the fold of the events. It returns the events' fold.
func CheckWhole(t testing.TB, s store.Store) *store.Fold {
	t.Helper()
	events := allEvents(t, s)
	state := store.NewFold(s.Parts())
	prev, ts := model.Genesis, model.Time(0)
	for i, e := range events {
		switch {
		case e.Seq != int64(i+1):
			t.Fatalf("event %d stands in the place of %d", e.Seq, i+1)
		case e.Prev != prev:
			t.Fatalf("event %d doesn't link to the one before", e.Seq)
		case e.TS < ts:
			t.Fatalf("event %d is older than the one before", e.Seq)
		case model.HashOf(e.AppendCanonical(nil)) != e.Hash:
			t.Fatalf("event %d has another hash than its bytes", e.Seq)
		}
		prev, ts = e.Hash, e.TS
		if _, _, err := state.Apply(e); err != nil {
			t.Fatalf("event %d breaks its record's machine: %v", e.Seq, err)
		}
	}
	err := s.Read(context.Background(), func(r store.Reader) error {
		head, err := r.Head()
		if err != nil {
			return err
		}
		if head != state.Head {
			t.Fatalf("the head is %+v, the events say %+v", head, state.Head)
		}
		counts, err := r.Counts()
		if err != nil {
			return err
		}
		sameCounts(t, counts, state.Counts)
		sameCounts(t, counts, recount(state, len(events)))
		if err := sameSpans(t, r, events); err != nil {
			return err
		}
		return sameRecords(t, r, state)
	})
	if err != nil {
		t.Fatalf("checking the records: %v", err)
	}
	return state
}

// sameSpans compares event_spans with what the events add up to.
func sameSpans(t testing.TB, r store.Reader, events []model.Event) error {
	t.Helper()
	want := map[string]int64{}
	for _, e := range events[:max(0, store.FullSpans(int64(len(events)))*store.SpanSize-1)] {
		want[fmt.Sprint("producer ", e.Producer, " ", store.SpanOf(e.Seq))]++
		want[fmt.Sprint("kind ", e.Kind, " ", store.SpanOf(e.Seq))]++
	}
	rows, err := r.Query(`SELECT field || ' ' || value || ' ' || span, count FROM event_spans`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	got := map[string]int64{}
	for rows.Next() {
		var of string
		var n int64
		if err := rows.Scan(&of, &n); err != nil {
			return err
		}
		got[of] = n
	}
	same(t, "event_spans", got, want)
	return rows.Err()
}

// recount counts what is there, without what was counted on the way.
func recount(f *store.Fold, events int) model.Counts {
	c := model.Counts{}
	for of, n := range f.Counts {
		if of.Plane == model.PlaneRecord {
			c[of] = n
		}
	}
	c[model.Counter{Plane: model.PlaneRecord, Name: "total"}] = int64(events)
	for i, p := range f.Parts().Records() {
		for _, rec := range f.Records[i] {
			if of, ok := p.Counter(rec); ok {
				c[of]++
			}
		}
	}
	return c
}

func sameCounts(t testing.TB, got, want model.Counts) {
	t.Helper()
	for of, n := range want {
		if got[of] != n {
			t.Fatalf("the count %v is %d, the events say %d", of, got[of], n)
		}
	}
	for of, n := range got {
		if want[of] != n {
			t.Fatalf("the count %v is %d, the events say %d", of, n, want[of])
		}
	}
}

func sameRecords(t testing.TB, r store.Reader, fold *store.Fold) error {
	t.Helper()
	for of, p := range fold.Parts().Records() {
		for key, want := range fold.Records[of] {
			got, err := r.Record(p, key)
			if err != nil {
				return err
			}
			same(t, p.Shape().Noun+" "+key, got, want)
		}
	}
	return nil
}

// same compares records by their JSON with the token hashes, which JSON leaves
// out; so a nil list equals an empty one.
func same(t testing.TB, what string, got, want any) {
	t.Helper()
	if g, w := describe(got), describe(want); g != w {
		t.Fatalf("%s is\n%s\nthe events say\n%s", what, g, w)
	}
}

func describe(v any) string {
	token := ""
	switch r := v.(type) {
	case model.Work:
		token = r.TokenHash
	case directive.Directive:
		token = r.TokenHash
	}
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b) + " token " + token
}

// eventually waits until the condition holds.
func eventually(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !holds() {
		if time.Now().After(deadline) {
			t.Fatalf("it never came about that %s", what)
		}
		time.Sleep(200 * time.Microsecond)
	}
}
