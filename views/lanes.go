package views

import (
	"strconv"
	"strings"
	"time"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/themes"
)

// Lanes is the lanes pane: the queue's lanes, each opened to its directives or
// closed.
type Lanes struct {
	Chrome
	Cursor
	Lanes []desk.Lane
	Open  map[string]bool // by the lane's name
}

// LaneRow is one line of the lanes pane: a lane, one of its directives, or how
// many of them are not shown.
type LaneRow struct {
	Lane      *desk.Lane
	Directive *directive.Directive // nil for the lane itself
	More      int64                // directives that are left out
}

// Rows lists the pane's lines, in their order.
func (p Lanes) Rows() []LaneRow {
	var out []LaneRow
	for i := range p.Lanes {
		lane := &p.Lanes[i]
		out = append(out, LaneRow{Lane: lane})
		if !p.Open[lane.Name] {
			continue
		}
		for j := range lane.Directives {
			out = append(out, LaneRow{Lane: lane, Directive: &lane.Directives[j]})
		}
		if lane.More > 0 {
			out = append(out, LaneRow{Lane: lane, More: lane.More})
		}
	}
	return out
}

// DirectiveID is who a directive's row is.
func DirectiveID(id int64) ID { return ID{NounDirective, strconv.FormatInt(id, 10)} }

// ID is who the row is; nobody for a count of what is left out.
func (r LaneRow) ID() ID {
	switch {
	case r.Directive != nil:
		return DirectiveID(r.Directive.ID)
	case r.More > 0:
		return ID{}
	}
	return ID{NounLane, r.Lane.Name}
}

// Ref is the row's record as it was on screen.
func (r LaneRow) Ref() Ref {
	ref := Ref{ID: r.ID()}
	if r.Directive != nil {
		ref.Rev, ref.State = r.Directive.Rev, r.Directive.Status
	}
	return ref
}

// Draw draws the lanes pane.
func (p Lanes) Draw(s Size, look Look) string {
	l := &look
	in := inner(s)
	open := int64(0)
	name := 0
	for i := range p.Lanes {
		open += p.Lanes[i].Open()
		name = max(name, len(p.Lanes[i].Name))
	}
	status := ""
	if open > 0 {
		status = thousands(open) + " open"
	}
	rows := p.Rows()
	if len(rows) == 0 {
		lines := l.empty(in, "The queue's lanes and their directives will stand here. Push one:",
			`binnacle queue push -b "fix the flaky upload test"`)
		return l.pane(p.Chrome, "3", "Lanes", status, lines, s, [2]int{})
	}
	at := find(p.At, len(rows), func(i int) ID { return rows[i].ID() })
	top := Window(len(rows), at, p.Top, in.H)
	lines := make([]string, 0, in.H)
	widths := arrange(l.timeColumn(directiveColumns(), directiveAge), in.W-gutter-2)
	for i := top; i < min(top+in.H, len(rows)); i++ {
		r := &rows[i]
		switch {
		case r.Directive != nil:
			lines = append(lines, l.directiveLine(r.Directive, i == at, p.Cursor, p.Focus, in.W, widths))
		case r.More > 0:
			ln := newLine(in.W, l)
			ln.gap(gutter + 2)
			ln.put(l.Theme.Muted, l.Glyphs.Ellipsis+" "+thousands(r.More)+" more")
			lines = append(lines, ln.end())
		default:
			lines = append(lines, l.laneLine(r.Lane, p.Open[r.Lane.Name], i == at, p.Focus, in.W, min(max(name, 7), 16)))
		}
	}
	from, to := thumb(int64(len(rows)), int64(top), in.H)
	return l.pane(p.Chrome, "3", "Lanes", status, lines, s, [2]int{from, to})
}

// laneLine is a lane with its counts: those that are not 0 by priority, what is
// taken, and what waits for more than a consumer.
func (l *Look) laneLine(lane *desk.Lane, open, at, focus bool, w, name int) string {
	ln := l.begin(w, at, false, focus)
	sign := "+ "
	if open {
		sign = "- "
	}
	ln.put(l.Theme.Muted, sign)
	ln.cell(l.Theme.Title, clean.Line(lane.Name), name, false)
	ln.gap(1)
	left := false // something had no room
	num := func(tone themes.Style, label string, n int64, width int, always bool) {
		if n == 0 {
			if !always {
				return
			}
			tone = l.Theme.Muted
		}
		word := thousands(n)
		pad := max(width-len(word), 0)
		if ln.room() < 1+len(label)+1+len(word)+pad {
			left = true // a number that is cut would be another number
			return
		}
		ln.gap(1)
		ln.put(l.Theme.Muted, label+" ")
		ln.put(tone, word)
		ln.gap(pad)
	}
	tones := [3]themes.Style{l.Theme.Danger, l.Theme.Text, l.Theme.Muted}
	for i, n := range lane.Pending {
		num(tones[i], directive.Priority(i).String(), n, 2, true)
	}
	num(l.Theme.Accent, directive.StatusTaken, lane.Taken, 2, true)
	num(l.Theme.Warn, directive.StatusParked, lane.Parked, 1, false)
	num(l.Theme.Text, directive.StatusDeferred, lane.Deferred, 1, false)
	if left {
		ln.right(l.Theme.Muted, l.Glyphs.Ellipsis)
	}
	return ln.end()
}

