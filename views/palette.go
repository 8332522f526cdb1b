package views

import (
	"binnacle/model/clean"
	"binnacle/themes"
	"binnacle/views/text"
)

// Palette finds any action or command by its name.
type Palette struct {
	Input Input
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
func (p Palette) Size(screen Size) Size {
	return Size{min(84, screen.W), min(min(max(len(p.Items), 6), 16)+4, screen.H)}
}

// Draw draws the palette.
func (p Palette) Draw(s Size, look Look) string {
	l := &look
	in := inner(s)
	p.Input.Focus = true
	ln := newLine(in.W, l)
	ln.put(l.Theme.Key, ":")
	ln.input(p.Input, l.Theme.Text, l.Theme.Cursor, ln.room())
	rule := newLine(in.W, l)
	for range in.W {
		rule.put(l.Theme.Border, l.Glyphs.Border.H)
	}
	lines := []string{ln.end(), rule.end()}
	h := in.H - len(lines)
	if len(p.Items) == 0 {
		lines = append(lines, l.empty(Size{in.W, h}, "Nothing is called that.")...)
		return l.box(frame{focus: true, title: "Do", tone: l.Theme.Muted}, lines, s)
	}
	top := Window(len(p.Items), p.At, p.Top, h)
	name := 0
	for i := range p.Items {
		name = max(name, len(p.Items[i].Name))
	}
	for i := top; i < min(top+h, len(p.Items)); i++ {
		lines = append(lines, l.paletteLine(p.Items[i], i == p.At, in.W, min(name, 28)))
	}
	from, to := thumb(int64(len(p.Items)), int64(top), h)
	if to > 0 {
		from, to = from+2, to+2
	}
	status := ""
	if p.Total > len(p.Items) {
		status = thousands(int64(len(p.Items))) + " of " + thousands(int64(p.Total))
	}
	return l.box(frame{focus: true, title: "Do", status: status, tone: l.Theme.Muted, from: from, to: to}, lines, s)
}

func (l *Look) paletteLine(it PaletteItem, at bool, w, name int) string {
	ln := l.begin(w, at, false, true)
	key := clean.Line(it.Key)
	keep := text.Width(key)
	if keep > 0 {
		keep += 2
	}
	st, help := l.Theme.Text, it.Help
	if it.Refused != "" {
		st, help = l.Theme.Muted, l.Glyphs.Dash+" "+it.Refused
	}
	cw := min(name, max(ln.room()-keep, 0))
	ln.lit(st, l.Theme.Match, it.Name, it.Matches, cw)
	if room := ln.room() - keep - 2; room > 0 {
		ln.gap(2)
		ln.cell(l.Theme.Muted, clean.Line(help), room, false)
	}
	if key != "" {
		ln.right(l.Theme.Key, key+" ")
	}
	return ln.end()
}

// lit writes s in exactly w cells, with the graphemes lit up that begin at the
// given bytes.
func (l *line) lit(st, hit themes.Style, s string, at []int, w int) {
	end := l.used + min(w, l.room())
	clean := clean.Line(s)
	if clean != s || len(at) == 0 || text.Width(s) > end-l.used {
		l.cell(st, clean, end-l.used, false)
		return
	}
	for i, k := 0, 0; i < len(s); {
		n, _, _ := text.Next(s[i:])
		use := st
		for k < len(at) && at[k] < i {
			k++
		}
		if k < len(at) && at[k] < i+n {
			use = hit
		}
		l.put(use, s[i:i+n])
		i += n
	}
	l.gap(end - l.used)
}
