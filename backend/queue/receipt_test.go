package queue_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"binnacle/backend/queue"
	"binnacle/backend/queue/receipt"
	"binnacle/model/directive"
)

// Whoever looks for claims that were not delivered must not get hold of the
// receipt of one that is only being made: the claimant would be refused.
func TestReceiptsAreNotTakenWhileTheyAreMade(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "claims")
	r := newRig(t, queue.Options{Receipts: receipt.Folder(folder)})
	ctx, stop := context.WithCancel(background())
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	for range 3 {
		all.Go(func() {
			for ctx.Err() == nil {
				if _, err := r.q.Undelivered(ctx); err != nil && !errors.Is(err, context.Canceled) && ctx.Err() == nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for range 60 {
		r.push("x", directive.P1)
		c, err := r.q.Next(ctx, queue.Next{Consumer: "w", Receipt: true})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Delivered(); err != nil {
			t.Fatal(err)
		}
		if _, err := r.q.Done(ctx, queue.Act{ID: c.Directive.ID, Token: c.Token}); err != nil {
			t.Fatal(err)
		}
	}
}

// What a process left that died while it made its receipt is deleted, once
// nobody can be at it any more.
func TestUnfinishedReceiptsAreForgotten(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "claims")
	r := newRig(t, queue.Options{Receipts: receipt.Folder(folder)})
	old, young := filepath.Join(folder, ".old"), filepath.Join(folder, ".young")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{old, young} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(old, long, long); err != nil {
		t.Fatal(err)
	}
	if _, err := r.q.Undelivered(background()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is still there (%v)", err)
	}
	if _, err := os.Stat(young); err != nil {
		t.Error(err)
	}
	if r.q.Receipts().Pending() {
		t.Error("a file without a claim counts as one that is not delivered")
	}
}
