package model

import "sort"

// The planes.
const (
	PlaneRecord = "record" // names: total, and each kind
	PlaneSignal = "signal" // names: the states
	PlaneWork   = "work"   // names: the states
	PlaneQueue  = "queue"  // names: <lane>/<priority>/<status>
)

// Counter names one count.
type Counter struct {
	Plane, Name string
}

// Counts holds counts by name. A missing one is 0.
type Counts map[Counter]int64

// Add changes one count.
func (c Counts) Add(plane, name string, delta int64) { c[Counter{plane, name}] += delta }

// Get returns one count.
func (c Counts) Get(plane, name string) int64 { return c[Counter{plane, name}] }

// Total is the number of events.
func (c Counts) Total() int64 { return c.Get(PlaneRecord, "total") }

// Clone returns a copy.
func (c Counts) Clone() Counts {
	n := make(Counts, len(c))
	for k, v := range c {
		n[k] = v
	}
	return n
}

// Names lists the plane's names: those that everyone expects first, in their
// order and also when their count is 0, then others by name.
func (c Counts) Names(plane string) []string {
	var out []string
	switch plane {
	case PlaneRecord:
		out = append(out, "total")
		for _, k := range Kinds() {
			out = append(out, string(k))
		}
	case PlaneSignal:
		out = SignalMachine().States()
	case PlaneWork:
		out = WorkMachine().States()
	}
	known := make(map[string]bool, len(out))
	for _, n := range out {
		known[n] = true
	}
	rest := len(out)
	for k := range c {
		if k.Plane == plane && !known[k.Name] {
			out = append(out, k.Name)
		}
	}
	sort.Strings(out[rest:])
	return out
}

// Plane returns the plane's counts by name, as JSON shows them.
func (c Counts) Plane(plane string) map[string]int64 {
	out := map[string]int64{}
	for _, n := range c.Names(plane) {
		out[n] = c.Get(plane, n)
	}
	return out
}

// SignalCounter is the count that the signal stands in.
func SignalCounter(s Signal) Counter { return Counter{PlaneSignal, s.State} }

// WorkCounter is the count that the work record stands in.
func WorkCounter(w Work) Counter { return Counter{PlaneWork, w.State} }
