package views

import (
	"binnacle/themes"
	"binnacle/views/text"
)

// Noun says what a row stands for.
type Noun string

// What rows stand for.
const (
	NounEvent     Noun = "event"
	NounSignal    Noun = "signal"
	NounDirective Noun = "directive"
	NounWork      Noun = "work"
	NounLane      Noun = "lane"
	NounSession   Noun = "session"
	NounMachine   Noun = "machine"
)

// ID is who a row is, whatever its place. The zero ID is nobody.
type ID struct {
	Noun Noun
	Key  string // an event's sequence number, a directive's id, a signal's key …
}

// Ref is a row's record as it was on screen.
type Ref struct {
	ID
	Rev   int64  // 0 where the record has none
	State string // "" where it has none
}

// Cursor is where a list is looked at.
type Cursor struct {
	At    ID          // the row under the cursor; the zero ID is none
	Top   int         // index of the row on the first line; corrected so that At is seen
	Marks map[ID]bool // rows that were marked
}

// Window returns the index of the row on the first line of a list of n rows
// with h lines, as near to top as it can be while the row at stays in sight
// (-1: no row must) and no line is left blank that could hold one.
func Window(n, at, top, h int) int {
	if h <= 0 {
		return max(min(at, n-1), 0)
	}
	if at >= n {
		at = n - 1
	}
	if at >= 0 {
		top = min(top, at)
		top = max(top, at-h+1)
	}
	return max(min(top, n-h), 0)
}

// find returns the index of the row that is id, -1 when there is none.
func find(id ID, n int, who func(int) ID) int {
	if id == (ID{}) {
		return -1
	}
	for i := range n {
		if who(i) == id {
			return i
		}
	}
	return -1
}

// gutter is how many cells stand before a row's columns: the cursor's mark, the
// mark of marked rows.
const gutter = 2

// begin starts a row's line: its gutter and its base style.
func (l *Look) begin(width int, at, marked, focus bool) line {
	ln := newLine(width, l)
	if at {
		ln.base = l.Theme.Resting
		if focus {
			ln.base = l.Theme.Selected
		}
	}
	if at {
		ln.raw(l.Theme.FocusHead, l.Glyphs.Cursor, 1)
	} else {
		ln.gap(1)
	}
	if marked {
		ln.raw(l.Theme.Marked, l.Glyphs.Mark, 1)
	} else {
		ln.gap(1)
	}
	return ln
}

// thumb returns which lines of a scroll bar of h lines carry its thumb: those
// from the first to before the second. Both are 0 when everything is in sight.
func thumb(total, first int64, h int) (int, int) {
	if h <= 0 || total <= int64(h) {
		return 0, 0
	}
	size := max(int(int64(h)*int64(h)/total), 1)
	most := int64(h - size)
	scroll := total - int64(h)
	from := int(min(max(first, 0), scroll) * most / scroll)
	if first > 0 && from == 0 && most > 0 {
		from = 1 // not at the beginning: that must show
	}
	return from, min(from+size, h)
}

// empty fills a list that has no row: what will stand there, and the command
// that puts something in.
func (l *Look) empty(s Size, say string, commands ...string) []string {
	var out []string
	add := func(st themes.Style, s2 string, indent int) {
		for _, part := range text.Wrap(s2, max(s.W-2-indent, 1)) {
			ln := newLine(s.W, l)
			ln.gap(min(1+indent, max(s.W-1, 0)))
			ln.put(st, part)
			out = append(out, ln.end())
		}
	}
	add(l.Theme.Muted, say, 0)
	for _, c := range commands {
		add(l.Theme.Key, c, 2)
	}
	return out
}
