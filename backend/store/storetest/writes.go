package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"binnacle/backend/store"
	"binnacle/model"
)

func chained(t *testing.T, h harness) {
	s := h.New(t, ticking())
	for i := range 20 {
		d := note(fmt.Sprintf("n%d \u2028 <&> \"", i))
		e := appendOne(t, s, d)
		if e.Seq != int64(i+1) || string(e.Payload) != string(d.Payload) || e.Topic != d.Topic {
			t.Fatalf("event %d came back as %+v", i+1, e)
		}
	}
	for _, want := range allEvents(t, s) {
		err := s.Read(context.Background(), func(r store.Reader) error {
			got, err := r.Event(want.Seq)
			if err != nil {
				return err
			}
			if string(got.AppendJSON(nil)) != string(want.AppendJSON(nil)) {
				t.Fatalf("event %d differs alone and in a page", want.Seq)
			}
			if _, err := r.Event(want.Seq + 1000); model.CodeOf(err) != model.CodeNotFound {
				t.Fatalf("a missing event gives %v", err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	CheckWhole(t, s)
}

// spans fills some, in writes of every size, with one that is taken back.
func spans(t *testing.T, h harness) {
	s := h.New(t, ticking())
	for _, n := range []int{510, 1, 1, 511, 1, 3000, 40} {
		batch := make([]model.Draft, n)
		for i := range batch {
			batch[i] = note("x")
			batch[i].Producer = fmt.Sprint("p", i*i%7)
		}
		if _, err := s.Append(context.Background(), batch); err != nil {
			t.Fatal(err)
		}
		mine := errors.New("mine")
		err := s.Write(context.Background(), func(tx store.Tx) error {
			for _, d := range batch[:min(n, 600)] {
				if _, err := tx.Append(d); err != nil {
					return err
				}
			}
			var k int64
			if err := tx.QueryRow(`SELECT count(*) FROM events`).Scan(&k); err != nil {
				return err
			}
			return mine
		})
		if !errors.Is(err, mine) {
			t.Fatal(err)
		}
	}
	CheckWhole(t, s)
}

func clockBack(t *testing.T, h harness) {
	now := model.Time(1_800_000_000_000_000)
	s := h.New(t, model.WallOnly(func() model.Time { return now }))
	a := appendOne(t, s, note("a"))
	now -= 3_600_000_000
	b := appendOne(t, s, note("b"))
	if b.TS != a.TS {
		t.Fatalf("after %s came %s", a.TS, b.TS)
	}
	err := s.Write(context.Background(), func(tx store.Tx) error {
		if tx.Now() < b.TS {
			t.Errorf("Now is %s, before the head's %s", tx.Now(), b.TS)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	CheckWhole(t, s)
}

func causation(t *testing.T, h harness) {
	s := h.New(t, ticking())
	d := note("first")
	for _, cause := range []int64{1, 2, 99} {
		d.Causation = cause
		_, err := s.Append(context.Background(), []model.Draft{d})
		wantCode(t, err, model.CodeInvalid)
	}
	d.Causation = 0
	appendOne(t, s, d)
	d.Causation = 1
	if e := appendOne(t, s, d); e.Causation != 1 {
		t.Fatalf("causation came back as %d", e.Causation)
	}
	// Inside one write, an event may be caused by one just appended.
	d.Causation = 3
	if _, err := s.Append(context.Background(), []model.Draft{note("third"), d}); err != nil {
		t.Fatal(err)
	}
	CheckWhole(t, s)
}

func machines(t *testing.T, h harness) {
	s := h.New(t, ticking())
	raise := draft(model.KindSignal, "disk", "pending", map[string]any{"summary": "full"})
	claim := draft(model.KindSignal, "disk", "claimed", map[string]any{"by": "me"})
	clearIt := draft(model.KindSignal, "disk", "cleared", map[string]any{})
	_, err := s.Append(context.Background(), []model.Draft{claim})
	wantCode(t, err, model.CodeNotFound)
	appendOne(t, s, raise)
	for _, wrong := range []model.Draft{raise, clearIt} {
		_, err := s.Append(context.Background(), []model.Draft{wrong})
		wantCode(t, err, model.CodeRefused)
	}
	appendOne(t, s, claim)
	appendOne(t, s, clearIt)
	_, err = s.Append(context.Background(), []model.Draft{claim})
	wantCode(t, err, model.CodeRefused)
	state := CheckWhole(t, s)
	if state.Head.Seq != 3 || state.Counts.Get(model.PlaneSignal, "cleared") != 1 {
		t.Fatalf("the ledger holds %+v %v", state.Head, state.Counts)
	}
}

func keyless(t *testing.T, h harness) {
	s := h.New(t, ticking())
	raise := func(key string) model.Draft {
		return draft(model.KindSignal, key, "pending", map[string]any{"summary": "s"})
	}
	push := func(key string) model.Draft {
		return draft(model.KindDirective, key, "pending", map[string]any{"action": "push", "body": "b"})
	}
	appendOne(t, s, raise("3")) // somebody chose the third event's name
	for _, c := range []struct {
		d    model.Draft
		want string
	}{{raise(""), "2"}, {raise(""), "3.2"}, {push("7"), "7"}, {push(""), "8"}, {push(""), "9"}} {
		if e := appendOne(t, s, c.d); e.Key != c.want {
			t.Fatalf("event %d got the key %q, want %q", e.Seq, e.Key, c.want)
		}
	}
	out, err := s.Append(context.Background(), []model.Draft{push(""), push("20"), push("")})
	if err != nil || out[0].Key != "10" || out[2].Key != "21" {
		t.Fatalf("a batch got the keys %v, %v", out, err)
	}
	CheckWhole(t, s)
}

func batches(t *testing.T, h harness) {
	s := h.New(t, ticking())
	ctx := context.Background()
	drafts := make([]model.Draft, 6000)
	for i := range drafts {
		drafts[i] = note(fmt.Sprint(i))
	}
	bad := append(append([]model.Draft(nil), drafts...), draft(model.KindSignal, "x", "cleared", map[string]any{}))
	_, err := s.Append(ctx, bad)
	wantCode(t, err, model.CodeNotFound)
	if n := len(allEvents(t, s)); n != 0 {
		t.Fatalf("a refused batch left %d events", n)
	}
	out, err := s.Append(ctx, drafts)
	if err != nil || len(out) != len(drafts) || out[5999].Seq != 6000 {
		t.Fatalf("%d events, %v", len(out), err)
	}
	if out, err := s.Append(ctx, nil); err != nil || len(out) != 0 {
		t.Fatalf("an empty batch gives %v, %v", out, err)
	}
	CheckWhole(t, s)
}

var errMine = errors.New("changed my mind")

// together runs the writes so that, as far as the store allows, they share one
// transaction: they queue up, in order, behind one that is held back.
func together(t testing.TB, s store.Store, writes []func(tx store.Tx) error) []error {
	t.Helper()
	running, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		var once sync.Once
		_ = s.Write(context.Background(), func(store.Tx) error {
			once.Do(func() { close(running) })
			<-release
			return nil
		})
	}()
	<-running
	errs := make([]error, len(writes))
	for i, fn := range writes {
		wg.Add(1)
		go func() {
			defer wg.Done()
			errs[i] = s.Write(context.Background(), fn)
		}()
		eventually(t, "a write waits", func() bool { return s.Health().Waiting > i })
	}
	close(release)
	wg.Wait()
	return errs
}

func refused(t *testing.T, h harness) {
	s := h.New(t, ticking())
	scratchTable(t, s)
	appendN := func(n int, fails error) func(tx store.Tx) error {
		return func(tx store.Tx) error {
			for i := range n {
				if _, err := tx.Append(note(fmt.Sprint(i))); err != nil {
					return err
				}
			}
			return fails
		}
	}
	execToo := func(fails error) func(tx store.Tx) error {
		return func(tx store.Tx) error {
			if _, err := tx.Append(draft(model.KindSignal, "s", "pending", map[string]any{"summary": "x"})); err != nil {
				return err
			}
			if _, err := tx.Exec(`INSERT INTO scratch (n) VALUES ($1)`, 1); err != nil {
				return err
			}
			var n int
			if err := tx.QueryRow(`SELECT count(*) FROM signals`).Scan(&n); err != nil || n != 1 {
				return fmt.Errorf("%d signals in sight, %w", n, err)
			}
			_, err := tx.Append(note("after"))
			return errors.Join(err, fails)
		}
	}
	errs := together(t, s, []func(tx store.Tx) error{
		appendN(2, nil), appendN(3, errMine), appendN(1, nil), execToo(errMine), appendN(40, nil), execToo(nil),
		appendN(2, errMine), execToo(nil), appendN(1, nil),
	})
	for i, wantErr := range []bool{false, true, false, true, false, false, true, true, false} {
		if (errs[i] != nil) != wantErr {
			t.Fatalf("write %d ended with %v", i, errs[i])
		}
	}
	if !errors.Is(errs[1], errMine) {
		t.Fatalf("the function's own error came back as %v", errs[1])
	}
	wantCode(t, errs[7], model.CodeRefused)
	state := CheckWhole(t, s)
	if state.Head.Seq != 46 || scratchCount(t, s) != 1 {
		t.Fatalf("%d events and %d rows, want 46 and 1", state.Head.Seq, scratchCount(t, s))
	}
}

func panics(t *testing.T, h harness) {
	s := h.New(t, ticking())
	ok := func(tx store.Tx) error { _, err := tx.Append(note("x")); return err }
	errs := together(t, s, []func(tx store.Tx) error{
		ok,
		func(tx store.Tx) error {
			_, _ = tx.Append(note("lost"))
			panic("boom")
		},
		ok,
	})
	if errs[0] != nil || errs[2] != nil {
		t.Fatalf("the neighbours of a panic ended with %v, %v", errs[0], errs[2])
	}
	wantCode(t, errs[1], model.CodeInternal)
	if state := CheckWhole(t, s); state.Head.Seq != 2 {
		t.Fatalf("%d events, want 2", state.Head.Seq)
	}
}

func scratchTable(t testing.TB, s store.Store) {
	t.Helper()
	err := s.Write(context.Background(), func(tx store.Tx) error {
		_, err := tx.Exec(`CREATE TABLE scratch (n INTEGER)`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func scratchCount(t testing.TB, s store.Store) (n int64) {
	t.Helper()
	err := s.Read(context.Background(), func(r store.Reader) error {
		return r.QueryRow(`SELECT count(*) FROM scratch`).Scan(&n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
