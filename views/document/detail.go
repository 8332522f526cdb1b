package document

import (
	"strconv"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/views/canvas"
	"binnacle/views/summary"
	"binnacle/views/text"
)

// Detail is all of one event or one record.
type Detail struct {
	Of   desk.Detail
	Link int // index into Links of the link that is chosen; -1: none
}

// Links lists the sequence numbers to which the detail's links lead: the cause,
// if there is one, then the effects.
func (d Detail) Links() []int64 {
	var out []int64
	if d.Of.Cause != nil {
		out = append(out, d.Of.Cause.Seq)
	}
	for i := range d.Of.Effects {
		out = append(out, d.Of.Effects[i].Seq)
	}
	return out
}

// Draw lays the detail out and draws it from the line top on.
func (d Detail) Draw(c canvas.Chrome, top int, s canvas.Size, look canvas.Look) string {
	return d.Lay(s.W, look).Draw(c, top, s, look)
}

// Lay lays the detail out for a box that is w cells wide.
func (d Detail) Lay(w int, look canvas.Look) Document {
	p := sheet{l: &look, w: max(w-4, 0)}
	doc := Document{inside: p.w}
	switch of := d.Of; {
	case of.Directive != nil:
		doc.title = "Directive #" + strconv.FormatInt(of.Directive.ID, 10)
		p.directive(of.Directive)
	case of.Signal != nil:
		doc.title = "Signal " + clean.Line(of.Signal.Key)
		p.signal(of.Signal)
	case of.Work != nil:
		doc.title = "Work " + clean.Line(of.Work.Key)
		p.work(of.Work)
	case of.Session != nil:
		doc.title = "Session " + clean.Line(of.Session.Session)
		if of.Session.Session == "" {
			doc.title = "Change " + clean.Line(of.Session.Change)
		}
		p.session(of.Fleet, of.Session)
	case of.Machine != nil:
		doc.title = "Machine " + clean.Line(of.Machine.Machine)
		p.machine(of.Fleet, of.Machine)
	case of.Event != nil:
		doc.title = "Event " + canvas.Thousands(of.Event.Seq)
	default:
		doc.title = "Nothing"
		p.prose(p.l.Theme.Muted, "The record is gone.")
	}
	if d.Of.Why != nil {
		p.sentences("Why it stands there", d.Of.Why.Sentences(p.l.Location()))
	}
	p.thread(d.Of)
	if d.Of.Event != nil {
		p.event(d.Of)
		doc.status = "unverified"
		if d.Of.Verified {
			doc.status = p.l.Glyphs.Good + " verified"
		}
	}
	p.links(d)
	p.history(d.Of)
	doc.lines = p.out
	return doc
}

func (p *sheet) event(of desk.Detail) {
	t := &p.l.Theme
	e := of.Event
	if len(p.out) > 0 {
		p.head("Event " + canvas.Thousands(e.Seq))
	}
	p.field("kind", t.KindStyle(string(e.Kind)), string(e.Kind))
	p.field("state", t.StateStyle(e.State), e.State)
	p.field("topic", t.Text, e.Topic)
	p.field("key", t.Text, e.Key)
	p.field("producer", t.Text, e.Producer)
	p.time("time", e.TS)
	p.number("caused by", e.Causation)
	p.head("Payload")
	p.out = prettyJSON(p.l, p.out, e.Payload, p.w)
	p.head("Chain")
	p.field("hash", t.Text, e.Hash)
	p.field("prev", t.Muted, e.Prev)
	if of.Verified {
		p.field("verified", t.OK, "yes, the whole chain up to here")
		p.time("last walk", of.Whole)
	} else {
		p.field("verified", t.Warn, "not yet")
	}
}

func (p *sheet) signal(x *model.Signal) {
	t := &p.l.Theme
	p.field("state", t.StateStyle(x.State), x.State)
	p.field("topic", t.Text, x.Topic)
	p.field("raised by", t.Text, x.Producer)
	p.field("held by", t.Accent, x.Holder)
	p.time("raised", x.Raised)
	p.time("since", x.Since)
	p.time("expires", x.Expires)
	p.head("Summary")
	p.prose(t.Text, x.Summary)
}

func (p *sheet) work(x *model.Work) {
	t := &p.l.Theme
	p.field("state", t.StateStyle(x.State), x.State)
	p.field("topic", t.Text, x.Topic)
	p.field("executor", t.Accent, x.Executor)
	p.lease(x.Term())
	p.number("attempt", x.Attempt)
	p.time("claimed", x.ClaimedAt)
	p.time("since", x.Since)
	p.field("reason", t.Text, x.Reason)
	if len(x.Evidence) > 0 {
		p.head("Evidence")
		p.out = prettyJSON(p.l, p.out, x.Evidence, p.w)
	}
}

