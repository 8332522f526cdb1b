package directive

import "fmt"

// Thread is a directive's family: the root and all that descends from it.
type Thread struct {
	Root  int64       `json:"root"`
	Total int64       `json:"total"`
	Open  int64       `json:"open"` // those that are neither done nor dropped
	Items []Directive `json:"items,omitempty"`
	More  int64       `json:"more,omitempty"` // members that Items leaves out
}

// MaxThread bounds a thread's members, in what is counted and in what is
// listed.
const MaxThread = 1_000

// Status is "open" while any member is open, else "done".
func (t Thread) Status() string {
	if t.Open > 0 {
		return "open"
	}
	return StatusDone
}

// OpenItems lists the members that are neither done nor dropped.
func (t Thread) OpenItems() []Directive {
	var out []Directive
	for _, d := range t.Items {
		if !d.Final() {
			out = append(out, d)
		}
	}
	return out
}

// Line is the first line of `queue thread-status`, in laneq's form.
func (t Thread) Line() string {
	return fmt.Sprintf("thread #%d %s total=%d open=%d", t.Root, t.Status(), t.Total, t.Open)
}