// Columns of a directive in its lane.
const (
	directiveID = iota
	directivePriority
	directiveStatus
	directiveBody
	directiveWaits
	directiveAge
)

func directiveColumns() []column {
	return []column{
		directiveID:       {least: 5, most: 8},
		directivePriority: {least: 2, most: 2, rank: 4},
		directiveStatus:   {least: 8, most: 8, rank: 3},
		directiveBody:     {least: 8},
		directiveWaits:    {least: 12, most: 24, rank: 5},
		directiveAge:      {least: 4, most: 4, rank: 2, right: true},
	}
}

func (l *Look) directiveLine(d *directive.Directive, at bool, c Cursor, focus bool, w int, widths []int) string {
	ln := l.begin(w, at, len(c.Marks) > 0 && c.Marks[DirectiveID(d.ID)], focus)
	ln.gap(2)
	waits := clean.Line(l.waits(d))
	for i, cw := range widths {
		if cw == 0 {
			continue
		}
		switch i {
		case directiveID:
			ln.cell(l.Theme.Text, "#"+strconv.FormatInt(d.ID, 10), cw, false)
		case directivePriority:
			ln.cell(l.priorityTone(d.Priority), d.Priority.String(), cw, false)
		case directiveStatus:
			ln.cell(l.Theme.StateStyle(d.Status), clean.Line(d.Status), cw, false)
		case directiveBody:
			if waits == "" && widths[directiveWaits] > 0 {
				cw += 1 + widths[directiveWaits] // nothing else stands there
			}
			ln.cell(l.Theme.Text, clean.Line(firstLine(d.Body)), cw, false)
		case directiveWaits:
			if waits == "" {
				continue
			}
			ln.cell(l.Theme.Muted, waits, cw, false)
		case directiveAge:
			ln.cell(l.Theme.Muted, l.when(d.Since), cw, true)
		}
		ln.gap(1)
	}
	return ln.end()
}

func (l *Look) priorityTone(p directive.Priority) themes.Style {
	switch p {
	case directive.P0:
		return l.Theme.Danger
	case directive.P2:
		return l.Theme.Muted
	}
	return l.Theme.Text
}

// waits says what the directive waits for, or who has it.
func (l *Look) waits(d *directive.Directive) string {
	switch d.Status {
	case directive.StatusDeferred:
		var parts []string
		if len(d.BlockedBy) > 0 {
			ids := make([]string, 0, 3)
			for i, id := range d.BlockedBy {
				if i == 2 && len(d.BlockedBy) > 3 {
					ids = append(ids, "+"+strconv.Itoa(len(d.BlockedBy)-2))
					break
				}
				ids = append(ids, "#"+strconv.FormatInt(id, 10))
			}
			parts = append(parts, "waits for "+strings.Join(ids, " "))
		}
		if d.NotBefore != 0 {
			parts = append(parts, l.until(d.NotBefore))
		}
		return strings.Join(parts, ", ")
	case directive.StatusTaken:
		return d.TakenBy + " " + l.left(d.Term())
	case directive.StatusParked:
		return d.Reason
	}
	if d.Deadline != 0 {
		if d.Deadline <= l.Now {
			return "due " + model.Ago(l.Now.Sub(d.Deadline))
		}
		return "due " + l.until(d.Deadline)
	}
	if d.RequeueCount > 0 {
		return "requeued " + l.Glyphs.Times + strconv.FormatInt(d.RequeueCount, 10)
	}
	return ""
}

// left is what remains of a lease, in words as coarse as they can be read.
func (l *Look) left(lease model.Lease) string {
	d := lease.Left(l.reading())
	if lease.Until == 0 || d <= 0 {
		return "lapsed"
	}
	switch {
	case d >= 2*time.Hour:
		return model.Age(d)
	case d >= leaseBySecond:
		return strconv.Itoa(int(d/time.Minute)) + "m"
	}
	return model.Left(d)
}

// leaseBySecond is from when on what remains of a lease is told by the second:
// before, nobody acts on seconds, and telling them keeps a machine awake.
const leaseBySecond = 10 * time.Minute

// LeaseStep returns how long it takes until what remains of a lease is written
// differently; 0 when it is over and stays so.
func LeaseStep(lease model.Lease, now model.Reading) time.Duration {
	d := lease.Left(now)
	switch {
	case lease.Until == 0 || d <= 0:
		return 0
	case d >= 2*time.Hour:
		return d%time.Hour + time.Millisecond
	case d >= leaseBySecond:
		return d%time.Minute + time.Millisecond
	}
	return time.Second
}
