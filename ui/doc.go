// Package ui is the cockpit: the Bubble Tea root model, which puts the panes
// (ui/pane) and what lies over them (ui/overlay) together, hands each key to the
// one that has them, and takes what is to be done to the desk and back. It draws
// nothing itself (views does) and changes nothing itself (the desk does, by a
// desk.Action).
//
// What it promises:
//   - A key is answered within a frame, whatever the engines do: everything that
//     touches them runs in a tea.Cmd, and nothing in Update waits.
//   - The selection is by identity; an action applies to the record and revision
//     that were on screen when the key was pressed.
//   - What arrives in storms is coalesced before it becomes a message, and what is
//     not shown is counted.
//   - It ticks only when something visible will change with time.
package ui
