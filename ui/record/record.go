// Package record is what a key acts on: the record in a row, as it was on the
// screen when the key was pressed, what can be done with it, and how it is
// written for people and for programs. It knows no pane: whoever has rows makes
// targets of them.
package record

import (
	"strconv"

	"binnacle/keymap"
	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/views"
)

// Target is what an action applies to: the record as it was on screen.
type Target struct {
	views.Ref
	Seq   int64  // of the event, in the events pane
	Label string // how dialogs name it
}

// Kind is the record's kind in the ledger, "" for what is not a record.
func (t Target) Kind() model.Kind {
	switch t.Noun {
	case views.NounSignal:
		return model.KindSignal
	case views.NounDirective:
		return model.KindDirective
	case views.NounWork:
		return model.KindWork
	}
	return ""
}

// Detail names what the detail of the target is of. A lane has none.
func (t Target) Detail() desk.Ref {
	if t.Seq > 0 {
		return desk.Ref{Seq: t.Seq}
	}
	if t.Noun == views.NounSession || t.Noun == views.NounMachine {
		return desk.Ref{Kind: model.KindCoord, Key: t.Key}
	}
	return desk.Ref{Kind: t.Kind(), Key: t.Key}
}

// Scopes are where keys for the record are looked up.
func (t Target) Scopes() []keymap.Scope {
	var out []keymap.Scope
	switch t.Noun {
	case views.NounSignal:
		out = append(out, keymap.Signal)
	case views.NounDirective:
		if t.State == directive.StatusTaken {
			out = append(out, keymap.Lease)
		}
		out = append(out, keymap.Directive)
	case views.NounWork:
		out = append(out, keymap.Lease, keymap.Work)
	case views.NounSession, views.NounMachine:
		return nil
	}
	return append(out, keymap.Record)
}

// Event is an event as such, whatever record it is about.
func Event(seq int64) Target {
	key := strconv.FormatInt(seq, 10)
	return Target{Ref: views.Ref{ID: views.ID{Noun: views.NounEvent, Key: key}}, Seq: seq, Label: "event " + key}
}

// Written is what is copied and opened as text. A row of Events is an event,
// also where keys that act take it for its record.
func (t Target) Written() Target {
	if t.Seq > 0 {
		return Event(t.Seq)
	}
	return t
}

// Find finds the record in a snapshot; false says that it isn't among those
// that the snapshot holds.
func Find(s *desk.Snapshot, id views.ID) (Target, bool) {
	t := Target{Ref: views.Ref{ID: id}, Label: string(id.Noun) + " " + clean.Line(id.Key)}
	switch id.Noun {
	case views.NounSignal:
		for i := range s.Signals {
			if x := &s.Signals[i]; x.Key == id.Key {
				t.Rev, t.State = x.Rev, x.State
				t.Label = "signal " + clean.Line(x.Key) + " (" + clean.Line(x.Summary) + ")"
				return t, true
			}
		}
	case views.NounWork:
		for i := range s.Work {
			if w := &s.Work[i]; w.Key == id.Key {
				t.Rev, t.State = w.Rev, w.State
				t.Label = "work " + clean.Line(w.Key)
				return t, true
			}
		}
	case views.NounDirective:
		if d, ok := Directive(s, id.Key); ok {
			return Of(d), true
		}
	case views.NounLane, views.NounSession, views.NounMachine:
		return t, true
	case views.NounEvent: // a landing
		seq, err := strconv.ParseInt(id.Key, 10, 64)
		t.Seq = seq
		return t, err == nil
	}
	return t, false
}

// Directive finds a directive in a snapshot.
func Directive(s *desk.Snapshot, key string) (directive.Directive, bool) {
	id, err := strconv.ParseInt(key, 10, 64)
	if err != nil {
		return directive.Directive{}, false
	}
	for _, some := range [][]directive.Directive{s.Taken, s.Parked} {
		for i := range some {
			if some[i].ID == id {
				return some[i], true
			}
		}
	}
	for i := range s.Lanes {
		for j := range s.Lanes[i].Directives {
			if d := &s.Lanes[i].Directives[j]; d.ID == id {
				return *d, true
			}
		}
	}
	return directive.Directive{}, false
}

// Of is a directive as a target.
func Of(d directive.Directive) Target {
	return Target{
		Ref:   views.Ref{ID: views.DirectiveID(d.ID), Rev: d.Rev, State: d.Status},
		Label: "#" + strconv.FormatInt(d.ID, 10) + " " + d.Priority.String() + " " + FirstLine(d.Body, 50),
	}
}

// Only keeps the targets of one noun.
func Only(noun views.Noun, all []Target) []Target {
	var out []Target
	for _, t := range all {
		if t.Noun == noun {
			out = append(out, t)
		}
	}
	return out
}

// Taken counts the targets that somebody holds.
func Taken(ts []Target) int {
	n := 0
	for _, t := range ts {
		if t.State == directive.StatusTaken {
			n++
		}
	}
	return n
}

// Label is a record in a word: #16, or a signal's key.
func Label(at desk.At) string {
	if at.Kind == model.KindDirective {
		return "#" + at.Key
	}
	return clean.Line(at.Key)
}

// FirstLine is the beginning of a text, clean, at most so many runes.
func FirstLine(s string, most int) string {
	for i, r := range s {
		if r == '\n' {
			s = s[:i]
			break
		}
	}
	out := []rune(clean.Line(s))
	if len(out) > most {
		return string(out[:most-1]) + "…"
	}
	return string(out)
}

// Plural writes "1 mark", "2 marks".
func Plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.FormatInt(n, 10) + " " + many
}
