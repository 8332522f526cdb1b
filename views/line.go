package views

import (
	"unicode/utf8"

	"binnacle/themes"
	"binnacle/views/text"
)

// line builds one line of exactly width cells out of styled pieces. Pieces that
// no longer fit are cut; a style goes on over neighbours that share it, so the
// line holds no more sequences than it must.
type line struct {
	b       []byte
	width   int
	used    int
	base    themes.Style // under every piece, and of the gaps
	cur     themes.Style
	rest    string // the ellipsis
	foreign bool   // it holds text from outside that is not ASCII
}

func newLine(width int, look *Look) line {
	l := line{width: max(width, 0), rest: look.Glyphs.Ellipsis}
	l.b = make([]byte, 0, 3*l.width+64)
	return l
}

// room is how many cells are left.
func (l *line) room() int { return l.width - l.used }

// style makes st the style of what is written next.
func (l *line) style(st themes.Style) {
	st = st.On(l.base)
	if st == l.cur {
		return
	}
	l.b = append(l.b, l.cur.Close()...)
	l.b = append(l.b, st.Open()...)
	l.cur = st
}

// raw writes s, which is w cells wide, when there is room for all of it.
func (l *line) raw(st themes.Style, s string, w int) {
	if w > l.room() {
		l.put(st, s)
		return
	}
	l.style(st)
	l.b = append(l.b, s...)
	l.used += w
}

// put writes s, or as much of it as there is room for, ended by an ellipsis.
func (l *line) put(st themes.Style, s string) {
	if s == "" || l.room() <= 0 {
		return
	}
	w := len(s)
	if !ascii(s) {
		l.foreign = true
		w = text.Width(s)
	}
	if w > l.room() {
		s = text.FitTail(s, l.room(), l.rest)
		w = l.room()
	}
	l.style(st)
	l.b = append(l.b, s...)
	l.used += w
}

// gap writes n spaces, or as many as there is room for.
func (l *line) gap(n int) {
	n = min(n, l.room())
	if n <= 0 {
		return
	}
	l.style(themes.Style{})
	l.b = append(l.b, text.Spaces(n)...)
	l.used += n
}

// cell writes s in exactly w cells (fewer when there is no more room), to the
// left or to the right.
func (l *line) cell(st themes.Style, s string, w int, right bool) {
	w = min(w, l.room())
	if w <= 0 {
		return
	}
	n := len(s)
	if !ascii(s) {
		l.foreign = true
		n = text.Width(s)
	}
	if n > w {
		s, n = text.FitTail(s, w, l.rest), w
	}
	if right {
		l.gap(w - n)
		l.raw(st, s, n)
		return
	}
	l.raw(st, s, n)
	l.gap(w - n)
}

// right pads so that s ends at the line's end, leaving at least one space
// before it; it writes nothing when there is no room for that.
func (l *line) right(st themes.Style, s string) {
	n := text.Width(s)
	if n == 0 || n+1 > l.room() {
		return
	}
	l.gap(l.room() - n)
	l.put(st, s)
}

// end pads the line to its width and returns it.
func (l *line) end() string {
	l.gap(l.room())
	l.b = append(l.b, l.cur.Close()...)
	l.cur = themes.Style{}
	if !l.foreign {
		return string(l.b)
	}
	// Clusters of two neighbours may have joined: the width is made sure of.
	return text.Pad(string(l.b), l.width)
}

// ascii says whether s has only ASCII in it. Its bytes are then its cells,
// for what comes here is clean.
func ascii(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
