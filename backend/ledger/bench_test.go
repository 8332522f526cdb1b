package ledger_test

import (
	"context"
	"os"
	"strconv"
	"testing"

	"binnacle/backend/ledger"
	"binnacle/backend/ledger/verify"
	"binnacle/model"
)

// BenchmarkEmit is one writer's durable append.
func BenchmarkEmit(b *testing.B) {
	f := open(b)
	payload := object("text", "compiled package 7 of the project without a warning")
	for i := range b.N {
		if _, err := f.Emit(context.Background(), ledger.EmitRequest{Topic: "build/log", Kind: model.KindNote, Payload: payload}); err != nil {
			b.Fatal(i, err)
		}
	}
}

// BenchmarkVerify is verification alone; BENCH_ROWS says of how many events
// (50,000).
func BenchmarkVerify(b *testing.B) {
	rows, _ := strconv.Atoi(os.Getenv("BENCH_ROWS"))
	if rows == 0 {
		rows = 50_000
	}
	f := open(b)
	for n := 0; n < rows; n += 5000 {
		f.notes(min(5000, rows-n))
	}
	b.ResetTimer()
	for range b.N {
		v, err := verify.Run(context.Background(), f.store, verify.Options{})
		if err != nil || !v.OK {
			b.Fatal(err, v.Finding)
		}
		b.ReportMetric(float64(v.Events)/v.Elapsed.Seconds(), "events/s")
	}
}
