// Package fleetmap says how the machines of a fleet become one map: the summary
// that each publishes, strictly read, the join of them all with what is known
// here, ages by the clocks that measured them, collisions of paths, changes and
// their logs, and the witnesses of a ledger's head.
package fleetmap