func (p *sheet) lease(l model.Lease) {
	if l.Until == 0 {
		return
	}
	say := p.l.Left(l)
	if say != "lapsed" {
		say += " left"
	}
	p.field("lease", p.l.Theme.Text, say+", until "+p.l.Clock(l.Ends(p.l.Reading())))
}

func (p *sheet) directive(d *directive.Directive) {
	t := &p.l.Theme
	p.field("status", t.StateStyle(d.Status), d.Status)
	p.field("priority", p.l.PriorityTone(d.Priority), d.Priority.String())
	p.field("lane", t.Text, d.Lane)
	p.field("taken by", t.Accent, d.TakenBy)
	p.lease(d.Term())
	p.number("attempt", d.Attempt)
	p.number("requeued", d.RequeueCount)
	p.number("lapses", d.Lapses)
	p.time("not before", d.NotBefore)
	p.field("waits for", t.Text, ids(d.BlockedBy))
	p.number("importance", d.Importance)
	p.time("deadline", d.Deadline)
	p.field("reason", t.Text, d.Reason)
	if d.Parent != 0 {
		p.field("parent", t.Text, "#"+strconv.FormatInt(d.Parent, 10))
	}
	p.time("pushed", d.CreatedAt)
	p.time("since", d.Since)
	p.time("closed", d.DoneAt)
	p.head("Body")
	p.prose(t.Text, d.Body)
}

func ids(list []int64) string {
	out := make([]string, len(list))
	for i, id := range list {
		out[i] = "#" + strconv.FormatInt(id, 10)
	}
	return strings.Join(out, " ")
}

func (p *sheet) thread(of desk.Detail) {
	if len(of.Thread) < 2 {
		return
	}
	p.head("Thread")
	for i := range of.Thread {
		d := &of.Thread[i]
		ln := canvas.NewLine(p.w, p.l)
		mark := " "
		if of.Directive != nil && d.ID == of.Directive.ID {
			mark = p.l.Glyphs.Cursor
		}
		ln.Put(p.l.Theme.Accent, mark+" ")
		ln.Cell(p.l.Theme.Text, "#"+strconv.FormatInt(d.ID, 10), 7, false)
		ln.Cell(p.l.Theme.StateStyle(d.Status), clean.Line(d.Status), 9, false)
		ln.Put(p.l.Theme.Text, clean.Line(text.FirstLine(d.Body)))
		p.out = append(p.out, ln.End())
	}
}

func (p *sheet) links(d Detail) {
	if d.Of.Cause == nil && len(d.Of.Effects) == 0 {
		return
	}
	p.head("Links")
	n := 0
	link := func(arrow string, e *model.Event) {
		ln := canvas.NewLine(p.w, p.l)
		if n == d.Link {
			ln.Base = p.l.Theme.Selected
			ln.Put(p.l.Theme.FocusHead, p.l.Glyphs.Cursor)
		} else {
			ln.Gap(1)
		}
		ln.Put(p.l.Theme.Key, arrow+" ")
		p.eventCells(&ln, e)
		p.out = append(p.out, ln.End())
		n++
	}
	if d.Of.Cause != nil {
		link(p.l.Glyphs.Cause, d.Of.Cause)
	}
	for i := range d.Of.Effects {
		link(p.l.Glyphs.Effect, &d.Of.Effects[i])
	}
}

func (p *sheet) eventCells(ln *canvas.Line, e *model.Event) {
	t := &p.l.Theme
	ln.Cell(t.Muted, canvas.Thousands(e.Seq), 10, false)
	ln.Gap(1)
	ln.Cell(t.Muted, p.l.Clock(e.TS), 11, false)
	ln.Gap(1)
	ln.Cell(t.KindStyle(string(e.Kind)), clean.Line(string(e.Kind)), 9, false)
	ln.Gap(1)
	ln.Cell(t.StateStyle(e.State), clean.Line(e.State), 9, false)
	ln.Gap(1)
	ln.Put(t.Text, clean.Line(e.Producer))
	ln.Gap(2)
	ln.Put(t.Muted, summary.Of(*e))
}

func (p *sheet) history(of desk.Detail) {
	if len(of.History) == 0 {
		return
	}
	p.head("History")
	if of.Older > 0 {
		ln := canvas.NewLine(p.w, p.l)
		ln.Put(p.l.Theme.Stale, p.l.Glyphs.Ellipsis+" "+canvas.Count(of.Older, "event", "events")+" before")
		p.out = append(p.out, ln.End())
	}
	for i := range of.History {
		ln := canvas.NewLine(p.w, p.l)
		p.eventCells(&ln, &of.History[i])
		p.out = append(p.out, ln.End())
	}
}
