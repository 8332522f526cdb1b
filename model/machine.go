package model

import (
	"slices"
	"strconv"
	"strings"

	"binnacle/model/clean"
)

// Step is one arrow of a state machine: the action takes a record from one
// state ("" is: no such record yet) to another.
type Step struct {
	From, Action, To string
}

// Arrow is the step of action between two states.
func Arrow(from, action, to string) Step { return Step{From: from, Action: action, To: to} }

// Machine is a state machine as a table.
type Machine struct {
	Noun  string // what the record is called in refusals
	Steps []Step
	// Verbs are the actions that nobody types, with what is typed instead; "" is
	// nothing.
	Verbs map[string]string
}

// To returns where the action leads from the state; ok is false when the table
// has no such arrow.
func (m Machine) To(from, action string) (to string, ok bool) {
	for _, s := range m.Steps {
		if s.From == from && s.Action == action {
			return s.To, true
		}
	}
	return "", false
}

// Can says whether the record may go straight from one state to the other.
func (m Machine) Can(from, to string) bool {
	for _, s := range m.Steps {
		if s.From == from && s.To == to {
			return true
		}
	}
	return false
}

// Actions lists what is possible from the state, in the table's order.
func (m Machine) Actions(from string) []string {
	var out []string
	for _, s := range m.Steps {
		if s.From == from {
			out = append(out, s.Action)
		}
	}
	return out
}

// States lists every state of the machine, in the order of first mention.
func (m Machine) States() []string {
	var out []string
	seen := map[string]bool{"": true}
	for _, s := range m.Steps {
		for _, x := range []string{s.From, s.To} {
			if !seen[x] {
				seen[x] = true
				out = append(out, x)
			}
		}
	}
	return out
}

// Final says whether nothing leads out of the state.
func (m Machine) Final(state string) bool { return len(m.Actions(state)) == 0 }

// Refuse makes the refusal of an action that the state does not allow: it says
// what the record's state is and which steps are possible.
func (m Machine) Refuse(key, from, action string) *Error {
	if from == "" {
		return Errorf(CodeNotFound, "there is no %s, so it can't be %s", m.called(key), past(action))
	}
	e := Errorf(CodeRefused, "%s is %s, so it can't be %s", m.called(key), from, past(action))
	if next := m.typed(from); len(next) > 0 {
		return e.WithHint("possible from %s: %s", from, strings.Join(next, ", "))
	}
	return e.WithHint("%s is final", from)
}

// called is the record as every message calls it: #41 where it has a number.
func (m Machine) called(key string) string {
	if m.Noun == "directive" {
		return "#" + clean.Line(key)
	}
	return m.Noun + " " + strconv.Quote(clean.Line(key))
}

// typed lists the verbs that are possible from the state.
func (m Machine) typed(from string) []string {
	var out []string
	for _, a := range m.Actions(from) {
		if word, other := m.Verbs[a]; other {
			a = word
		}
		if a != "" && !slices.Contains(out, a) {
			out = append(out, a)
		}
	}
	return out
}

// Past is the action as a sentence has it: "done", "given back", "parked".
func Past(action string) string { return past(action) }

func past(action string) string {
	switch {
	case action == "defer":
		return "deferred"
	case action == "hold":
		return "held"
	case action == "drop":
		return "dropped"
	case action == "take":
		return "taken"
	case action == "do", action == "done":
		return "done"
	case action == "give-back":
		return "given back"
	case action == "heartbeat":
		return "kept alive by a heartbeat"
	case action == "touch":
		return "extended"
	case strings.HasSuffix(action, "e"):
		return action + "d"
	default:
		return action + "ed"
	}
}

// SignalMachine is how signals live.
func SignalMachine() Machine {
	return Machine{Noun: "signal", Steps: []Step{
		{"", "raise", SignalPending},
		{SignalPending, "claim", SignalClaimed},
		{SignalPending, "expire", SignalExpired},
		{SignalClaimed, "clear", SignalCleared},
		{SignalClaimed, "release", SignalPending},
		{SignalClaimed, "expire", SignalExpired},
	}}
}

// WorkMachine is how work records live.
func WorkMachine() Machine {
	return Machine{Noun: "work", Verbs: map[string]string{"expire": ""}, Steps: []Step{
		{"", "claim", WorkClaimed},
		{WorkClaimed, "heartbeat", WorkClaimed},
		{WorkClaimed, "complete", WorkDone},
		{WorkClaimed, "fail", WorkFailed},
		{WorkClaimed, "release", WorkReleased},
		{WorkClaimed, "expire", WorkExpired},
		{WorkReleased, "claim", WorkClaimed},
		{WorkExpired, "claim", WorkClaimed},
	}}
}
