// Package keymap holds every action of the cockpit: its name, its keys, where
// it applies, what it does in one sentence, and whether it changes anything.
//
// Dispatch, the bottom line, the help, the palette, the README's table and
// `binnacle keys` all come from these records, so they can't differ.
//
// What it promises: a Map never changes after it was made; no two actions that
// can apply at the same time share a key; overrides that would break this are
// refused with both names.
package keymap
