package laneq_test

import (
	"context"
	"testing"
	"time"

	"binnacle/backend/clock/clocktest"
	"binnacle/backend/parts"
	"binnacle/backend/queue"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
	"binnacle/model"
)

// rig is a queue on a real database with a clock that stands still.
type rig struct {
	t     testing.TB
	q     *queue.Queue
	store store.Store
	clock *clocktest.Machine
	path  string
}

func newRig(t testing.TB) *rig {
	t.Helper()
	c := clocktest.New(model.TimeOf(time.Date(2026, 6, 20, 12, 0, 0, 0, time.UTC)))
	path := storetest.Place(t)
	s, err := storetest.OpenAt(path, storetest.Options{Parts: parts.All(), Clock: c.Read})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	q, err := queue.Open(s, queue.Options{Clock: c.Read})
	if err != nil {
		t.Fatal(err)
	}
	return &rig{t, q, s, c, path}
}

func background() context.Context { return context.Background() }

func (r *rig) show(id int64) queue.Detail {
	r.t.Helper()
	d, err := r.q.Show(background(), id)
	if err != nil {
		r.t.Fatalf("show %d: %v", id, err)
	}
	return d
}

func (r *rig) head() model.Head {
	r.t.Helper()
	var h model.Head
	err := r.store.Read(background(), func(rd store.Reader) (err error) {
		h, err = rd.Head()
		return err
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return h
}

func wantCode(t testing.TB, err error, code model.Code) {
	t.Helper()
	if err == nil || model.CodeOf(err) != code {
		t.Fatalf("got %v (%s), want %s", err, model.CodeOf(err), code)
	}
}
