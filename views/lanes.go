package views

import (
	"strconv"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/themes"
	"binnacle/views/canvas"
	"binnacle/views/text"
)

// Lanes is the lanes pane: the queue's lanes, each opened to its directives or
// closed.
type Lanes struct {
	canvas.Chrome
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
func (p Lanes) Draw(s canvas.Size, look canvas.Look) string {
	l := &look
	in := canvas.Inner(s)
	open := int64(0)
	name := 0
	for i := range p.Lanes {
		open += p.Lanes[i].Open()
		name = max(name, len(p.Lanes[i].Name))
	}
	status := ""
	if open > 0 {
		status = canvas.Thousands(open) + " open"
	}
	rows := p.Rows()
	if len(rows) == 0 {
		lines := l.Empty(in, "The queue's lanes and their directives will stand here. Push one:",
			`binnacle queue push -b "fix the flaky upload test"`)
		return PaneLanes.box(l, p.Chrome, "", status, lines, s, [2]int{})
	}
	at := find(p.At, len(rows), func(i int) ID { return rows[i].ID() })
	top := canvas.Window(len(rows), at, p.Top, in.H)
	lines := make([]string, 0, in.H)
	widths := canvas.Widths(timeColumn(l, directiveColumns(), directiveAge), in.W-canvas.Gutter-2)
	for i := top; i < min(top+in.H, len(rows)); i++ {
		r := &rows[i]
		switch {
		case r.Directive != nil:
			lines = append(lines, directiveLine(l, r.Directive, i == at, p.Cursor, p.Focus, in.W, widths))
		case r.More > 0:
			ln := canvas.NewLine(in.W, l)
			ln.Gap(canvas.Gutter + 2)
			ln.Put(l.Theme.Muted, l.Glyphs.Ellipsis+" "+canvas.Thousands(r.More)+" more")
			lines = append(lines, ln.End())
		default:
			lines = append(lines, laneLine(l, r.Lane, p.Open[r.Lane.Name], i == at, p.Focus, in.W, min(max(name, 7), 16)))
		}
	}
	from, to := canvas.Thumb(int64(len(rows)), int64(top), in.H)
	return PaneLanes.box(l, p.Chrome, "", status, lines, s, [2]int{from, to})
}

// laneLine is a lane with its counts: those that are not 0 by priority, what is
// taken, and what waits for more than a consumer.
func laneLine(l *canvas.Look, lane *desk.Lane, open, at, focus bool, w, name int) string {
	ln := l.Begin(w, at, false, focus)
	sign := "+ "
	if open {
		sign = "- "
	}
	ln.Put(l.Theme.Muted, sign)
	ln.Cell(l.Theme.Title, clean.Line(lane.Name), name, false)
	ln.Gap(1)
	left := false // something had no room
	num := func(tone themes.Style, label string, n int64, width int, always bool) {
		if n == 0 {
			if !always {
				return
			}
			tone = l.Theme.Muted
		}
		word := canvas.Thousands(n)
		pad := max(width-len(word), 0)
		if ln.Room() < 1+len(label)+1+len(word)+pad {
			left = true // a number that is cut would be another number
			return
		}
		ln.Gap(1)
		ln.Put(l.Theme.Muted, label+" ")
		ln.Put(tone, word)
		ln.Gap(pad)
	}
	tones := [3]themes.Style{l.Theme.Danger, l.Theme.Text, l.Theme.Muted}
	for i, n := range lane.Pending {
		num(tones[i], directive.Priority(i).String(), n, 2, true)
	}
	num(l.Theme.Accent, directive.StatusTaken, lane.Taken, 2, true)
	num(l.Theme.Warn, directive.StatusParked, lane.Parked, 1, false)
	num(l.Theme.Text, directive.StatusDeferred, lane.Deferred, 1, false)
	if left {
		ln.Right(l.Theme.Muted, l.Glyphs.Ellipsis)
	}
	return ln.End()
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

func directiveColumns() []canvas.Column {
	return []canvas.Column{
		directiveID:       {Least: 5, Most: 8},
		directivePriority: {Least: 2, Most: 2, Rank: 4},
		directiveStatus:   {Least: 8, Most: 8, Rank: 3},
		directiveBody:     {Least: 8},
		directiveWaits:    {Least: 12, Most: 24, Rank: 5},
		directiveAge:      {Least: 4, Most: 4, Rank: 2, Right: true},
	}
}

func directiveLine(l *canvas.Look, d *directive.Directive, at bool, c Cursor, focus bool, w int, widths []int) string {
	ln := l.Begin(w, at, len(c.Marks) > 0 && c.Marks[DirectiveID(d.ID)], focus)
	ln.Gap(2)
	waits := clean.Line(waits(l, d))
	for i, cw := range widths {
		if cw == 0 {
			continue
		}
		switch i {
		case directiveID:
			ln.Cell(l.Theme.Text, "#"+strconv.FormatInt(d.ID, 10), cw, false)
		case directivePriority:
			ln.Cell(l.PriorityTone(d.Priority), d.Priority.String(), cw, false)
		case directiveStatus:
			ln.Cell(l.Theme.StateStyle(d.Status), clean.Line(d.Status), cw, false)
		case directiveBody:
			if waits == "" && widths[directiveWaits] > 0 {
				cw += 1 + widths[directiveWaits] // nothing else stands there
			}
			ln.Cell(l.Theme.Text, clean.Line(text.FirstLine(d.Body)), cw, false)
		case directiveWaits:
			if waits == "" {
				continue
			}
			ln.Cell(l.Theme.Muted, waits, cw, false)
		case directiveAge:
			ln.Cell(l.Theme.Muted, l.When(d.Since), cw, true)
		}
		ln.Gap(1)
	}
	return ln.End()
}

// waits says what the directive waits for, or who has it.
func waits(l *canvas.Look, d *directive.Directive) string {
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
			parts = append(parts, l.Until(d.NotBefore))
		}
		return strings.Join(parts, ", ")
	case directive.StatusTaken:
		return d.TakenBy + " " + l.Left(d.Term())
	case directive.StatusParked:
		return d.Reason
	}
	if d.Deadline != 0 {
		if d.Deadline <= l.Now {
			return "due " + model.Ago(l.Now.Sub(d.Deadline))
		}
		return "due " + l.Until(d.Deadline)
	}
	if d.RequeueCount > 0 {
		return "requeued " + l.Glyphs.Times + strconv.FormatInt(d.RequeueCount, 10)
	}
	return ""
}
