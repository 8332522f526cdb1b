package bench_test

import (
	"context"
	"os"
	"strconv"
	"testing"

	"binnacle/backend/bench"
	"binnacle/backend/store"
	"binnacle/backend/store/storetest"
)

// BenchmarkLedger prints the figures of ledger bench, with their peers.
// BENCH_SCALE=full and BENCH_ROWS=10000000 make it longer.
func BenchmarkLedger(b *testing.B) {
	rows, _ := strconv.Atoi(os.Getenv("BENCH_ROWS"))
	for range b.N {
		rep, err := bench.Run(context.Background(), bench.Options{Dir: b.TempDir(), Open: open, Scale: os.Getenv("BENCH_SCALE"), Rows: rows})
		if err != nil {
			b.Fatal(err)
		}
		for _, r := range rep.Results {
			met := "-"
			if r.Met != nil {
				met = strconv.FormatBool(*r.Met)
			}
			b.Logf("%-45s %12.2f %-9s %-32s %12.2f ratio %6.2f  %s: %s", r.Name, r.Value, r.Unit, r.Peer, r.Other, r.Ratio, r.Goal, met)
		}
	}
}

func open(_ context.Context, path string, parts *store.Parts) (store.Store, error) {
	return storetest.OpenAt(path, storetest.Options{Parts: parts})
}
