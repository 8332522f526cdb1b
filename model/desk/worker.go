package desk

import "binnacle/model"

// Worker is a process that works through lanes of the queue, as it says itself.
type Worker struct {
	Consumer string     `json:"consumer"`
	PID      int        `json:"pid"`
	Lanes    []string   `json:"lanes"`
	Command  string     `json:"command"` // the program that it runs
	Parallel int        `json:"parallel"`
	Since    model.Time `json:"since"`          // when it began
	At       model.Time `json:"at"`             // when it said so
	Runs     []Run      `json:"runs,omitempty"` // the oldest first
	Done     int64      `json:"done"`           // within the last hour
	Failed   int64      `json:"failed"`         // within the last hour
}

// Run is a command that runs for a directive.
type Run struct {
	ID      int64      `json:"id"` // of the directive
	Attempt int64      `json:"attempt"`
	Lane    string     `json:"lane"`
	PID     int        `json:"pid"`
	Since   model.Time `json:"since"`
}
