package views

import (
	"strconv"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/themes"
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

// Document is a detail that was laid out for a width; drawing it is cheap.
type Document struct {
	title, status string
	lines         []string
	inside        int // width of the lines
}

// Height is how many lines there are to scroll through.
func (d Document) Height() int { return len(d.lines) }

// Draw draws the part from the line top on, which is corrected at the end. The
// width must be the one that it was laid out for.
func (d Document) Draw(c Chrome, top int, s Size, look Look) string {
	l := &look
	in := inner(s)
	lines := d.lines
	if d.inside != in.W-2 {
		lines = text.Block(lines, in.W-2, len(lines))
	}
	top = Window(len(lines), -1, top, in.H)
	from, to := thumb(int64(len(lines)), int64(top), in.H)
	seen := lines[min(top, len(lines)):min(top+in.H, len(lines))]
	status := d.status
	if to > 0 {
		last := min(top+in.H, len(lines))
		status = strings.TrimPrefix(status+" "+l.Glyphs.Bullet+" ", " "+l.Glyphs.Bullet+" ") +
			strconv.Itoa(last*100/len(lines)) + "%"
	}
	f := frame{focus: c.Focus, title: d.title, status: status, tone: l.Theme.Muted, from: from, to: to}
	if c.Fault != "" {
		f.status, f.tone = l.Glyphs.Alert+" "+clean.Line(c.Fault), l.Theme.Danger
	}
	return l.box(f, l.inset(seen, in.W), s)
}

// Draw lays the detail out and draws it from the line top on.
func (d Detail) Draw(c Chrome, top int, s Size, look Look) string {
	return d.Lay(s.W, look).Draw(c, top, s, look)
}

// Lay lays the detail out for a box that is w cells wide.
func (d Detail) Lay(w int, look Look) Document {
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
		doc.title = "Event " + thousands(of.Event.Seq)
	default:
		doc.title = "Nothing"
		p.prose(p.l.Theme.Muted, "The record is gone.")
	}
	if d.Of.Why != nil {
		p.sentences("Why it stands there", d.Of.Why.Sentences(p.l.zone()))
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

// sheet collects a detail's lines.
type sheet struct {
	l   *Look
	w   int
	out []string
}

// labelWidth is how wide the names of fields are.
const labelWidth = 12

func (p *sheet) head(title string) {
	if len(p.out) > 0 {
		p.out = append(p.out, text.Spaces(p.w))
	}
	ln := newLine(p.w, p.l)
	ln.put(p.l.Theme.FocusHead, title)
	p.out = append(p.out, ln.end())
}

// field writes a name and a value, which is not cleaned, over as many lines as
// it needs. An empty value is left out.
func (p *sheet) field(label string, st themes.Style, value string) {
	if value == "" {
		return
	}
	indent := min(labelWidth, p.w/2)
	for i, part := range text.Wrap(clean.Line(cut(value, 4*maxShown)), max(p.w-indent, 1)) {
		ln := newLine(p.w, p.l)
		if i == 0 {
			ln.cell(p.l.Theme.Muted, label, max(indent-1, 0), false)
		}
		ln.gap(indent - ln.used)
		ln.put(st, part)
		p.out = append(p.out, ln.end())
	}
}

func (p *sheet) number(label string, n int64) {
	if n != 0 {
		p.field(label, p.l.Theme.Text, thousands(n))
	}
}

func (p *sheet) time(label string, t model.Time) {
	if t != 0 {
		p.field(label, p.l.Theme.Text, p.l.moment(t))
	}
}

// prose writes text of several lines.
func (p *sheet) prose(st themes.Style, s string) {
	if p.w < 1 {
		return
	}
	for _, ln := range clean.Lines(s) {
		for _, part := range text.Wrap(ln, p.w) {
			l := newLine(p.w, p.l)
			l.put(st, part)
			p.out = append(p.out, l.end())
		}
	}
}

func (p *sheet) sentences(title string, list []string) {
	if len(list) == 0 {
		return
	}
	p.head(title)
	for _, s := range list {
		p.prose(p.l.Theme.Text, s)
	}
}

func (p *sheet) event(of desk.Detail) {
	t := &p.l.Theme
	e := of.Event
	if len(p.out) > 0 {
		p.head("Event " + thousands(e.Seq))
	}
	p.field("kind", t.KindStyle(string(e.Kind)), string(e.Kind))
	p.field("state", t.StateStyle(e.State), e.State)
	p.field("topic", t.Text, e.Topic)
	p.field("key", t.Text, e.Key)
	p.field("producer", t.Text, e.Producer)
	p.time("time", e.TS)
	p.number("caused by", e.Causation)
	p.head("Payload")
	p.out = p.l.prettyJSON(p.out, e.Payload, p.w)
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
		p.out = p.l.prettyJSON(p.out, x.Evidence, p.w)
	}
}

func (p *sheet) lease(l model.Lease) {
	if l.Until == 0 {
		return
	}
	say := p.l.left(l)
	if say != "lapsed" {
		say += " left"
	}
	p.field("lease", p.l.Theme.Text, say+", until "+p.l.clock(l.Ends(p.l.reading())))
}

func (p *sheet) directive(d *directive.Directive) {
	t := &p.l.Theme
	p.field("status", t.StateStyle(d.Status), d.Status)
	p.field("priority", p.l.priorityTone(d.Priority), d.Priority.String())
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
		ln := newLine(p.w, p.l)
		mark := " "
		if of.Directive != nil && d.ID == of.Directive.ID {
			mark = p.l.Glyphs.Cursor
		}
		ln.put(p.l.Theme.Accent, mark+" ")
		ln.cell(p.l.Theme.Text, "#"+strconv.FormatInt(d.ID, 10), 7, false)
		ln.cell(p.l.Theme.StateStyle(d.Status), clean.Line(d.Status), 9, false)
		ln.put(p.l.Theme.Text, clean.Line(firstLine(d.Body)))
		p.out = append(p.out, ln.end())
	}
}

