package model

// SignalCounter is the count that the signal stands in.
func SignalCounter(s Signal) Counter { return Counter{PlaneSignal, s.State} }

// WorkCounter is the count that the work record stands in.
func WorkCounter(w Work) Counter { return Counter{PlaneWork, w.State} }

// DirectiveCounter is the count that the directive stands in.
func DirectiveCounter(d Directive) Counter {
	return Counter{PlaneQueue, d.Lane + "/" + d.Priority.String() + "/" + d.Status}
}
