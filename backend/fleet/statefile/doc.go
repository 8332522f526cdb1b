// Package statefile keeps the fleet's small files in the user's state folder:
// each is replaced whole, so that a reader sees the old or the new bytes, and a
// JSON file that can't be read is set aside and counts as none. Locks are the
// kernel's: they end with the process that holds them.
package statefile
