package canvas

import (
	"unicode/utf8"

	"binnacle/themes"
	"binnacle/views/text"
)

// Line builds one line of exactly width cells out of styled pieces. Pieces that
// no longer fit are cut; a style goes on over neighbours that share it, so the
// line holds no more sequences than it must.
type Line struct {
	b       []byte
	width   int
	Used    int          // cells that are written
	Base    themes.Style // under every piece, and of the gaps
	cur     themes.Style
	rest    string // the ellipsis
	foreign bool   // it holds text from outside that is not ASCII
}

// NewLine begins a line of width cells.
func NewLine(width int, look *Look) Line {
	l := Line{width: max(width, 0), rest: look.Glyphs.Ellipsis}
	l.b = make([]byte, 0, 3*l.width+64)
	return l
}

// Room is how many cells are left.
func (l *Line) Room() int { return l.width - l.Used }

// style makes st the style of what is written next.
func (l *Line) style(st themes.Style) {
	st = st.On(l.Base)
	if st == l.cur {
		return
	}
	l.b = append(l.b, l.cur.Close()...)
	l.b = append(l.b, st.Open()...)
	l.cur = st
}

// Raw writes s, which is w cells wide, when there is room for all of it.
func (l *Line) Raw(st themes.Style, s string, w int) {
	if w > l.Room() {
		l.Put(st, s)
		return
	}
	l.style(st)
	l.b = append(l.b, s...)
	l.Used += w
}

// Put writes s, or as much of it as there is room for, ended by an ellipsis.
func (l *Line) Put(st themes.Style, s string) {
	if s == "" || l.Room() <= 0 {
		return
	}
	w := len(s)
	if !ascii(s) {
		l.foreign = true
		w = text.Width(s)
	}
	if w > l.Room() {
		s = text.FitTail(s, l.Room(), l.rest)
		w = l.Room()
	}
	l.style(st)
	l.b = append(l.b, s...)
	l.Used += w
}

// Gap writes n spaces, or as many as there is room for.
func (l *Line) Gap(n int) {
	n = min(n, l.Room())
	if n <= 0 {
		return
	}
	l.style(themes.Style{})
	l.b = append(l.b, text.Spaces(n)...)
	l.Used += n
}

// Cell writes s in exactly w cells (fewer when there is no more room), to the
// left or to the right.
func (l *Line) Cell(st themes.Style, s string, w int, right bool) {
	w = min(w, l.Room())
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
		l.Gap(w - n)
		l.Raw(st, s, n)
		return
	}
	l.Raw(st, s, n)
	l.Gap(w - n)
}

// Right pads so that s ends at the line's end, leaving at least one space
// before it; it writes nothing when there is no room for that.
func (l *Line) Right(st themes.Style, s string) {
	n := text.Width(s)
	if n == 0 || n+1 > l.Room() {
		return
	}
	l.Gap(l.Room() - n)
	l.Put(st, s)
}

// End pads the line to its width and returns it.
func (l *Line) End() string {
	l.Gap(l.Room())
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
