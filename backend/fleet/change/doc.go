// Package change knows the changes of a fleet: what a record has of them, where
// their inputs are now, which work tree is the view of which, what is written when
// one moves, and what happened since a cursor.
//
// It reads the caches that a fetch filled, and writes objects into them; who
// fetches, and who pushes under which lock, is the fleet's matter.
package change
