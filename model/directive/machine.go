package directive

import "binnacle/model"

// Machine is how directives live.
//
//	push, push-deferred   a new one
//	take                  a consumer claims it, under a lease and a fresh token
//	touch                 its lease is extended
//	done, requeue         its consumer finishes it, or hands it back
//	give-back             it never reached its consumer, so the claim does not count
//	fail                  its worker's command failed: pending again
//	lapse                 its lease ran out: pending again
//	poison                it lapsed or failed too often: parked
//	defer, promote        it waits for a time or for others, and waits no longer
//	park, unpark          an operator's hold, and its end
//	restore               a claim that was taken away by mistake is given back
//	drop                  it will not be done
//	reprioritize          its priority, importance or deadline changes
func Machine() model.Machine {
	m := model.Machine{Noun: "directive", Verbs: map[string]string{
		"take": "next", "promote": "requeue --force", "restore": "", "fail": "", "lapse": "", "poison": "", "give-back": "", "push-deferred": "",
	}, Steps: []model.Step{
		model.Arrow("", "push", StatusPending),
		model.Arrow("", "push-deferred", StatusDeferred),
		model.Arrow(StatusPending, "take", StatusTaken),
		model.Arrow(StatusTaken, "done", StatusDone),
		model.Arrow(StatusTaken, "touch", StatusTaken),
		model.Arrow(StatusTaken, "requeue", StatusPending),
		model.Arrow(StatusTaken, "give-back", StatusPending),
		model.Arrow(StatusTaken, "fail", StatusPending),
		model.Arrow(StatusTaken, "lapse", StatusPending),
		model.Arrow(StatusTaken, "poison", StatusParked),
		model.Arrow(StatusDeferred, "promote", StatusPending),
		model.Arrow(StatusParked, "unpark", StatusPending),
	}}
	for _, from := range []string{StatusPending, StatusTaken, StatusDeferred, StatusParked} {
		m.Steps = append(m.Steps,
			model.Arrow(from, "defer", StatusDeferred), model.Arrow(from, "drop", StatusDropped), model.Arrow(from, "reprioritize", from))
		if from != StatusParked {
			m.Steps = append(m.Steps, model.Arrow(from, "park", StatusParked))
		}
		if from != StatusTaken {
			m.Steps = append(m.Steps, model.Arrow(from, "restore", StatusTaken))
		}
	}
	return m
}

// directiveMachine is Machine, made once; it is never changed.
var directiveMachine = Machine()

// IsStatus says whether s is one of a directive's states.
func IsStatus(s string) bool {
	switch s {
	case StatusPending, StatusTaken, StatusDeferred, StatusParked, StatusDone, StatusDropped:
		return true
	}
	return false
}
