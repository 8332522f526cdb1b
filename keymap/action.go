package keymap

import "slices"

// Scope is where an action applies. The cockpit looks a key up in the scopes
// that are current, the narrowest first.
type Scope string

// The scopes.
const (
	Always    Scope = "always"    // whatever is open, also over a line of input
	Global    Scope = "global"    // whatever pane has the focus, unless a dialog or a line of input is open
	List      Scope = "list"      // a pane with rows, the detail and the help
	Events    Scope = "events"    // the events pane
	Record    Scope = "record"    // any row that stands for a record or an event
	Signal    Scope = "signal"    // a row or a detail of a signal
	Directive Scope = "directive" // … of a directive
	Lease     Scope = "lease"     // … of a taken directive or of claimed work
	Work      Scope = "work"      // … of a work record
	Fleet     Scope = "fleet"     // the fleet pane
	Detail    Scope = "detail"    // the detail
	Dialog    Scope = "dialog"    // a dialog with buttons
	Input     Scope = "input"     // a line of input: filter, palette, form
)

// Scopes lists every scope, the widest first.
func Scopes() []Scope {
	return []Scope{Always, Global, List, Events, Record, Signal, Directive, Lease, Work, Fleet, Detail, Dialog, Input}
}

// Overlap says whether both scopes can be current at the same time.
func Overlap(a, b Scope) bool {
	if a == b || a == Always || b == Always {
		return true
	}
	modal := func(s Scope) bool { return s == Dialog || s == Input }
	if modal(a) || modal(b) {
		return false
	}
	apart := func(x, y Scope) bool { return a == x && b == y || a == y && b == x }
	switch {
	case apart(Signal, Directive), apart(Signal, Work), apart(Directive, Work), apart(Signal, Lease):
		return false // one row is one record
	case apart(Fleet, Events), apart(Fleet, Signal), apart(Fleet, Directive), apart(Fleet, Lease), apart(Fleet, Work):
		return false
	case apart(Detail, Events), apart(Detail, Fleet):
		return false // the detail covers the pane
	}
	return true
}

// Group is the heading under which the help shows an action.
type Group string

// The groups, in the order of the help.
const (
	Move    Group = "Move"
	See     Group = "See"
	Queue   Group = "Act on a directive"
	Signals Group = "Act on a signal"
	Several Group = "Mark and undo"
	Out     Group = "Copy and open"
	Program Group = "Program"
	Typing  Group = "Dialogs and input"
)

// Groups lists the groups in their order.
func Groups() []Group {
	return []Group{Move, See, Queue, Signals, Several, Out, Program, Typing}
}

// Action is one thing that the cockpit can do.
type Action struct {
	Name    string   // stable; config.toml overrides by it
	Keys    []string // as Normal writes them; the first one is shown; none is allowed
	Scopes  []Scope  // where it applies, at least one
	Group   Group
	Short   string  // one or two words for the bottom line
	Help    string  // one short sentence
	Changes bool    // it changes something outside of the cockpit
	Rank    int     // place in the bottom line, 1 first; 0 keeps it out
	Named   []Scope // where the bottom line has room for it; none is wherever it applies
	// Synonyms are other words under which people look for it, in small letters.
	Synonyms []string
}

// In says whether the action applies in the scope.
func (a Action) In(s Scope) bool { return slices.Contains(a.Scopes, s) }

// named says whether the bottom line names the action in the scope.
func (a Action) named(s Scope) bool {
	return a.In(s) && (len(a.Named) == 0 || slices.Contains(a.Named, s))
}

// overlaps says whether two actions can apply at the same time.
func (a Action) overlaps(b Action) bool {
	for _, x := range a.Scopes {
		for _, y := range b.Scopes {
			if Overlap(x, y) {
				return true
			}
		}
	}
	return false
}
