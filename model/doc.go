// Package model says what things are: events and their chain, the kinds'
// contracts, state machines as tables, signals and work as folds over events,
// canonical JSON, time, leases, cursors and errors. What belongs to one subject
// only has a room of its own below it.
//
// It promises: no clock (time is an argument), no I/O, no SQL, no goroutine.
// Everything here is a value or a pure function of values, so each rule can be
// read and tested alone. What an engine writes and what a replay of the ledger
// computes go through the same reducers (Signal.Apply, Work.Apply and their like),
// so they can't differ.
package model
