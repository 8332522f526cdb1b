package storetest

import (
	"context"
	"fmt"
	"testing"

	"binnacle/backend/store"
	"binnacle/backend/store/segment"
	"binnacle/model"
)

// sealing: what is sealed and shed reads as before, also beside a write and after
// reopening; what does not continue the chain is not sealed; nothing is shed that
// is not sealed.
func sealing(t *testing.T, h harness) {
	s := h.New(t, ticking())
	a, ok := s.(store.Archiver)
	if !ok {
		t.Skip("this store can't seal events away")
	}
	ctx := context.Background()
	const events = 1200
	drafts := make([]model.Draft, events)
	for i := range drafts {
		drafts[i] = note(fmt.Sprint("note ", i))
	}
	if _, err := s.Append(ctx, drafts); err != nil {
		t.Fatal(err)
	}
	all := allEvents(t, s)
	shed := func(limit int) (n int) {
		t.Helper()
		if err := s.Write(ctx, func(tx store.Tx) (err error) { n, err = tx.Shed(limit); return err }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := shed(10); n != 0 {
		t.Fatalf("%d rows were shed that nobody sealed", n)
	}
	release, err := a.Own()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Own(); model.CodeOf(err) != model.CodeBusy {
		t.Fatalf("two own the archive: %v", err)
	}
	defer release()
	for _, part := range [][]model.Event{all[:700], all[700:1100]} {
		seg, file, err := segment.Pack(part)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Keep(seg, file); err != nil {
			t.Fatal(err)
		}
		if err := s.Write(ctx, func(tx store.Tx) error { return tx.Seal(seg) }); err != nil {
			t.Fatal(err)
		}
		wantCode(t, s.Write(ctx, func(tx store.Tx) error { return tx.Seal(seg) }), model.CodeStale)
	}
	last, _, err := segment.Pack(all[1100:])
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, s.Write(ctx, func(tx store.Tx) error { return tx.Seal(last) }), model.CodeStale)

	for _, limit := range []int{1, 699, 100} {
		if n := shed(limit); n != limit {
			t.Fatalf("%d rows were shed, not %d", n, limit)
		}
		CheckWhole(t, s)
	}
	if n := shed(events); n != 300 {
		t.Fatalf("%d rows were shed, not 300", n)
	}
	// A write sees them, too.
	err = s.Write(ctx, func(tx store.Tx) error {
		if oldest, err := tx.Oldest(); err != nil || oldest != 1101 {
			t.Errorf("%d %v", oldest, err)
		}
		if e, err := tx.Event(3); err != nil || e.Hash != all[2].Hash {
			t.Errorf("%+v %v", e, err)
		}
		if page, err := tx.Events(698, 5); err != nil || len(page) == 0 || page[0].Seq != 699 {
			t.Errorf("%+v %v", page, err)
		}
		_, err := tx.Append(note("behind"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	s = h.Again(t, s, ticking())
	CheckWhole(t, s)
	err = s.Read(ctx, func(r store.Reader) error {
		segments, err := r.Segments()
		if err != nil || len(segments) != 2 || segments[1].Last != 1100 || segments[0].Hash != all[699].Hash {
			t.Errorf("%+v %v", segments, err)
		}
		_, err = r.Event(events + 2)
		wantCode(t, err, model.CodeNotFound)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
