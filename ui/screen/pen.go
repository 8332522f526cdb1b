package screen

import "unicode/utf8"

// pen writes to a terminal whose cursor and style it keeps track of.
//
// Invariant: x and y are where the cursor certainly is, or -1. It is not known
// at the start of a frame; x is not known after a write to the last column
// (whether the cursor waits there, wrapped or stuck depends on the terminal)
// and after a grapheme on whose width terminals disagree.
type pen struct {
	dst   []byte
	x, y  int
	style Style
	w, h  int
	// joins: the last thing written was a printed character, with which one
	// that is not plain might join.
	joins bool
	fit   *fitter
	caps  *Caps
}

// to puts the cursor at column x of line y by the cheapest way.
func (p *pen) to(x, y int) {
	if p.x == x && p.y == y {
		return
	}
	p.dst = appendMove(p.dst, p.x, p.y, x, y)
	p.x, p.y, p.joins = x, y, false
}

// use makes s the style of what is written next.
func (p *pen) use(s Style) {
	if p.style == s {
		return
	}
	s = p.fit.style(s)
	if p.style == s {
		return
	}
	p.dst = appendSGR(p.dst, p.style, s)
	p.style = s
	p.joins = false
}

// draw writes a cell where the cursor is. The second cell of a wide grapheme
// is written with the first.
func (p *pen) draw(c *Cell) {
	if c.Width == 0 {
		return
	}
	if c.isSpace() {
		if want := p.fit.style(c.Style); !p.style.blanks(want) {
			p.use(c.Style)
		}
	} else {
		p.use(c.Style)
	}
	x, y := p.x, p.y
	if plain(c.Content) {
		p.put(c.Content, int(c.Width))
		return
	}
	if c.Width == 2 {
		// A terminal that takes this for narrow would leave whatever stood in
		// the second cell; let that be a space.
		p.put("  ", 2)
		p.x = -1
		p.to(x, y)
	}
	if p.joins {
		p.dst = appendColumn(p.dst, x)
	}
	p.put(c.Content, int(c.Width))
	p.x = -1
}

// put appends printable text of known width.
func (p *pen) put(s string, w int) {
	p.dst = append(p.dst, s...)
	p.joins = true
	if p.x += w; p.x >= p.w {
		p.x = -1
	}
}

// erase blanks n cells from the cursor on, where the style in use has the
// wanted background; the cursor stays or, where writing spaces is cheaper,
// moves. eol says that everything up to the end of the line is to be blank.
func (p *pen) erase(n int, want Style, eol bool) {
	if !p.style.blanks(p.fit.style(want)) {
		p.use(want)
	}
	able := p.style.BG == 0 || p.caps.BCE
	switch {
	case able && eol && n > 3:
		p.dst = append(p.dst, "\x1b[K"...)
		p.joins = false
	case able && p.caps.ECH && n > 4:
		p.dst = appendCSI(p.dst, n, 'X')
		p.joins = false
	default:
		for range n {
			p.dst = append(p.dst, ' ')
		}
		p.joins = true
		if p.x += n; p.x >= p.w {
			p.x = -1
		}
	}
}

// scroll moves the lines from top to bottom (not included) up by n, or down
// when n is negative. The lines below stay where they are, with no margins set
// that a crash could leave behind. The style must be the default one, for the
// lines that come in take its background.
func (p *pen) scroll(top, bottom, n int) {
	if n > 0 {
		p.lines(top, n, 'M')
		if bottom < p.h {
			p.lines(bottom-n, n, 'L')
		}
		return
	}
	if bottom < p.h {
		p.lines(bottom+n, -n, 'M')
	}
	p.lines(top, -n, 'L')
}

// lines deletes (M) or inserts (L) n lines at line y.
func (p *pen) lines(y, n int, op byte) {
	p.to(0, y)
	p.dst = appendCSI(p.dst, n, op)
	// VT102 leaves the column alone, later ones go to the margin.
	p.x = -1
}

// appendCSI appends ESC [ n op, without the n when it is 1.
func appendCSI(dst []byte, n int, op byte) []byte {
	dst = append(dst, "\x1b["...)
	if n != 1 {
		dst = appendInt(dst, n)
	}
	return append(dst, op)
}

