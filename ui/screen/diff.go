package screen

// Diff appends to dst the bytes that turn a terminal which shows from into one
// that shows to, and returns the result. When from is nil or of another size
// the whole screen is painted, whatever it shows now. Without a difference
// nothing is appended. The style in use is the default one before and after.
//
// Of the ways it knows (lines moved or not, line by line or style by style) it
// takes the shortest.
func Diff(dst []byte, from, to *Grid, caps Caps) []byte {
	d := newDiffer(caps)
	return d.diff(dst, from, to)
}

// differ holds what Diff needs to work without allocating.
type differ struct {
	caps  Caps
	fit   fitter
	dirty []bool
	spans []span
	kinds []Style
	best  []byte
	trial []byte
	order order
	moves moves
}

func newDiffer(caps Caps) *differ {
	return &differ{caps: caps, fit: newFitter(caps.Profile)}
}

const (
	syncOn  = "\x1b[?2026h"
	syncOff = "\x1b[?2026l"
	// wipe makes any screen a blank one: default style, no margins, cursor
	// hidden, everything erased.
	wipe = "\x1b[m\x1b[r\x1b[?25l\x1b[H\x1b[2J"
)

func (d *differ) diff(dst []byte, from, to *Grid) []byte {
	if to.w == 0 || to.h == 0 {
		return dst
	}
	full := from == nil || from.w != to.w || from.h != to.h
	if full {
		from = Blank(to.w, to.h)
	}
	d.best = d.best[:0]
	d.gather(from.rows, to.rows)
	if !full && len(d.spans) == 0 {
		return dst
	}
	var moved []move
	d.paint(to, nil, usual())
	if !full {
		moved = d.tryMoves(from, to)
	}
	d.paint(to, moved, others()...)
	if d.caps.Sync {
		dst = append(dst, syncOn...)
	}
	if full {
		dst = append(dst, wipe...)
	}
	dst = append(dst, d.best...)
	if d.caps.Sync {
		dst = append(dst, syncOff...)
	}
	return dst
}

// gather finds the spans in which two screens differ.
func (d *differ) gather(from, to []*row) {
	d.spans, d.kinds = d.spans[:0], d.kinds[:0]
	for y := range to {
		if from[y] == to[y] {
			continue
		}
		cells := to[y].cells
		if len(d.dirty) < len(cells) {
			d.dirty = make([]bool, len(cells))
		}
		if first, end := mark(d.dirty[:len(cells)], from[y].cells, cells); end > 0 {
			d.split(y, cells, first, end)
		}
	}
}

// way is an order in which spans are written. Which is the best depends on how
// the styles and the changes are spread over the frame.
type way struct {
	// choose: each time the cheapest span is next. Otherwise they are written
	// from the top left to the bottom right.
	choose bool
	// stay is how many bytes more it may cost to go on in the same style.
	stay int
	// fall: the span below is a choice as well, as in a column of digits.
	fall bool
}

// usual is the way that is best most of the time.
func usual() way { return way{choose: true, stay: 4, fall: true} }

// others are tried once it is clear whether lines are moved.
func others() []way {
	return []way{{choose: true, fall: true}, {choose: true, stay: 9, fall: true}, {choose: true, stay: 4}, {}}
}

// paint writes the gathered spans, after moving lines, and keeps the result in
// best when it is shorter.
func (d *differ) paint(to *Grid, moves []move, ways ...way) {
	for _, w := range ways {
		p := pen{dst: d.trial[:0], x: -1, y: -1, w: to.w, h: to.h, fit: &d.fit, caps: &d.caps}
		for _, m := range moves {
			p.scroll(m.top, m.bottom, m.n)
		}
		whole := d.walk(&p, to, w)
		p.use(Style{})
		d.trial = p.dst
		if whole && (len(d.best) == 0 || len(d.trial) < len(d.best)) {
			d.best, d.trial = d.trial, d.best
		}
	}
}

