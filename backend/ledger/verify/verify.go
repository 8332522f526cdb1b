package verify

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"binnacle/backend/store"
	"binnacle/model"
)

// Options say how much is verified.
type Options struct {
	// From is the first event to be hashed; 0 is the first of all. What lies before
	// it is trusted: its last hash is what From must continue. Counts and records
	// need every event, so they are compared only when From is 0 or 1.
	From int64
	// ChainOnly leaves the head, the counts and the records out.
	ChainOnly bool
	Jobs      int // goroutines that hash; 0 is one for each CPU
	// Progress is called after each page of events; total is the number of the
	// newest event when it began.
	Progress func(done, total int64)
}

// Run walks the chain once, in short reads, and reports the first
// divergence. What is committed meanwhile is verified, too, so that the counts
// and records it compares at the end belong to the events it walked. It writes
// nothing. An error means that it could not be found out.
func Run(ctx context.Context, s store.Store, o Options) (Result, error) {
	begin := time.Now()
	v := Result{From: max(o.From, 1)}
	epoch, w := s.Epoch(), newWalker(s)
	f, err := verify(ctx, s, o, &w)
	for now := s.Epoch(); now != epoch && err == nil; now = s.Epoch() {
		// Another ledger was put in its place meanwhile: what was compared were two.
		epoch, w = now, newWalker(s)
		f, err = verify(ctx, s, o, &w)
	}
	v.Finding, v.OK = f, f == nil && err == nil
	v.To, v.Events = w.seq, w.seq-v.From+1
	v.Derived = w.state != nil && v.OK && !o.ChainOnly
	if err == nil {
		v.Sealed, v.Strays, err = archived(ctx, s, v.From, v.To)
	}
	v.Elapsed = time.Since(begin)
	return v, err
}

func verify(ctx context.Context, s store.Store, o Options, w *walker) (*Finding, error) {
	if o.Jobs <= 0 {
		o.Jobs = runtime.GOMAXPROCS(0)
	}
	w.loose = o.ChainOnly
	if !o.ChainOnly {
		if f, err := checkForm(ctx, s); f != nil || err != nil {
			return f, err
		}
	}
	head, err := store.HeadNow(ctx, s)
	if err != nil {
		return nil, err
	}
	if o.From > 1 {
		if err := trust(ctx, s, o.From, head.Seq, w); err != nil {
			return nil, err
		}
	}
	var progress func(int64)
	if o.Progress != nil {
		progress = func(seq int64) { o.Progress(min(seq, head.Seq), head.Seq) }
	}
	var c comparison
	for {
		t, err := w.run(ctx, s, head.Seq, o.Jobs, progress)
		if err != nil {
			return unreadable(ctx, s, w.seq, err)
		}
		if t == nil && w.seq < head.Seq && !o.ChainOnly {
			t = &trouble{seq: w.seq + 1} // the rows end before the head
		}
		if t != nil {
			return diagnose(ctx, s, w, t)
		}
		if o.ChainOnly {
			return nil, nil
		}
		f, err := compare(ctx, s, w, &c, nil)
		if !errors.Is(err, errBehind) {
			return f, err
		}
		if head, err = store.HeadNow(ctx, s); err != nil {
			return nil, err
		}
	}
}

// trust begins the walk at from.
func trust(ctx context.Context, s store.Store, from, head int64, w *walker) error {
	if from > head+1 {
		return model.Errorf(model.CodeUsage, "there is no event %d yet; the newest is %d", from, head)
	}
	var e model.Event
	err := s.Read(ctx, func(r store.Reader) (err error) {
		e, err = r.Event(from - 1)
		return err
	})
	if err != nil {
		return model.Errorf(model.CodeOf(err), "event %d, which event %d must continue, can't be read: %w", from-1, from, err)
	}
	*w = walker{seq: e.Seq, hash: e.Hash, ts: e.TS}
	return nil
}

func diagnose(ctx context.Context, s store.Store, w *walker, t *trouble) (*Finding, error) {
	var f *Finding
	err := s.Read(ctx, func(r store.Reader) error {
		var err error
		f, err = w.diagnose(r, t)
		return err
	})
	return f, err
}

// compare compares head, counts and records with the walk, one page of records
// a read. pause is called between reads.
func compare(ctx context.Context, s store.Store, w *walker, c *comparison, pause func() error) (*Finding, error) {
	for first := true; ; first = false {
		f, done, err := comparePage(ctx, s, w, c, first)
		if f != nil || err != nil || done {
			return f, err
		}
		if pause != nil {
			if err := pause(); err != nil {
				return nil, err
			}
		}
	}
}

// comparePage is one read of compare; the first one compares the counts, too.
func comparePage(ctx context.Context, s store.Store, w *walker, c *comparison, first bool) (f *Finding, done bool, err error) {
	err = s.Read(ctx, func(r store.Reader) error {
		var err error
		if f, err = w.level(r); f != nil || err != nil {
			return err
		}
		if w.state == nil {
			done = true
			return nil
		}
		if first {
			if f, err = w.counts(r); f != nil || err != nil {
				return err
			}
			c.begin(w)
		}
		f, done, err = c.next(r, w)
		return err
	})
	return f, done, err
}

// unreadable turns an error that says that the file is damaged into the finding of
// the first event behind after that can't be read. Where all can, the damage is
// elsewhere, and the error stays.
func unreadable(ctx context.Context, s store.Store, after int64, damage error) (*Finding, error) {
	if model.CodeOf(damage) != model.CodeCorrupt {
		return nil, damage
	}
	if _, err := store.HeadNow(ctx, s); err != nil {
		return nil, damage // nothing can be read at all
	}
	for limit := walkPage; ; {
		var events []model.Event
		err := s.Read(ctx, func(r store.Reader) error {
			var err error
			events, err = r.Events(after, limit)
			return err
		})
		switch {
		case model.CodeOf(err) == model.CodeCorrupt && limit == 1:
			if f, e := unsealed(ctx, s, after+1, err); f != nil || e != nil {
				return f, e
			}
			return &Finding{
				Seq: after + 1, What: WhatEnvelope,
				Message: fmt.Sprintf("event %d can't be read, for a page of the database file is damaged", after+1),
			}, nil
		case model.CodeOf(err) == model.CodeCorrupt:
			limit = 1
		case err != nil || len(events) == 0:
			return nil, damage
		default:
			after = events[len(events)-1].Seq
		}
	}
}
