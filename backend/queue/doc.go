// Package queue is the engine of directives: instructions that wait in lanes,
// are claimed under leases with fencing tokens, and end done or dropped.
//
// What it promises:
//   - Each operation is one store.Write: the check, the change and the event that
//     records it commit together, or none of them does. State moves only through
//     model.Directive.Apply, so a replay of the ledger gives the same queue.
//   - One winner: next gives a directive to exactly one of any number of callers
//     in any number of processes.
//   - Fencing: each claim has a fresh 128-bit token, returned once and kept as a
//     hash only. What a claim's holder may do takes the current claim's token; a
//     former claim's is refused, also a microsecond after the lease ran out, also
//     for the same consumer. An operator may force, and the event says so.
//   - A read never writes. What is due (a lease that ran out, a deferral whose
//     time has come) is reckoned in the query and shown as such; the writes of any
//     process bring it about, bounded a write, and so does Reap.
//   - What an operation costs does not grow with the number of directives that
//     wait: it goes through the store's partial indexes. (With ageing on, a claim
//     ranks up to AgeingWindow directives of each priority.)
//
// Order: by priority, then by id; with ageing as model.Ageing says.
package queue
