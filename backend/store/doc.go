// Package store is the contract between the engines and whatever keeps their
// workspace: what a store promises, and how an engine says what it keeps.
//
// Whatever the implementation, an event, its record's new state and the plane
// counts commit together, and a record moves through its projection's reducer
// only. So the derived tables are the fold of the events, always.
//
// An engine declares its records once (Definition) and the tables that are no fold
// (Table); Parts puts the engines' together for whoever opens the store. It reads
// and writes its tables in SQL that any database runs; what none writes like
// another stands behind Dialect and Inspection. storetest holds an implementation
// to all of it.
package store
