package ui

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

// allows says whether the record's state allows the action.
func allows(name string, t target) bool {
	step := steps[name]
	var m model.Machine
	switch t.Noun {
	case views.NounSignal:
		m = model.SignalMachine()
	case views.NounWork:
		if m = model.WorkMachine(); name == "extend" {
			step = "heartbeat"
		}
	case views.NounDirective:
		if m = directive.Machine(); name == "requeue" && t.State == directive.StatusParked {
			step = "unpark" // given back by unparking it
		}
	default:
		return false
	}
	_, ok := m.To(t.State, step)
	return ok
}

// onRecord says why the action does not apply to what is selected, and which
// keys do.
func onRecord(name, what string, nouns ...views.Noun) func(*Cockpit) string {
	return func(c *Cockpit) string {
		var first *target
		for _, t := range c.targets() {
			for _, n := range nouns {
				if t.Noun != n {
					continue
				}
				if allows(name, t) {
					return "" // at least one can
				}
				if first == nil {
					first = &t
				}
			}
		}
		switch {
		case first != nil:
			return c.explain(*first, name)
		case c.focus == views.PaneEvents && c.stream.follow && len(c.overlays) == 0:
			return "the events follow: pause them first (" + c.opt.Keys.KeyOf("pause") + ")"
		}
		return "no " + what + " is selected"
	}
}

// explain says what the record is, and what can be done with it, in keys.
func (c *Cockpit) explain(t target, name string) string {
	if t.State == "" {
		return t.label + " is not open any more"
	}
	say := label(desk.At{Kind: t.kind(), Key: firstLine(t.Key, 40)})
	if t.Noun != views.NounDirective {
		say = string(t.Noun) + " " + say
	}
	say += " is " + t.State
	if name == "extend" {
		say += ", so it has no lease"
	} else {
		say += ", so it can't be " + model.Past(steps[name])
	}
	if can := c.possible(t); can != "" {
		return say + "; possible: " + can
	}
	return say + "; nothing more can be done with it"
}

// possible lists the keys that act on the record, with a word for each.
func (c *Cockpit) possible(t target) string {
	var out []string
	for _, a := range c.opt.Keys.Actions() {
		if !applies(a, t) || !allows(a.Name, t) || len(a.Keys) == 0 {
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
func applies(a keymap.Action, t target) bool {
	for _, s := range recordScopes(t) {
		if s != keymap.Record && a.In(s) {
			return true
		}
	}
	return false
}
