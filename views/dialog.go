package views

import (
	"strconv"
	"strings"
	"time"

	"binnacle/model/clean"
	"binnacle/themes"
	"binnacle/views/text"
)

// Dialog asks before something is done.
type Dialog struct {
	Title   string
	Target  string        // what it would be done to; not cleaned
	List    []Named       // every one of several targets
	Top     int           // the first of them in sight
	Says    []string      // the consequence, in sentences; not cleaned
	Buttons []string      // the safe one first
	At      int           // the button with the focus
	Count   *Count        // what must be typed before the last button can be pressed
	Blocked time.Duration // for how long it takes no key yet
	Fault   string        // what went wrong the last time
}

// Named is one of several targets.
type Named struct {
	Label, State string // not cleaned
}

// dialogRows is how many targets are in sight at most.
const dialogRows = 10

// Count is a number that must be typed for something that touches many.
type Count struct {
	Want  int64
	Input Input
}

// Met says whether the number was typed.
func (c *Count) Met() bool {
	return c == nil || strings.TrimSpace(c.Input.Text) == strconv.FormatInt(c.Want, 10)
}

// dialogWidth is how wide dialogs are where there is room.
const dialogWidth = 64

// Size is how large the dialog is within a screen.
func (d Dialog) Size(screen Size) Size {
	w := min(dialogWidth, max(screen.W-4, min(screen.W, 1)))
	look := Look{}
	return Size{w, min(len(d.lines(&look, max(w-4, 1), dialogRows))+2, screen.H)}
}

// Rows is how many of the targets are in sight in a dialog of this size.
func (d Dialog) Rows(s Size, look Look) int {
	in := inner(s)
	most := min(dialogRows, len(d.List))
	over := len(d.lines(&look, max(in.W-2, 0), most)) - in.H
	return max(most-max(over, 0), min(most, 1))
}

// Draw draws the dialog. The buttons and what must be typed stay in sight when
// the text does not fit.
func (d Dialog) Draw(s Size, look Look) string {
	l := &look
	in := inner(s)
	w := max(in.W-2, 0)
	lines := d.lines(l, w, d.Rows(s, look))
	if tail := d.tail(l, w); len(lines) > in.H && in.H > 0 {
		lines = append(lines[:max(in.H-len(tail), 0):max(in.H-len(tail), 0)], tail[max(len(tail)-in.H, 0):]...)
	}
	status := ""
	if d.Blocked > 0 {
		status = "wait " + strconv.FormatFloat(d.Blocked.Seconds(), 'f', 1, 64) + " s"
	}
	return l.box(frame{focus: true, title: clean.Line(d.Title), status: status, tone: l.Theme.Warn}, l.inset(lines, in.W), s)
}

// inset puts one blank cell on both sides of lines that are two narrower.
func (l *Look) inset(lines []string, w int) []string {
	if w < 2 {
		return text.Block(nil, w, len(lines))
	}
	out := make([]string, len(lines))
	for i, ln := range lines {
		out[i] = " " + ln + " "
	}
	return out
}

// lines are the dialog's, with so many rows of the list.
func (d Dialog) lines(l *Look, w, rows int) []string {
	var out []string
	if d.Target != "" {
		out = l.paragraph(out, l.Theme.Strong, d.Target, w)
	}
	if rows = min(rows, len(d.List)); rows > 0 {
		top := max(min(d.Top, len(d.List)-rows), 0)
		for _, t := range d.List[top : top+rows] {
			ln := newLine(w, l)
			state := clean.Line(t.State)
			ln.cell(l.Theme.Text, clean.Line(t.Label), max(w-text.Width(state)-1, 0), false)
			ln.gap(1)
			ln.put(l.Theme.Muted, state)
			out = append(out, ln.end())
		}
		if rows < len(d.List) {
			out = l.paragraph(out, l.Theme.Muted, strconv.Itoa(top+1)+" to "+strconv.Itoa(top+rows)+" of "+
				strconv.Itoa(len(d.List))+"; up and down show the others", w)
		}
	}
	if len(out) > 0 {
		out = append(out, text.Spaces(w))
	}
	for _, s := range d.Says {
		out = l.paragraph(out, l.Theme.Text, s, w)
	}
	return append(out, d.tail(l, w)...)
}

