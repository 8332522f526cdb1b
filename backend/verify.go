package backend

import (
	"context"
	"time"

	"binnacle/backend/coord"
	"binnacle/backend/ledger/backup"
	"binnacle/backend/ledger/verify"
	"binnacle/backend/wake"
	"binnacle/model/desk"
)

// WatchChain begins the background verification, until ctx or Close ends it. Run
// does so, too.
func (b *Backend) WatchChain(ctx context.Context) { b.spawnUntil(ctx, "verify", b.verifyLoop) }

// verifyLoop verifies the whole chain in the background and goes on as events
// come. A store that can't be read is tried again.
func (b *Backend) verifyLoop(ctx context.Context) {
	v := verify.NewVerifier(b.Store, verify.VerifierOptions{Clock: b.clock, Changed: func(now desk.Verified) {
		b.mu.Lock()
		before := b.check
		b.check = now
		b.mu.Unlock()
		b.keepWalk(before, now)
		b.nudge.Ring()
	}})
	for ctx.Err() == nil {
		if err := v.Run(ctx); err != nil {
			b.raise("verify", err.Error())
			if !wake.Sleep(ctx, 5*time.Second) {
				return
			}
			b.settle("verify")
			continue
		}
		return
	}
}

// verified is how far the background verification is.
func (b *Backend) verified() desk.Verified {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.check
}

// Rebuild makes every derived table anew from the events.
func (b *Backend) Rebuild(ctx context.Context, progress func(done, total int64)) (verify.Result, error) {
	r, err := backup.Rebuild(ctx, b.Ledger, progress)
	if err != nil {
		return r, err
	}
	return r, coord.RowsMoved(ctx, b.Store)
}
