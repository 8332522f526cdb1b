package storetest

import (
	"context"
	"testing"
	"time"

	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/directive"
)

func ownWork(t *testing.T, h harness) {
	s := h.New(t, ticking())
	appendOne(t, s, note("before"))
	err := s.Write(context.Background(), func(tx store.Tx) error {
		e, err := tx.Append(draft(model.KindDirective, "", "pending", map[string]any{"action": "push", "body": "b", "lane": "l"}))
		if err != nil {
			return err
		}
		if head, _ := tx.Head(); head.Seq != e.Seq || head.Hash != e.Hash {
			t.Errorf("the head is %+v after %d", head, e.Seq)
		}
		if got, err := tx.Event(e.Seq); err != nil || got.Hash != e.Hash {
			t.Errorf("its own event: %+v, %v", got, err)
		}
		if list, err := tx.Events(0, 10); err != nil || len(list) != 2 || list[1].Hash != e.Hash {
			t.Errorf("its own list: %+v, %v", list, err)
		}
		if list, err := tx.Events(0, 1); err != nil || len(list) != 1 || list[0].Seq != 1 {
			t.Errorf("a list of one: %+v, %v", list, err)
		}
		if d, err := tx.Record(recordsOf(s.Parts(), model.KindDirective), "1"); err != nil || d.(*directive.Directive).Lane != "l" {
			t.Errorf("its own record: %+v, %v", d, err)
		}
		if c, err := tx.Counts(); err != nil || c.Total() != 2 || c.Get(model.PlaneQueue, "l/P1/pending") != 1 {
			t.Errorf("its own counts: %v, %v", c, err)
		}
		var events, directives, head int64
		err = tx.QueryRow(`SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM directives WHERE lane = $1),
			(SELECT seq FROM head)`, "l").Scan(&events, &directives, &head)
		if err != nil || events != 2 || directives != 1 || head != 2 {
			t.Errorf("its own rows: %d, %d, %d, %v", events, directives, head, err)
		}
		if _, err := tx.Record(recordsOf(s.Parts(), model.KindSignal), "none"); model.CodeOf(err) != model.CodeNotFound {
			t.Errorf("a missing signal: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	CheckWhole(t, s)
}

func instants(t *testing.T, h harness) {
	s := h.New(t, ticking())
	appendOne(t, s, note("before"))
	err := s.Read(context.Background(), func(r store.Reader) error {
		a, err := r.Head()
		if err != nil {
			return err
		}
		appendOne(t, s, note("meanwhile"))
		b, err := r.Head()
		if err != nil {
			return err
		}
		list, err := r.Events(0, 10)
		if err != nil || a != b || len(list) != 1 {
			t.Errorf("one read saw %d and %d, and %d events (%v)", a.Seq, b.Seq, len(list), err)
		}
		if rows, err := r.Query(`DELETE FROM events RETURNING seq`); err == nil {
			for rows.Next() {
				t.Error("a read deleted an event")
			}
			if rows.Err() == nil {
				t.Error("a read could write")
			}
			_ = rows.Close()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if state := CheckWhole(t, s); state.Head.Seq != 2 {
		t.Fatalf("%d events, want 2", state.Head.Seq)
	}
}

// next waits for a head from the watch.
func next(t testing.TB, w <-chan model.Head) model.Head {
	t.Helper()
	select {
	case h, ok := <-w:
		if !ok {
			t.Fatal("the watch ended")
		}
		return h
	case <-time.After(patience):
		t.Fatal("no head came")
	}
	return model.Head{}
}

// until waits until the watch tells of seq or a later head.
func until(t testing.TB, w <-chan model.Head, seq int64) model.Head {
	t.Helper()
	for {
		if h := next(t, w); h.Seq >= seq {
			return h
		}
	}
}

func watching(t *testing.T, h harness) {
	s := h.New(t, ticking())
	first := appendOne(t, s, note("first"))
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	w, w2 := s.Watch(ctx), s.Watch(context.Background())
	if got := until(t, w, 1); got.Hash != first.Hash {
		t.Fatalf("the present head came as %+v", got)
	}
	until(t, w, appendOne(t, s, note("own")).Seq)

	other := h.Again(t, s, ticking())
	e := appendOne(t, other, note("of another process"))
	if got := until(t, w, e.Seq); got.Hash != e.Hash {
		t.Fatalf("the other's head came as %+v", got)
	}
	// Nobody reads w2: it costs nobody anything and holds the newest.
	for range 50 {
		e = appendOne(t, s, note("many"))
	}
	if got := next(t, w2); got.Seq != e.Seq {
		eventually(t, "the newest head comes", func() bool { return next(t, w2).Seq >= e.Seq })
	}
	stop()
	eventually(t, "the watch ends", func() bool {
		select {
		case _, open := <-w:
			return !open
		default:
			return false
		}
	})
}

func listeningTo(t *testing.T, h harness) {
	s := h.New(t, ticking())
	other := h.Again(t, s, ticking())
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	rung, wrong := make(chan struct{}, 1), make(chan struct{}, 1)
	ring := func(to chan struct{}) func() {
		return func() {
			select {
			case to <- struct{}{}:
			default:
			}
		}
	}
	if !s.Listen(ctx, "a", ring(rung)) {
		t.Skip("nothing tells of commits here")
	}
	s.Listen(ctx, "b", ring(wrong))
	heard := func() {
		t.Helper()
		select {
		case <-rung:
		case <-time.After(patience):
			t.Fatal("a commit was not told")
		}
	}
	for _, from := range []store.Store{s, other} {
		var seq int64
		err := from.Write(context.Background(), func(tx store.Tx) error {
			tx.Notify("a")
			tx.Notify("nobody listens to it")
			e, err := tx.Append(note("x"))
			seq = e.Seq
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		heard()
		err = s.Read(context.Background(), func(r store.Reader) error {
			_, err := r.Event(seq)
			return err
		})
		if err != nil {
			t.Fatalf("the ring came before the commit: %v", err)
		}
	}
	if len(wrong) > 0 {
		t.Error("a channel was rung that nobody notified")
	}
}

func reopening(t *testing.T, h harness) {
	s := h.New(t, ticking())
	var last model.Event
	for range 10 {
		last = appendOne(t, s, note("x"))
	}
	epoch := s.Epoch()
	if epoch == "" {
		t.Fatal("no epoch")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	again := h.Again(t, s, ticking())
	if again.Epoch() != epoch {
		t.Fatalf("the epoch went from %s to %s", epoch, again.Epoch())
	}
	if state := CheckWhole(t, again); state.Head.Hash != last.Hash {
		t.Fatalf("the head is %+v", state.Head)
	}
	appendOne(t, again, note("on"))
	CheckWhole(t, again)
}

func closing(t *testing.T, h harness) {
	s := h.New(t, ticking())
	w := s.Watch(context.Background())
	appendOne(t, s, note("x"))
	for range 2 {
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, "the watch ends", func() bool {
		select {
		case _, open := <-w:
			return !open
		default:
			return false
		}
	})
	if _, err := s.Append(context.Background(), []model.Draft{note("y")}); err == nil {
		t.Fatal("a closed store took an event")
	}
	if err := s.Read(context.Background(), func(store.Reader) error { return nil }); err == nil {
		t.Fatal("a closed store could be read")
	}
}
