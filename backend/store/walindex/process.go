package walindex

import (
	"os"
	"strconv"

	"binnacle/model/clean"
)

// Process is one that holds a read of the database open.
type Process struct {
	PID  int
	Name string // "" where it can't be found out
}

// String names it for people, in one line.
func (p Process) String() string {
	if p.PID == os.Getpid() {
		return "this process"
	}
	said := "process " + strconv.Itoa(p.PID)
	if p.Name != "" {
		said += " (" + clean.Line(p.Name) + ")"
	}
	return said
}
