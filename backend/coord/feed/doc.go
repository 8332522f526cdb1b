// Package feed lets any number of readers follow the ledger by cursor: a page at
// a time, waiting for the next event, or for as long as they like.
//
// What it promises: a reader that goes on from the cursor that it was given gets
// every event that it asked for exactly once and in order, at this process or
// another on the same workspace; a cursor that can't be gone on from is said to
// have expired, never taken for another place; nobody who writes ever waits for a
// reader, or hears that one failed, for the feed only reads.
//
// How: a reader is either within the ring, which holds the newest events and is
// filled by one goroutine for all who wait, or before it, and then it reads the
// store by itself. While nobody waits nothing runs.
package feed
