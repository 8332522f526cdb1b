package screen

import (
	"fmt"
	"strings"
)

// edge marks the end of a text line in a golden file, so that trailing spaces
// can be seen.
const edge = "│"

// Golden writes a grid as text to compare and to read: a header with size and
// theme, the text lines, each ended with a mark, and then a style mask, one
// letter a cell ('.' is the default style), with a legend in the order in which
// the styles first appear.
func Golden(g *Grid, theme string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "size %dx%d theme %s\n", g.w, g.h, theme)
	for _, r := range g.rows {
		for x := range r.cells {
			b.WriteString(r.cells[x].Content)
		}
		b.WriteString(edge + "\n")
	}
	b.WriteString("style\n")
	l := legend{names: make(map[Style]string)}
	for _, r := range g.rows {
		for x := range r.cells {
			b.WriteString(l.name(r.cells[x].Style))
		}
		b.WriteString("\n")
	}
	b.WriteString("legend\n")
	for i, s := range l.styles {
		fmt.Fprintf(&b, "%s %s\n", letter(i), s)
	}
	return b.String()
}

// legend gives each style a letter, in order of appearance.
type legend struct {
	names  map[Style]string
	styles []Style
}

func (l *legend) name(s Style) string {
	if s == (Style{}) {
		return "."
	}
	if n, ok := l.names[s]; ok {
		return n
	}
	n := letter(len(l.styles))
	l.names[s] = n
	l.styles = append(l.styles, s)
	return n
}

// letter returns the mark of the i-th style: a-z, A-Z, 0-9, and then letters
// of other alphabets, which no frame has needed yet.
func letter(i int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	if i < len(letters) {
		return letters[i : i+1]
	}
	return string(rune(0x0100 + i - len(letters)))
}

// String names a style: its colours, then its attributes.
func (s Style) String() string {
	var parts []string
	if s.FG != 0 {
		parts = append(parts, "fg="+s.FG.String())
	}
	if s.BG != 0 {
		parts = append(parts, "bg="+s.BG.String())
	}
	for i, name := range []string{"bold", "faint", "italic", "underline", "reverse", "strike"} {
		if s.Attrs&(1<<i) != 0 {
			parts = append(parts, name)
		}
	}
	if len(parts) == 0 {
		return "default"
	}
	return strings.Join(parts, " ")
}

// String names a colour: "default", its number, or #rrggbb.
func (c Color) String() string {
	switch c & kindMask {
	case 0:
		return "default"
	case kindRGB:
		return fmt.Sprintf("#%06x", uint32(c&valueMask))
	default:
		return fmt.Sprint(uint32(c & valueMask))
	}
}
