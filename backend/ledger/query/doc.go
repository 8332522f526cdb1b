// Package query finds events: by a filter, by their places in the ledger, newest
// or oldest first, page by page, or only how many there are.
//
// A search over a long ledger is made of reads that each stay short, so that the
// write-ahead log can be checkpointed meanwhile. The table of spans says where a
// producer's or a kind's events are; the rest is not looked at.
package query
