// Package feed says what readers see of the ledger when they follow it: one
// small event for each of its events, which of them a reader asked for, and the
// page and the cursor by which it goes on.
//
// What a fed event promises: of a coordination fact it has all, of any other
// event only that it happened. Ids, states and words of a fixed set stand by
// themselves; whatever somebody could say something with stands under
// "untrusted", and no text that is one (a directive's body, a note, a reason) is
// in it at all.
package feed
