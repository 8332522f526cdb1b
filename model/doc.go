// Package model says what things are: events and their chain, the kinds'
// contracts, the state machines as tables, records as folds over events, the
// filter language, clean text, durations, and the snapshots that the cockpit
// draws.
//
// It promises: no clock (time is an argument), no I/O, no SQL, no goroutine.
// Everything here is a value or a pure function of values, so each rule can be
// read and tested alone. What an engine writes and what a replay of the ledger
// computes go through the same reducers (Signal.Apply, Work.Apply, State.Apply),
// so they can't differ.
package model
