package canvas

import (
	"binnacle/themes"
	"binnacle/views/text"
)

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

// Gutter is how many cells stand before a row's columns: the cursor's mark, the
// mark of marked rows.
const Gutter = 2

// Begin starts a row's line: its gutter and its base style.
func (l *Look) Begin(width int, at, marked, focus bool) Line {
	ln := NewLine(width, l)
	if at {
		ln.Base = l.Theme.Resting
		if focus {
			ln.Base = l.Theme.Selected
		}
	}
	if at {
		ln.Raw(l.Theme.FocusHead, l.Glyphs.Cursor, 1)
	} else {
		ln.Gap(1)
	}
	if marked {
		ln.Raw(l.Theme.Marked, l.Glyphs.Mark, 1)
	} else {
		ln.Gap(1)
	}
	return ln
}

// Thumb returns which lines of a scroll bar of h lines carry its thumb: those
// from the first to before the second. Both are 0 when everything is in sight.
func Thumb(total, first int64, h int) (int, int) {
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

// Empty fills a list that has no row: what will stand there, and the command
// that puts something in.
func (l *Look) Empty(s Size, say string, commands ...string) []string {
	var out []string
	add := func(st themes.Style, s2 string, indent int) {
		for _, part := range text.Wrap(s2, max(s.W-2-indent, 1)) {
			ln := NewLine(s.W, l)
			ln.Gap(min(1+indent, max(s.W-1, 0)))
			ln.Put(st, part)
			out = append(out, ln.End())
		}
	}
	add(l.Theme.Muted, say, 0)
	for _, c := range commands {
		add(l.Theme.Key, c, 2)
	}
	return out
}