// tail is what must stay in sight: fault, count, buttons.
func (d Dialog) tail(l *Look, w int) []string {
	var out []string
	if d.Fault != "" {
		out = append(out, text.Spaces(w))
		out = l.paragraph(out, l.Theme.Danger, l.Glyphs.Bad+" "+d.Fault, w)
	}
	if d.Count != nil {
		out = append(out, text.Spaces(w))
		ln := newLine(w, l)
		ask := "Type " + strconv.FormatInt(d.Count.Want, 10) + " to go on: "
		ln.put(l.Theme.Text, ask)
		tone := l.Theme.Strong
		if d.Count.Met() {
			tone = l.Theme.OK
		}
		ln.input(d.Count.Input, tone, l.Theme.Cursor, ln.room())
		out = append(out, ln.end())
	}
	if len(d.Buttons) > 0 {
		out = append(out, text.Spaces(w), d.buttons(l, w))
	}
	return out
}

// buttons draws the buttons in a row; the focused one is in angle brackets, so
// that it is seen without colour.
func (d Dialog) buttons(l *Look, w int) string {
	ln := newLine(w, l)
	total := 0
	for _, b := range d.Buttons {
		total += text.Width(clean.Line(b)) + 6
	}
	ln.gap(max(w-total, 0) / 2)
	for i, b := range d.Buttons {
		b = clean.Line(b)
		st, open, shut := l.Theme.Button, "  ", "  "
		if i == d.At {
			st, open, shut = l.Theme.Pressed, l.Glyphs.Cursor+" ", " "+mirror(l)
		}
		if i == len(d.Buttons)-1 && i > 0 && !d.Count.Met() || d.Blocked > 0 {
			st = l.Theme.Muted
		}
		ln.gap(1)
		ln.put(st, open+b+shut)
		ln.gap(1)
	}
	return ln.end()
}

func mirror(l *Look) string {
	if l.Glyphs.ASCII {
		return "<"
	}
	return "◂"
}

// Form asks for several values.
type Form struct {
	Title  string
	Says   string
	Fields []Field
	At     int    // the field with the focus
	Hint   string // what the keys do
}

// Field is one value of a form.
type Field struct {
	Label string
	Input Input
	Hint  string // what may be typed, e.g. "2h, 1d"
	Fault string // what is wrong with what was typed
	Whole string // all of a text of which Input shows the first line; not cleaned
}

// Size is how large the form is within a screen.
func (f Form) Size(screen Size) Size {
	w := min(dialogWidth+8, max(screen.W-4, min(screen.W, 1)))
	look := Look{}
	lines, _ := f.lines(&look, max(w-4, 1))
	return Size{w, min(len(lines)+2, screen.H)}
}

// Draw draws the form. The field with the focus stays in sight.
func (f Form) Draw(s Size, look Look) string {
	l := &look
	in := inner(s)
	lines, at := f.lines(l, max(in.W-2, 0))
	top := Window(len(lines), at, 0, in.H)
	if len(lines) > in.H {
		lines = lines[top:min(top+in.H, len(lines))]
	}
	return l.box(frame{focus: true, title: clean.Line(f.Title)}, l.inset(lines, in.W), s)
}

// lines returns the form's lines, and which of them has the focus.
func (f Form) lines(l *Look, w int) (out []string, at int) {
	if f.Says != "" {
		out = l.paragraph(out, l.Theme.Text, f.Says, w)
		out = append(out, text.Spaces(w))
	}
	label := 0
	for _, x := range f.Fields {
		label = max(label, text.Width(clean.Line(x.Label)))
	}
	label = min(label, w/3)
	for i, x := range f.Fields {
		ln := newLine(w, l)
		st := l.Theme.Muted
		mark := " "
		if i == f.At {
			st, mark, at = l.Theme.FocusHead, l.Glyphs.Cursor, len(out)
		}
		ln.put(st, mark)
		ln.gap(1)
		ln.cell(st, clean.Line(x.Label), label, false)
		ln.gap(2)
		x.Input.Focus = i == f.At
		if x.Input.Text == "" && x.Hint != "" && i != f.At {
			ln.put(l.Theme.Muted, clean.Line(x.Hint))
		} else {
			ln.input(x.Input, l.Theme.Text, l.Theme.Cursor, ln.room())
		}
		out = append(out, ln.end())
		out = l.wholeLines(out, x.Whole, label+4, w)
		note, tone := "", themes.Style{}
		switch {
		case x.Fault != "":
			note, tone = l.Glyphs.Bad+" "+x.Fault, l.Theme.Danger
		case i == f.At && x.Hint != "":
			note, tone = x.Hint, l.Theme.Muted
		}
		if note != "" {
			ln := newLine(w, l)
			ln.gap(label + 4)
			ln.put(tone, clean.Line(note))
			out = append(out, ln.end())
		}
	}
	if f.Hint != "" {
		out = append(out, text.Spaces(w))
		out = l.paragraph(out, l.Theme.Muted, f.Hint, w)
	}
	return out, at
}