// walk writes all spans, each time the one that is cheapest to reach among the
// next on the screen, the next in the same style and the one below. It gives up, and says so,
// once that takes more than the best so far.
func (d *differ) walk(p *pen, to *Grid, w way) bool {
	d.order.start(d.spans, len(d.kinds))
	for i := d.order.first(); i >= 0; i = d.choose(p, i, w) {
		if len(d.best) > 0 && len(p.dst) >= len(d.best) {
			return false
		}
		s := &d.spans[i]
		d.order.take(i)
		cells := to.rows[s.y].cells
		d.reach(p, cells, s)
		if s.erase {
			p.erase(s.x1-s.x0, s.style, s.eol)
			continue
		}
		if s.text {
			p.use(s.style)
		}
		for x := s.x0; x < s.x1; x++ {
			if p.x < 0 {
				p.to(x, s.y)
			}
			p.draw(&cells[x])
			if cells[x].Width == 2 {
				x++
			}
		}
	}
	return true
}

// reach puts the pen at the start of a span: by a cursor move, or by writing the
// clean cells between where that is no dearer, styles included.
func (d *differ) reach(p *pen, cells []Cell, s *span) {
	const far = 12
	if gap := s.x0 - p.x; p.y == s.y && p.x >= 0 && gap > 0 && gap <= far {
		before, n := *p, len(p.dst)
		for x := p.x; x < s.x0 && (cells[x].Width == 0 || plain(cells[x].Content)); x++ {
			p.draw(&cells[x])
		}
		if p.x == s.x0 && len(p.dst)-n+d.restyle(p, s) <= d.distance(&before, s)+d.restyle(&before, s) {
			return
		}
		before.dst = p.dst[:n]
		*p = before
	}
	p.to(s.x0, s.y)
}

// choose returns the span to write after span i, or -1 when none is left.
func (d *differ) choose(p *pen, i int, w way) int {
	next := d.order.after(i)
	if next < 0 {
		next = d.order.first()
	}
	if next < 0 || !w.choose {
		return next
	}
	best, least := next, d.cost(p, next)
	if w.fall {
		if below := d.below(p, i); below >= 0 && below != next {
			if c := d.cost(p, below); c < least {
				best, least = below, c
			}
		}
	}
	if same := d.order.sameAfter(i, d.spans[i].kind); same >= 0 && same != best {
		if d.cost(p, same) <= least+w.stay && d.spans[best].kind != d.spans[i].kind {
			return same
		}
	}
	return best
}

// below returns the span left on the line below span i that starts nearest to
// where the pen is, or -1.
func (d *differ) below(p *pen, i int) int {
	y := d.spans[i].y + 1
	for i++; i < len(d.spans) && d.spans[i].y < y; i++ {
	}
	best, least := -1, 1<<30
	for ; i < len(d.spans) && d.spans[i].y == y; i++ {
		if !d.order.left(i) {
			continue
		}
		if off := abs(d.spans[i].x0 - max(p.x, 0)); off < least {
			best, least = i, off
		}
	}
	return best
}

func abs(n int) int {
	if n < 0 {
		return -n
	}
	return n
}

// cost is how many bytes it takes to get to a span, in its style.
func (d *differ) cost(p *pen, i int) int {
	return d.distance(p, &d.spans[i]) + d.restyle(p, &d.spans[i])
}

// distance is the bytes of the cursor move to a span.
func (d *differ) distance(p *pen, s *span) int {
	if p.x == s.x0 && p.y == s.y {
		return 0
	}
	var buf [32]byte
	return len(appendMove(buf[:0], p.x, p.y, s.x0, s.y))
}

// restyle is the bytes of the change to the style of a span.
func (d *differ) restyle(p *pen, s *span) int {
	style := d.fit.style(s.style)
	if p.style == style || !s.text && p.style.blanks(style) {
		return 0
	}
	var buf [96]byte
	return len(appendSGR(buf[:0], p.style, style))
}
