// Package notes is the engine of notes: what agents and people write down for
// each other about the paths they work on.
//
// What it promises:
//   - Each change is one store.Write: the check, the change and the facts that
//     record it commit together, or none of them does. Notes move only through
//     note.Note.Apply, so a replay of the ledger gives the same notes.
//   - What an agent wrote is in no fact (kind coord): titles, bodies and reasons
//     stand in events of kind note beside them (see model/note).
//   - Nobody floods it: new notes and reports are capped for each principal, and
//     counted in the transaction that writes them.
//   - A read never writes, and never fails for what a work tree is like: where it
//     can't be told whether a note is stale, that is said.
package notes
