package backend

import (
	"context"
	"time"

	"binnacle/backend/ledger"
	"binnacle/model"
)

// verifyLoop verifies the whole chain in the background and goes on as events
// come. A store that can't be read is tried again.
func (b *Backend) verifyLoop(ctx context.Context) {
	v := b.Ledger.NewVerifier(ledger.VerifierOptions{Changed: func(now model.Verified) {
		b.mu.Lock()
		b.check = now
		b.mu.Unlock()
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
