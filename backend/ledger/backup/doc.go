// Package backup copies a ledger into a file, brings one back, and makes a
// ledger's derived tables anew: what concerns it as a whole. Each is verified
// before it counts, and leaves an event that records it.
package backup