func (p *sheet) links(d Detail) {
	if d.Of.Cause == nil && len(d.Of.Effects) == 0 {
		return
	}
	p.head("Links")
	n := 0
	link := func(arrow string, e *model.Event) {
		ln := newLine(p.w, p.l)
		if n == d.Link {
			ln.base = p.l.Theme.Selected
			ln.put(p.l.Theme.FocusHead, p.l.Glyphs.Cursor)
		} else {
			ln.gap(1)
		}
		ln.put(p.l.Theme.Key, arrow+" ")
		p.eventCells(&ln, e)
		p.out = append(p.out, ln.end())
		n++
	}
	if d.Of.Cause != nil {
		link(p.l.Glyphs.Cause, d.Of.Cause)
	}
	for i := range d.Of.Effects {
		link(p.l.Glyphs.Effect, &d.Of.Effects[i])
	}
}

func (p *sheet) eventCells(ln *line, e *model.Event) {
	t := &p.l.Theme
	ln.cell(t.Muted, thousands(e.Seq), 10, false)
	ln.gap(1)
	ln.cell(t.Muted, p.l.clock(e.TS), 11, false)
	ln.gap(1)
	ln.cell(t.KindStyle(string(e.Kind)), clean.Line(string(e.Kind)), 9, false)
	ln.gap(1)
	ln.cell(t.StateStyle(e.State), clean.Line(e.State), 9, false)
	ln.gap(1)
	ln.put(t.Text, clean.Line(e.Producer))
	ln.gap(2)
	ln.put(t.Muted, Summary(*e))
}

func (p *sheet) history(of desk.Detail) {
	if len(of.History) == 0 {
		return
	}
	p.head("History")
	if of.Older > 0 {
		ln := newLine(p.w, p.l)
		ln.put(p.l.Theme.Stale, p.l.Glyphs.Ellipsis+" "+count(of.Older, "event", "events")+" before")
		p.out = append(p.out, ln.end())
	}
	for i := range of.History {
		ln := newLine(p.w, p.l)
		p.eventCells(&ln, &of.History[i])
		p.out = append(p.out, ln.end())
	}
}
