package fleetmap

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkJoin makes the map of 256 machines with 64 sessions each.
func BenchmarkJoin(b *testing.B) {
	now := at(time.Second)
	in := Input{Self: "m-self", Now: now, Window: DefaultWindow, Fetched: &now}
	for i := range 256 {
		l := Live{Machine: fmt.Sprintf("m-%03d", i)}
		for j := range 64 {
			l.Rows = append(l.Rows, row(fmt.Sprint("s", j), time.Second))
		}
		in.Machines = append(in.Machines, SeenMachine{Name: l.Machine, Readable: true, First: now, Live: l})
	}
	b.ReportAllocs()
	for b.Loop() {
		if m := Join(in); len(m.Sessions) != 256*64 {
			b.Fatal(len(m.Sessions))
		}
	}
}
