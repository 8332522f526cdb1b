package ui

import (
	"binnacle/model"
	"binnacle/views"
)

// snapshotMsg is a new instant of the workspace.
type snapshotMsg struct{ snapshot model.Snapshot }

// eventsMsg is what happened since the last one, in order. missed counts the
// matching events between from and to that are not in it and came before it.
type eventsMsg struct {
	generation int // of the filter under which they were read
	events     []model.Event
	missed     int64
	from, to   int64
}

// pageMsg is a page of the ledger that was asked for.
type pageMsg struct {
	generation int
	older      bool
	page       model.Page
	err        error
}

// detailMsg is a detail that was asked for.
type detailMsg struct {
	ticket int
	detail model.Detail
	err    error
}

// outcomeMsg is how actions ended.
type outcomeMsg struct {
	done   []model.Outcome
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
