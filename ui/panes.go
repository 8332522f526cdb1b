package ui

import (
	"strconv"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/directive"
	"binnacle/views"
)

// nounMore is the line that counts the directives a lane does not show. It has
// a place in the list, so that lines and rows agree, but the cursor passes it.
const nounMore views.Noun = "more"

// rows is the state of a pane with records.
type rows = list[views.ID]

// target is what an action applies to: the record as it was on screen.
type target struct {
	views.Ref
	seq   int64  // of the event, in the events pane
	label string // how dialogs name it
}

// kind is the record's kind in the ledger, "" for what is no record.
func (t target) kind() model.Kind {
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

// target returns what the cursor of the focused pane is on.
func (c *Cockpit) target() (target, bool) {
	if c.focus == views.PaneEvents {
		return c.eventTarget()
	}
	l := c.listOf(c.focus)
	if l == nil || l.none() || l.height < 1 {
		return target{}, false // what is not drawn is no target
	}
	return c.targetOf(l.cursor)
}

// targets lists the record of the open detail, or the marked records, or the
// one under the cursor.
func (c *Cockpit) targets() []target {
	if n := len(c.overlays); n > 0 {
		if d, ok := c.overlays[n-1].(*detail); ok {
			return []target{d.record()}
		}
	}
	if c.focus == views.PaneEvents {
		if t, ok := c.eventTarget(); ok {
			return []target{t}
		}
		return nil
	}
	l := c.listOf(c.focus)
	if l == nil || l.height < 1 {
		return nil
	}
	var out []target
	for _, id := range l.targets() {
		if t, ok := c.targetOf(id); ok {
			out = append(out, t)
		}
	}
	return out
}

// targetOf finds the record in the snapshot that is on screen.
func (c *Cockpit) targetOf(id views.ID) (target, bool) {
	t := target{Ref: views.Ref{ID: id}, label: string(id.Noun) + " " + clean.Line(id.Key)}
	switch id.Noun {
	case views.NounSignal:
		for i := range c.snap.Signals {
			if s := &c.snap.Signals[i]; s.Key == id.Key {
				t.Rev, t.State = s.Rev, s.State
				t.label = "signal " + clean.Line(s.Key) + " (" + clean.Line(s.Summary) + ")"
				return t, true
			}
		}
	case views.NounWork:
		for i := range c.snap.Work {
			if w := &c.snap.Work[i]; w.Key == id.Key {
				t.Rev, t.State = w.Rev, w.State
				t.label = "work " + clean.Line(w.Key)
				return t, true
			}
		}
	case views.NounDirective:
		if d, ok := c.directive(id.Key); ok {
			t.Rev, t.State = d.Rev, d.Status
			t.label = directiveLabel(d)
			return t, true
		}
	case views.NounLane, views.NounSession, views.NounMachine:
		return t, true
	case views.NounEvent: // a landing
		seq, err := strconv.ParseInt(id.Key, 10, 64)
		t.seq = seq
		return t, err == nil
	}
	return t, false
}

// directive finds a directive in the snapshot.
func (c *Cockpit) directive(key string) (directive.Directive, bool) {
	id, err := strconv.ParseInt(key, 10, 64)
	if err != nil {
		return directive.Directive{}, false
	}
	for _, some := range [][]directive.Directive{c.snap.Taken, c.snap.Parked} {
		for i := range some {
			if some[i].ID == id {
				return some[i], true
			}
		}
	}
	for i := range c.snap.Lanes {
		for j := range c.snap.Lanes[i].Directives {
			if d := &c.snap.Lanes[i].Directives[j]; d.ID == id {
				return *d, true
			}
		}
	}
	return directive.Directive{}, false
}

func directiveLabel(d directive.Directive) string {
	return "#" + strconv.FormatInt(d.ID, 10) + " " + d.Priority.String() + " " + firstLine(d.Body, 50)
}

// firstLine is the beginning of a text, clean, at most so many runes.
func firstLine(s string, most int) string {
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

// listOf is the list of a pane with records, nil for others.
func (c *Cockpit) listOf(p views.Pane) *rows {
	switch p {
	case views.PanePlanes:
		return &c.planes
	case views.PaneLanes:
		return &c.lanes
	case views.PaneLeases:
		return &c.leases
	case views.PaneNeeds:
		return &c.needs
	case views.PaneFleet:
		return &c.fleet
	}
	return nil
}

// refill gives every list the rows of the snapshot and returns how many marks
// went with rows that vanished.
func (c *Cockpit) refill() int {
	gone := c.planes.set(refIDs(views.SignalRefs(c.snap.Signals)))
	var ids []views.ID
	for _, r := range c.lanesView().Rows() {
		id := r.ID()
		if id == (views.ID{}) {
			id = views.ID{Noun: nounMore, Key: r.Lane.Name}
		}
		ids = append(ids, id)
	}
	gone += c.lanes.set(ids)
	ids = nil
	for _, r := range c.leasesView().Rows() {
		ids = append(ids, r.ID())
	}
	gone += c.leases.set(ids)
	ids = nil
	for _, r := range c.fleetPane().Rows() {
		ids = append(ids, r.ID())
	}
	gone += c.fleet.set(ids)
	ids = nil
	for _, r := range c.needsView().Rows() {
		ids = append(ids, r.ID)
	}
	return gone + c.needs.set(ids)
}

func refIDs(refs []views.Ref) []views.ID {
	out := make([]views.ID, len(refs))
	for i, r := range refs {
		out[i] = r.ID
	}
	return out
}
