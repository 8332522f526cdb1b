package ledger_test

import (
	"context"
	"testing"

	"binnacle/backend/ledger"
	"binnacle/backend/ledger/ledgertest"
	"binnacle/model"
)

// BenchmarkEmit is one writer's durable append.
func BenchmarkEmit(b *testing.B) {
	f := ledgertest.Open(b)
	payload := ledgertest.Object("text", "compiled package 7 of the project without a warning")
	for i := range b.N {
		if _, err := f.Emit(context.Background(), ledger.EmitRequest{Topic: "build/log", Kind: model.KindNote, Payload: payload}); err != nil {
			b.Fatal(i, err)
		}
	}
}
