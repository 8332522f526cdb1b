package screen

// span is a piece of one line that has to be written, all of it in one style:
// text, or cells to be erased.
type span struct {
	y, x0, x1 int
	style     Style // of its text; for an erasure the style of the blanks
	text      bool  // there is more to it than blanks
	erase     bool
	eol       bool // an erasure that goes on to the end of the line
	kind      int  // spans of the same style have the same kind
}

// mark sets dirty for the cells of a line that differ, and returns the first of
// them and the one after the last.
//
// Terminals blank the other half of a wide grapheme when one half is
// overwritten. Both halves of an old one always differ from what is to be
// there, unless the new one is the same at the same place: the second half has
// width 0, which nothing else has, and the style of the first. So nothing clean
// is ever hurt. Of a new wide one the second half may equal the old cell; it is
// written with the first, and counts as dirty.
func mark(dirty []bool, from, to []Cell) (first, end int) {
	first = len(to)
	for x := range to {
		dirty[x] = from[x] != to[x] || x > 0 && to[x].Width == 0 && dirty[x-1]
		if dirty[x] {
			first, end = min(first, x), x+1
		}
	}
	if end == 0 {
		return 0, 0
	}
	return first, end
}

// The lengths from which blanks are worth a sequence of their own: between
// texts an erasure needs a cursor move as well.
const (
	minErase       = 6
	minEraseWithin = 10
	maxBridge      = 3
)

// split appends the spans that cover the dirty cells of a line. Short clean
// gaps are covered as well, where writing them is no dearer than jumping.
func (d *differ) split(y int, to []Cell, first, end int) {
	x := first
	for x < end {
		if !d.dirty[x] {
			x++
			continue
		}
		x1 := x
		for x1 < end && d.dirty[x1] {
			x1++
			if x1 < end && !d.dirty[x1] {
				x1 = d.bridge(to, x1, end)
			}
		}
		d.divide(y, to, x, x1)
		if d.spans[len(d.spans)-1].eol {
			return
		}
		x = x1
	}
}

// bridge returns the end of the clean gap that starts at x, when it is short,
// plain and in the style around it; otherwise x.
func (d *differ) bridge(to []Cell, x, end int) int {
	style := to[x-1].Style
	bytes := 0
	for i := x; i < end; i++ {
		if d.dirty[i] {
			if to[i].Style != style && !to[i].isSpace() && !to[x-1].isSpace() {
				return x
			}
			return i
		}
		c := &to[i]
		bytes += len(c.Content)
		if bytes > maxBridge || !plain(c.Content) || !(c.Style == style || c.isSpace() && style.blanks(c.Style)) {
			return x
		}
	}
	return x
}

// divide cuts a run of cells into spans of one style. Blanks go with the text
// beside them as long as they look the same in its style; long ones are erased.
func (d *differ) divide(y int, to []Cell, x0, x1 int) {
	start := x0
	var style Style
	open := true // nothing but blanks so far: style is what they look like
	add := func(end int) {
		if end > start {
			d.add(span{y: y, x0: start, x1: end, style: style, text: !open})
		}
		start, open = end, true
	}
	for x := x0; x < x1; {
		c := &to[x]
		if !c.isSpace() {
			if c.Width == 0 {
				x++
				continue
			}
			switch {
			case x == start:
				style = c.Style
			case open && c.Style.blanks(style):
				style = c.Style
			case c.Style != style:
				add(x)
				style = c.Style
			}
			open = false
			x++
			continue
		}
		n := 1
		for x+n < x1 && to[x+n].isSpace() && to[x+n].Style == c.Style {
			n++
		}
		if c.Style.Attrs == 0 && x+n == x1 && d.blankTail(to, x, x1) {
			// Nothing but blanks from here to the edge, clean ones included.
			add(x)
			d.add(span{y: y, x0: x, x1: len(to), style: c.Style, erase: true, eol: true})
			return
		}
		if c.Style.Attrs == 0 && (n >= minEraseWithin || n >= minErase && x+n == x1) {
			add(x)
			d.add(span{y: y, x0: x, x1: x + n, style: c.Style, erase: true})
			start = x + n
		} else if x == start {
			style = c.Style
		} else if !style.blanks(c.Style) {
			add(x)
			style = c.Style
		}
		x += n
	}
	add(x1)
}

// blankTail reports that all cells from x on look like the blank at x, and that
// erasing them is no dearer than writing the dirty ones.
func (d *differ) blankTail(to []Cell, x, x1 int) bool {
	if x1-x <= 3 {
		return false
	}
	for i := x1; i < len(to); i++ {
		if !to[i].isSpace() || to[i].Style != to[x].Style {
			return false
		}
	}
	return true
}

// add appends a span and finds its kind.
func (d *differ) add(s span) {
	for i := len(d.kinds) - 1; i >= 0; i-- {
		if d.kinds[i] == s.style {
			s.kind = i
			d.spans = append(d.spans, s)
			return
		}
	}
	s.kind = len(d.kinds)
	d.kinds = append(d.kinds, s.style)
	d.spans = append(d.spans, s)
}
