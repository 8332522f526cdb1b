package dialog

import (
	"binnacle/model/clean"
	"binnacle/views/canvas"
	"binnacle/views/text"
)

// Palette finds any action or command by its name.
type Palette struct {
	Input canvas.Input
	Items []PaletteItem
	At    int // the item under the cursor
	Top   int
	Total int // items before the search
}

// PaletteItem is one line of the palette.
type PaletteItem struct {
	Name    string
	Help    string
	Key     string // "" for none
	Refused string // why it can't be done now; "" when it can
	Matches []int  // bytes of Name that the search matched, rising
}

// Size is how large the palette is within a screen.
func (p Palette) Size(screen canvas.Size) canvas.Size {
	return canvas.Size{W: min(84, screen.W), H: min(min(max(len(p.Items), 6), 16)+4, screen.H)}
}

// Draw draws the palette.
func (p Palette) Draw(s canvas.Size, look canvas.Look) string {
	l := &look
	in := canvas.Inner(s)
	p.Input.Focus = true
	ln := canvas.NewLine(in.W, l)
	ln.Put(l.Theme.Key, ":")
	ln.Input(p.Input, l.Theme.Text, l.Theme.Cursor, ln.Room())
	rule := canvas.NewLine(in.W, l)
	for range in.W {
		rule.Put(l.Theme.Border, l.Glyphs.Border.H)
	}
	lines := []string{ln.End(), rule.End()}
	h := in.H - len(lines)
	if len(p.Items) == 0 {
		lines = append(lines, l.Empty(canvas.Size{W: in.W, H: h}, "Nothing is called that.")...)
		return l.Box(canvas.Frame{Focus: true, Title: "Do", Tone: l.Theme.Muted}, lines, s)
	}
	top := canvas.Window(len(p.Items), p.At, p.Top, h)
	name := 0
	for i := range p.Items {
		name = max(name, len(p.Items[i].Name))
	}
	for i := top; i < min(top+h, len(p.Items)); i++ {
		lines = append(lines, paletteLine(l, p.Items[i], i == p.At, in.W, min(name, 28)))
	}
	from, to := canvas.Thumb(int64(len(p.Items)), int64(top), h)
	if to > 0 {
		from, to = from+2, to+2
	}
	status := ""
	if p.Total > len(p.Items) {
		status = canvas.Thousands(int64(len(p.Items))) + " of " + canvas.Thousands(int64(p.Total))
	}
	return l.Box(canvas.Frame{Focus: true, Title: "Do", Status: status, Tone: l.Theme.Muted, From: from, To: to}, lines, s)
}

func paletteLine(l *canvas.Look, it PaletteItem, at bool, w, name int) string {
	ln := l.Begin(w, at, false, true)
	key := clean.Line(it.Key)
	keep := text.Width(key)
	if keep > 0 {
		keep += 2
	}
	st, help := l.Theme.Text, it.Help
	if it.Refused != "" {
		st, help = l.Theme.Muted, l.Glyphs.Dash+" "+it.Refused
	}
	cw := min(name, max(ln.Room()-keep, 0))
	ln.Lit(st, l.Theme.Match, it.Name, it.Matches, cw)
	if room := ln.Room() - keep - 2; room > 0 {
		ln.Gap(2)
		ln.Cell(l.Theme.Muted, clean.Line(help), room, false)
	}
	if key != "" {
		ln.Right(l.Theme.Key, key+" ")
	}
	return ln.End()
}
