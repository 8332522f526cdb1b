package backend

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"binnacle/backend/ledger"
	"binnacle/model"
)

// Close ends the ledger's subscriptions before it waits for the goroutines: one
// that waits for events is let go, and does not hold Close up.
func TestCloseLetsGoWhoWaitsForEvents(t *testing.T) {
	dir := filepath.Join(t.TempDir(), ".binnacle")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	b, err := Open(context.Background(), Options{Dir: dir, Producer: "tester"})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	s, err := b.Ledger.Subscribe(ctx, ledger.SubscribeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ended := make(chan error, 1)
	b.spawn("reader", func() { _, err := s.Next(ctx); ended <- err })
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err == nil || model.CodeOf(err) != model.CodeCancelled {
		t.Fatalf("the reader was let go with %v", err)
	}
}
