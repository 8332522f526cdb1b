package model

// DirectiveMachine is how directives live.
//
//	push, push-deferred   a new one
//	take                  a consumer claims it, under a lease and a fresh token
//	touch                 its lease is extended
//	done, requeue         its consumer finishes it, or hands it back
//	give-back             it never reached its consumer, so the claim does not count
//	lapse                 its lease ran out: pending again
//	poison                its lease ran out too often: parked
//	defer, promote        it waits for a time or for others, and waits no longer
//	park, unpark          an operator's hold, and its end
//	restore               a claim that was taken away by mistake is given back
//	drop                  it will not be done
//	reprioritize          its priority, importance or deadline changes
func DirectiveMachine() Machine {
	m := Machine{Noun: "directive", Verbs: map[string]string{
		"take": "next", "promote": "requeue --force", "restore": "", "lapse": "", "poison": "", "give-back": "", "push-deferred": "",
	}, Steps: []Step{
		{"", "push", StatusPending},
		{"", "push-deferred", StatusDeferred},
		{StatusPending, "take", StatusTaken},
		{StatusTaken, "done", StatusDone},
		{StatusTaken, "touch", StatusTaken},
		{StatusTaken, "requeue", StatusPending},
		{StatusTaken, "give-back", StatusPending},
		{StatusTaken, "lapse", StatusPending},
		{StatusTaken, "poison", StatusParked},
		{StatusDeferred, "promote", StatusPending},
		{StatusParked, "unpark", StatusPending},
	}}
	for _, from := range []string{StatusPending, StatusTaken, StatusDeferred, StatusParked} {
		m.Steps = append(m.Steps,
			Step{from, "defer", StatusDeferred}, Step{from, "drop", StatusDropped}, Step{from, "reprioritize", from})
		if from != StatusParked {
			m.Steps = append(m.Steps, Step{from, "park", StatusParked})
		}
		if from != StatusTaken {
			m.Steps = append(m.Steps, Step{from, "restore", StatusTaken})
		}
	}
	return m
}

// directiveMachine is DirectiveMachine, made once; it is never changed.
var directiveMachine = DirectiveMachine()

// DirectiveStatus says whether s is one of a directive's states.
func DirectiveStatus(s string) bool {
	switch s {
	case StatusPending, StatusTaken, StatusDeferred, StatusParked, StatusDone, StatusDropped:
		return true
	}
	return false
}
