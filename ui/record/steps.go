package record

import (
	"strings"

	"binnacle/keymap"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/views"
)

// steps are the actions that take a record from one state to another, with what
// the machines call them.
var steps = map[string]string{
	"claim": "claim", "clear": "clear", "release": "release",
	"requeue": "requeue", "drop": "drop", "raise": "reprioritize", "lower": "reprioritize", "defer": "defer", "extend": "touch",
}

// Allows says whether the record's state allows the action.
func (t Target) Allows(action string) bool {
	step := steps[action]
	var m model.Machine
	switch t.Noun {
	case views.NounSignal:
		m = model.SignalMachine()
	case views.NounWork:
		if m = model.WorkMachine(); action == "extend" {
			step = "heartbeat"
		}
	case views.NounDirective:
		if m = directive.Machine(); action == "requeue" && t.State == directive.StatusParked {
			step = "unpark" // given back by unparking it
		}
	default:
		return false
	}
	_, ok := m.To(t.State, step)
	return ok
}

// Final says whether the record can't change any more.
func (t Target) Final() bool {
	switch t.Kind() {
	case model.KindSignal:
		return model.SignalMachine().Final(t.State)
	case model.KindWork:
		return t.State != model.WorkClaimed
	}
	return directive.Machine().Final(t.State)
}

// Explain says why the action can't be done with the record: what it is, and
// what can be done with it, in keys.
func (t Target) Explain(action string, keys keymap.Map) string {
	if t.State == "" {
		return t.Label + " is not open any more"
	}
	say := Label(desk.At{Kind: t.Kind(), Key: FirstLine(t.Key, 40)})
	if t.Noun != views.NounDirective {
		say = string(t.Noun) + " " + say
	}
	say += " is " + t.State
	if action == "extend" {
		say += ", so it has no lease"
	} else {
		say += ", so it can't be " + model.Past(steps[action])
	}
	if can := t.possible(keys); can != "" {
		return say + "; possible: " + can
	}
	return say + "; nothing more can be done with it"
}

// possible lists the keys that act on the record, with a word for each.
func (t Target) possible(keys keymap.Map) string {
	var out []string
	for _, a := range keys.Actions() {
		if !t.applies(a) || !t.Allows(a.Name) || len(a.Keys) == 0 {
			continue
		}
		if n := len(out); n > 0 && strings.HasSuffix(out[n-1], " "+a.Short) { // + and - are one word
			out[n-1] = strings.TrimSuffix(out[n-1], " "+a.Short) + "/" + a.Keys[0] + " " + a.Short
			continue
		}
		out = append(out, a.Keys[0]+" "+a.Short)
	}
	return strings.Join(out, ", ")
}

// applies says whether the action is one for rows like the record's.
func (t Target) applies(a keymap.Action) bool {
	for _, s := range t.Scopes() {
		if s != keymap.Record && a.In(s) {
			return true
		}
	}
	return false
}
