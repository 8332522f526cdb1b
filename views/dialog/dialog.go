// Package dialog draws the boxes over the panes in which something is typed,
// chosen or pressed: dialogs, forms, the palette, the filter's line, the keys.
package dialog

import (
	"strconv"
	"strings"
	"time"

	"binnacle/model/clean"
	"binnacle/views/canvas"
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
	Input canvas.Input
}

// Met says whether the number was typed.
func (c *Count) Met() bool {
	return c == nil || strings.TrimSpace(c.Input.Text) == strconv.FormatInt(c.Want, 10)
}

// dialogWidth is how wide dialogs are where there is room.
const dialogWidth = 64

// Size is how large the dialog is within a screen.
func (d Dialog) Size(screen canvas.Size) canvas.Size {
	w := min(dialogWidth, max(screen.W-4, min(screen.W, 1)))
	look := canvas.Look{}
	return canvas.Size{W: w, H: min(len(d.lines(&look, max(w-4, 1), dialogRows))+2, screen.H)}
}

// Rows is how many of the targets are in sight in a dialog of this size.
func (d Dialog) Rows(s canvas.Size, look canvas.Look) int {
	in := canvas.Inner(s)
	most := min(dialogRows, len(d.List))
	over := len(d.lines(&look, max(in.W-2, 0), most)) - in.H
	return max(most-max(over, 0), min(most, 1))
}

// Draw draws the dialog. The buttons and what must be typed stay in sight when
// the text does not fit.
func (d Dialog) Draw(s canvas.Size, look canvas.Look) string {
	l := &look
	in := canvas.Inner(s)
	w := max(in.W-2, 0)
	lines := d.lines(l, w, d.Rows(s, look))
	if tail := d.tail(l, w); len(lines) > in.H && in.H > 0 {
		lines = append(lines[:max(in.H-len(tail), 0):max(in.H-len(tail), 0)], tail[max(len(tail)-in.H, 0):]...)
	}
	status := ""
	if d.Blocked > 0 {
		status = "wait " + strconv.FormatFloat(d.Blocked.Seconds(), 'f', 1, 64) + " s"
	}
	return l.Box(canvas.Frame{Focus: true, Title: clean.Line(d.Title), Status: status, Tone: l.Theme.Warn}, l.Inset(lines, in.W), s)
}

// lines are the dialog's, with so many rows of the list.
func (d Dialog) lines(l *canvas.Look, w, rows int) []string {
	var out []string
	if d.Target != "" {
		out = l.Paragraph(out, l.Theme.Strong, d.Target, w)
	}
	if rows = min(rows, len(d.List)); rows > 0 {
		top := max(min(d.Top, len(d.List)-rows), 0)
		for _, t := range d.List[top : top+rows] {
			ln := canvas.NewLine(w, l)
			state := clean.Line(t.State)
			ln.Cell(l.Theme.Text, clean.Line(t.Label), max(w-text.Width(state)-1, 0), false)
			ln.Gap(1)
			ln.Put(l.Theme.Muted, state)
			out = append(out, ln.End())
		}
		if rows < len(d.List) {
			out = l.Paragraph(out, l.Theme.Muted, strconv.Itoa(top+1)+" to "+strconv.Itoa(top+rows)+" of "+
				strconv.Itoa(len(d.List))+"; up and down show the others", w)
		}
	}
	if len(out) > 0 {
		out = append(out, text.Spaces(w))
	}
	for _, s := range d.Says {
		out = l.Paragraph(out, l.Theme.Text, s, w)
	}
	return append(out, d.tail(l, w)...)
}

// tail is what must stay in sight: fault, count, buttons.
func (d Dialog) tail(l *canvas.Look, w int) []string {
	var out []string
	if d.Fault != "" {
		out = append(out, text.Spaces(w))
		out = l.Paragraph(out, l.Theme.Danger, l.Glyphs.Bad+" "+d.Fault, w)
	}
	if d.Count != nil {
		out = append(out, text.Spaces(w))
		ln := canvas.NewLine(w, l)
		ask := "Type " + strconv.FormatInt(d.Count.Want, 10) + " to go on: "
		ln.Put(l.Theme.Text, ask)
		tone := l.Theme.Strong
		if d.Count.Met() {
			tone = l.Theme.OK
		}
		ln.Input(d.Count.Input, tone, l.Theme.Cursor, ln.Room())
		out = append(out, ln.End())
	}
	if len(d.Buttons) > 0 {
		out = append(out, text.Spaces(w), d.buttons(l, w))
	}
	return out
}

// buttons draws the buttons in a row; the focused one is in angle brackets, so
// that it is seen without colour.
func (d Dialog) buttons(l *canvas.Look, w int) string {
	ln := canvas.NewLine(w, l)
	total := 0
	for _, b := range d.Buttons {
		total += text.Width(clean.Line(b)) + 6
	}
	ln.Gap(max(w-total, 0) / 2)
	for i, b := range d.Buttons {
		b = clean.Line(b)
		st, open, shut := l.Theme.Button, "  ", "  "
		if i == d.At {
			st, open, shut = l.Theme.Pressed, l.Glyphs.Cursor+" ", " "+mirror(l)
		}
		if i == len(d.Buttons)-1 && i > 0 && !d.Count.Met() || d.Blocked > 0 {
			st = l.Theme.Muted
		}
		ln.Gap(1)
		ln.Put(st, open+b+shut)
		ln.Gap(1)
	}
	return ln.End()
}

func mirror(l *canvas.Look) string {
	if l.Glyphs.ASCII {
		return "<"
	}
	return "◂"
}
