package model

// State is what a ledger's events add up to: the law of the fold says that
// replaying the same events gives the same State, and the database's derived
// tables hold exactly it.
type State struct {
	Head       Head
	Counts     Counts
	Signals    map[string]*Signal
	Work       map[string]*Work
	Directives map[string]*Directive
}

// NewState is the State of an empty ledger.
func NewState() *State {
	return &State{
		Counts: Counts{}, Signals: map[string]*Signal{}, Work: map[string]*Work{}, Directives: map[string]*Directive{},
	}
}

// Apply takes the state through one event. An event that its record's state
// machine refuses leaves the record as it was and is returned as an error; the
// head and the record counts advance all the same, for the event is there.
func (s *State) Apply(e Event) error {
	s.Head = Head{Seq: e.Seq, Hash: e.Hash, TS: e.TS}
	s.Counts.Add(PlaneRecord, "total", 1)
	s.Counts.Add(PlaneRecord, string(e.Kind), 1)
	switch e.Kind {
	case KindSignal:
		return applyTo(s.Counts, s.Signals, e, SignalCounter)
	case KindWork:
		return applyTo(s.Counts, s.Work, e, WorkCounter)
	case KindDirective:
		return applyTo(s.Counts, s.Directives, e, DirectiveCounter)
	}
	return nil
}

// record is what the three kinds of records have in common.
type record[T any] interface {
	*T
	Apply(Event) error
}

func applyTo[T any, P record[T]](c Counts, all map[string]*T, e Event, counter func(T) Counter) error {
	old := all[e.Key]
	var next T
	if old != nil {
		next = *old
	}
	if err := P(&next).Apply(e); err != nil {
		return err
	}
	if old != nil {
		c[counter(*old)]--
	}
	c[counter(next)]++
	all[e.Key] = &next
	return nil
}

// SignalCounter is the count that the signal stands in.
func SignalCounter(s Signal) Counter { return Counter{PlaneSignal, s.State} }

// WorkCounter is the count that the work record stands in.
func WorkCounter(w Work) Counter { return Counter{PlaneWork, w.State} }

// DirectiveCounter is the count that the directive stands in.
func DirectiveCounter(d Directive) Counter {
	return Counter{PlaneQueue, d.Lane + "/" + d.Priority.String() + "/" + d.Status}
}
