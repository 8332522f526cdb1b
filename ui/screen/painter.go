package screen

// Painter turns frames of text into the bytes that show them, one after the
// other on the same terminal. It is not safe for concurrent use.
//
// Invariant: shown holds exactly the rows that were written; the rows of a frame
// whose slice has not come yet are the old ones.
type Painter struct {
	parser *parser
	differ *differ
	shown  *Grid // what the terminal shows, nil when that is not known
	last   string
	whole  bool // shown is all of last
	buf    []byte
	order  []int // the rows that differ, the most important first
	turn   int   // the row after the last one that was written in its turn
}

// NewPainter returns a painter for a terminal of which nothing is known yet: its
// first frame is a full one.
func NewPainter(caps Caps) *Painter {
	return &Painter{parser: newParser(caps.Profile), differ: newDiffer(caps)}
}

// Frame returns the bytes that make the terminal show a frame of w×h cells, as
// Parse reads it; none when it is shown already. The bytes are valid until the
// next call. The painter takes it that they are written: where that fails, call
// Forget.
func (p *Painter) Frame(frame string, w, h int) []byte {
	bytes, _ := p.Slice(frame, w, h, 0, nil)
	return bytes
}

// Slice is Frame with at most so many bytes, 0 for any number; only a single row
// may take more. It writes whole rows: those of first from the top, then the
// others in turn, so that the last row of a screen that never rests has one. It
// reports whether the frame is whole, and else clears first for the rows that
// the terminal shows now. What is missing comes with the next call, for that
// frame or for a newer one.
func (p *Painter) Slice(frame string, w, h, budget int, first []bool) (bytes []byte, whole bool) {
	w, h = max(w, 0), max(h, 0)
	if p.shown != nil && p.shown.w == w && p.shown.h == h && p.whole && p.last == frame {
		return nil, true
	}
	next := p.parser.parse(p.shown, frame, w, h)
	p.buf = p.differ.diff(p.buf[:0], p.shown, next)
	if budget <= 0 || len(p.buf) <= budget {
		p.parser.release(p.shown, next)
		p.shown, p.last, p.whole = next, frame, true
		return p.buf, true
	}
	mixed := p.slice(next, budget, first)
	for y := range min(h, len(first)) {
		first[y] = first[y] && mixed.rows[y] != next.rows[y]
	}
	whole = true
	for y := range mixed.rows {
		whole = whole && mixed.rows[y] == next.rows[y]
	}
	p.parser.release(p.shown, mixed)
	p.parser.release(next, mixed)
	p.shown, p.last, p.whole = mixed, frame, whole
	return p.buf, whole
}

// slice sets buf to the bytes for as many rows of next as fit, at least one, and
// returns what the terminal shows after them.
func (p *Painter) slice(next *Grid, budget int, first []bool) *Grid {
	mixed := p.parser.grid(next.w, next.h)
	old := func(int) *row { return p.parser.blankRow(next.w) }
	if p.shown != nil && p.shown.w == next.w && p.shown.h == next.h {
		old = func(y int) *row { return p.shown.rows[y] }
	}
	p.rank(next, old, first)
	// upTo shows the first n rows of the order and returns how much that takes.
	upTo := func(n int) int {
		for y := range mixed.rows {
			mixed.rows[y] = old(y)
		}
		for _, y := range p.order[:n] {
			mixed.rows[y] = next.rows[y]
		}
		p.buf = p.differ.diff(p.buf[:0], p.shown, mixed)
		return len(p.buf)
	}
	least, most := 0, len(p.order)
	for most-least > 1 {
		if n := (least + most) / 2; upTo(n) <= budget {
			least = n
		} else {
			most = n
		}
	}
	// Rows of which no cell differs take nothing: something has to be written.
	n := min(max(least, 1), len(p.order))
	for upTo(n) == 0 && n < len(p.order) {
		n++
	}
	if n == 0 {
		return mixed // a blank screen
	}
	if y := p.order[n-1]; y >= len(first) || !first[y] {
		p.turn = y + 1
	}
	return mixed
}

// rank lists the rows that differ, the most important first.
func (p *Painter) rank(next *Grid, old func(y int) *row, first []bool) {
	p.order = p.order[:0]
	add := func(y0, y1 int, important bool) {
		for y := y0; y < y1; y++ {
			if (y < len(first) && first[y]) == important && next.rows[y] != old(y) {
				p.order = append(p.order, y)
			}
		}
	}
	turn := min(p.turn, next.h)
	add(0, next.h, true)
	add(turn, next.h, false)
	add(0, turn, false)
}

// Forget makes the next frame a full one.
func (p *Painter) Forget() {
	p.parser.release(p.shown, nil)
	p.shown, p.last, p.whole = nil, "", false
}