// appendInt appends a number that is not negative; parameters are mostly small,
// and a frame has thousands.
func appendInt(dst []byte, n int) []byte {
	switch {
	case n < 10:
		return append(dst, byte('0'+n))
	case n < 100:
		return append(dst, byte('0'+n/10), byte('0'+n%10))
	case n < 1000:
		return append(dst, byte('0'+n/100), byte('0'+n/10%10), byte('0'+n%10))
	default:
		return append(appendInt(dst, n/10), byte('0'+n%10))
	}
}

// appendColumn appends a move to column x of the line that the cursor is on.
func appendColumn(dst []byte, x int) []byte {
	if x == 0 {
		return append(dst, '\r')
	}
	return appendCSI(dst, x+1, 'G')
}

// appendMove appends the shortest way from one place to another; -1 is a place
// not known. Line feeds are only used downwards, so nothing scrolls; they
// rely on raw mode, where they leave the column alone.
func appendMove(dst []byte, fromX, fromY, x, y int) []byte {
	var buf [2][24]byte
	best := appendCUP(buf[0][:0], x, y)
	try := func(way []byte) {
		if len(way) < len(best) {
			best = append(best[:0], way...)
		}
	}
	if fromY >= 0 {
		alt := buf[1][:0]
		if fromX >= 0 {
			try(appendAcross(appendDown(alt, fromY, y), fromX, x))
		}
		// By way of the left edge, or to the column as such.
		try(appendAcross(appendDown(append(alt, '\r'), fromY, y), 0, x))
		try(appendColumn(appendDown(alt, fromY, y), x))
	}
	return append(dst, best...)
}

// appendCUP appends a move to a place on the screen.
func appendCUP(dst []byte, x, y int) []byte {
	dst = append(dst, "\x1b["...)
	if y > 0 {
		dst = appendInt(dst, y+1)
	}
	if x > 0 {
		dst = append(dst, ';')
		dst = appendInt(dst, x+1)
	}
	return append(dst, 'H')
}

// appendDown appends a vertical move that keeps the column.
func appendDown(dst []byte, from, to int) []byte {
	switch n := to - from; {
	case n == 0:
		return dst
	case n > 0 && n <= 4:
		return append(dst, "\n\n\n\n"[:n]...)
	case n > 0:
		return appendCSI(dst, n, 'B')
	case n == -1:
		return append(dst, "\x1bM"...)
	default:
		return appendCSI(dst, -n, 'A')
	}
}

// appendAcross appends a horizontal move.
func appendAcross(dst []byte, from, to int) []byte {
	switch n := to - from; {
	case n == 0:
		return dst
	case n > 0:
		return appendCSI(dst, n, 'C')
	case n >= -4:
		return append(dst, "\b\b\b\b"[:-n]...)
	default:
		return appendCSI(dst, -n, 'D')
	}
}

// plain reports that every terminal gives a grapheme the width that we do, and
// that it joins nothing beside it: ASCII and the alphabets, lines and blocks,
// syllables and ideographs. What is left are emoji, marks and the like.
func plain(s string) bool {
	if len(s) == 1 {
		return true
	}
	r, n := utf8.DecodeRuneInString(s)
	if n != len(s) {
		return false
	}
	switch {
	case r >= 0x2500 && r <= 0x25ff:
		// Triangles and squares that are also emoji.
		return r < 0x25aa || r > 0x25ab && r != 0x25b6 && r != 0x25c0 && (r < 0x25fb || r > 0x25fe)
	case r < 0x0250:
		return r >= 0x00a1 && r != 0x00a9 && r != 0x00ad && r != 0x00ae
	case r < 0x2000:
		return r >= 0x0370 && r <= 0x03ff || r >= 0x0400 && r <= 0x0482 || r >= 0x048a && r <= 0x052f
	case r < 0x2500:
		return r >= 0x2010 && r <= 0x2026 || r >= 0x2030 && r <= 0x203b || r >= 0x2190 && r <= 0x2193 || r == 0x2026
	case r < 0x3000:
		return r == 0x2713 || r == 0x2717 || r >= 0x2800 && r <= 0x28ff || r == 0x276f
	case r < 0xa000:
		return r >= 0x3041 && r <= 0x3096 || r >= 0x30a1 && r <= 0x30fa || r == 0x30fc || r >= 0x4e00 && r <= 0x9fff
	default:
		return r >= 0xac00 && r <= 0xd7a3 || r >= 0xff01 && r <= 0xff5e
	}
}
