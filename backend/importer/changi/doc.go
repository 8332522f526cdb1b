// Package changi reads a Changi ledger into this one: each of its entries becomes
// an event, with the original kept in it where that is no payload of ours.
package changi
