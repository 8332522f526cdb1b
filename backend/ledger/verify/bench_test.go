package verify_test

import (
	"context"
	"os"
	"strconv"
	"testing"

	"binnacle/backend/ledger/ledgertest"
	"binnacle/backend/ledger/verify"
)

// BenchmarkVerify is verification alone; BENCH_ROWS says of how many events
// (50,000).
func BenchmarkVerify(b *testing.B) {
	rows, _ := strconv.Atoi(os.Getenv("BENCH_ROWS"))
	if rows == 0 {
		rows = 50_000
	}
	f := ledgertest.Open(b)
	for n := 0; n < rows; n += 5000 {
		f.Notes(min(5000, rows-n))
	}
	b.ResetTimer()
	for range b.N {
		v, err := verify.Run(context.Background(), f.Store(), verify.Options{})
		if err != nil || !v.OK {
			b.Fatal(err, v.Finding)
		}
		b.ReportMetric(float64(v.Events)/v.Elapsed.Seconds(), "events/s")
	}
}
