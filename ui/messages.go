package ui

import (
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/views"
)

// snapshotMsg is a new instant of the workspace.
type snapshotMsg struct{ snapshot desk.Snapshot }

// eventsMsg is what happened since the last one, in order: first the gap, where
// something was missed, then the events.
type eventsMsg struct {
	generation int // of the filter under which they were read
	gap        desk.Gap
	events     []model.Event
}

// pageMsg is a page of the ledger that was asked for.
type pageMsg struct {
	generation int
	older      bool
	page       desk.Page
	err        error
}

// detailMsg is a detail that was asked for.
type detailMsg struct {
	ticket int
	detail desk.Detail
	err    error
}

// outcomeMsg is how actions ended.
type outcomeMsg struct {
	done   []desk.Outcome
	which  []int // of each of done: which of the things to be done it was
	failed []error
	undone []undoItem // what was to be undone, nil for an act
}

// streamFailedMsg says that the subscription ended, and why.
type streamFailedMsg struct {
	generation int
	err        error
}

// tickMsg comes when something visible may have changed with time.
type tickMsg struct{ id int }

// flashMsg shows a line for a while.
type flashMsg struct {
	text  string
	level views.Level
}

// editedMsg comes back from $EDITOR.
type editedMsg struct {
	text  string
	err   error
	pager bool // the text was only to be read
}
