package backend

import (
	"context"
	"time"

	"binnacle/backend/fleet"
	"binnacle/backend/ledger"
	"binnacle/model"
)

// WatchChain begins the background verification, until ctx or Close ends it. Run
// does so, too.
func (b *Backend) WatchChain(ctx context.Context) { b.spawnUntil(ctx, "verify", b.verifyLoop) }

// verifyLoop verifies the whole chain in the background and goes on as events
// come. A store that can't be read is tried again.
func (b *Backend) verifyLoop(ctx context.Context) {
	v := b.Ledger.NewVerifier(ledger.VerifierOptions{Changed: func(now model.Verified) {
		b.mu.Lock()
		before := b.check
		b.check = now
		b.mu.Unlock()
		b.keepWalk(before, now)
		b.nudge.wake()
	}})
	for ctx.Err() == nil {
		if err := v.Run(ctx); err != nil {
			b.raise("verify", err.Error())
			if !sleep(ctx, 5*time.Second) {
				return
			}
			b.settle("verify")
			continue
		}
		return
	}
}

// verified is how far the background verification is.
func (b *Backend) verified() model.Verified {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.check
}

// Verify is the ledger's Verify, and then the sessions, whose table belongs to
// the fleet's engine, against the same events.
func (b *Backend) Verify(ctx context.Context, o ledger.VerifyOptions) (ledger.Verification, error) {
	v, err := b.Ledger.Verify(ctx, o)
	if err != nil || v.Finding != nil || o.From > 1 || o.ChainOnly {
		return v, err
	}
	if err := fleet.CheckSessions(ctx, b.Store); err != nil {
		if model.CodeOf(err) != model.CodeCorrupt {
			return v, err
		}
		v.OK, v.Finding = false, &ledger.Finding{Seq: v.To, What: ledger.WhatRecord, Kind: model.KindCoord, Message: err.Error()}
	}
	return v, nil
}

// Rebuild makes every derived table anew from the events, the sessions' too.
func (b *Backend) Rebuild(ctx context.Context, progress func(done, total int64)) (ledger.Verification, error) {
	r, err := b.Ledger.Rebuild(ctx, progress)
	if err != nil {
		return r, err
	}
	return r, fleet.RebuildSessions(ctx, b.Store)
}
