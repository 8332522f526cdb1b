package dialog

import (
	"binnacle/model/clean"
	"binnacle/themes"
	"binnacle/views/canvas"
	"binnacle/views/text"
)

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
	Input canvas.Input
	Hint  string // what may be typed, e.g. "2h, 1d"
	Fault string // what is wrong with what was typed
	Whole string // all of a text of which Input shows the first line; not cleaned
}

// Size is how large the form is within a screen.
func (f Form) Size(screen canvas.Size) canvas.Size {
	w := min(dialogWidth+8, max(screen.W-4, min(screen.W, 1)))
	look := canvas.Look{}
	lines, _ := f.lines(&look, max(w-4, 1))
	return canvas.Size{W: w, H: min(len(lines)+2, screen.H)}
}

// Draw draws the form. The field with the focus stays in sight.
func (f Form) Draw(s canvas.Size, look canvas.Look) string {
	l := &look
	in := canvas.Inner(s)
	lines, at := f.lines(l, max(in.W-2, 0))
	top := canvas.Window(len(lines), at, 0, in.H)
	if len(lines) > in.H {
		lines = lines[top:min(top+in.H, len(lines))]
	}
	return l.Box(canvas.Frame{Focus: true, Title: clean.Line(f.Title)}, l.Inset(lines, in.W), s)
}

// lines returns the form's lines, and which of them has the focus.
func (f Form) lines(l *canvas.Look, w int) (out []string, at int) {
	if f.Says != "" {
		out = l.Paragraph(out, l.Theme.Text, f.Says, w)
		out = append(out, text.Spaces(w))
	}
	label := 0
	for _, x := range f.Fields {
		label = max(label, text.Width(clean.Line(x.Label)))
	}
	label = min(label, w/3)
	for i, x := range f.Fields {
		ln := canvas.NewLine(w, l)
		st := l.Theme.Muted
		mark := " "
		if i == f.At {
			st, mark, at = l.Theme.FocusHead, l.Glyphs.Cursor, len(out)
		}
		ln.Put(st, mark)
		ln.Gap(1)
		ln.Cell(st, clean.Line(x.Label), label, false)
		ln.Gap(2)
		x.Input.Focus = i == f.At
		if x.Input.Text == "" && x.Hint != "" && i != f.At {
			ln.Put(l.Theme.Muted, clean.Line(x.Hint))
		} else {
			ln.Input(x.Input, l.Theme.Text, l.Theme.Cursor, ln.Room())
		}
		out = append(out, ln.End())
		out = wholeLines(l, out, x.Whole, label+4, w)
		note, tone := "", themes.Style{}
		switch {
		case x.Fault != "":
			note, tone = l.Glyphs.Bad+" "+x.Fault, l.Theme.Danger
		case i == f.At && x.Hint != "":
			note, tone = x.Hint, l.Theme.Muted
		}
		if note != "" {
			ln := canvas.NewLine(w, l)
			ln.Gap(label + 4)
			ln.Put(tone, clean.Line(note))
			out = append(out, ln.End())
		}
	}
	if f.Hint != "" {
		out = append(out, text.Spaces(w))
		out = l.Paragraph(out, l.Theme.Muted, f.Hint, w)
	}
	return out, at
}
