package screen

import (
	"strings"

	"github.com/charmbracelet/colorprofile"

	"binnacle/views/text"
)

// Cell is one cell of a frame.
type Cell struct {
	// Content is one grapheme cluster; "" in the second cell of a wide one.
	Content string
	Style   Style
	// Width is 1 or 2, and 0 in the second cell of a wide grapheme.
	Width uint8
}

// isSpace reports that the cell shows no text.
func (c *Cell) isSpace() bool { return len(c.Content) == 1 && c.Content[0] == ' ' }

// row is one line of a grid. It is never changed once a grid holds it, so that
// grids share rows and equal rows are often the same pointer.
type row struct {
	src   string // the line it was parsed from
	cells []Cell
}

// Grid is a frame as cells. It is made by Parse and does not change.
type Grid struct {
	w, h int
	rows []*row
}

// Size returns the width and height in cells.
func (g *Grid) Size() (w, h int) { return g.w, g.h }

// At returns the cell at column x of line y. It panics when there is none.
func (g *Grid) At(x, y int) Cell { return g.rows[y].cells[x] }

// Blank returns a grid of w×h default spaces.
func Blank(w, h int) *Grid { return Parse("", w, h) }

// Parse reads a frame of h lines, joined by newlines and styled with SGR
// sequences, into w×h cells. What is missing is blank and what is too much is
// left out; a wide grapheme that straddles the right edge becomes a space. Each
// line starts in the default style. Everything else that is a control, and
// every character without a width of its own, is dropped. A negative size
// counts as 0.
func Parse(frame string, w, h int) *Grid {
	p := newParser(colorprofile.TrueColor)
	return p.parse(nil, frame, w, h)
}

// parser makes grids for one terminal, and reuses the rows of those it is given
// back.
type parser struct {
	fit   fitter
	free  []*row
	grids []*Grid
	blank *row
}

func newParser(p colorprofile.Profile) *parser { return &parser{fit: newFitter(p)} }

// parse is Parse with colours fitted to the terminal. Lines that equal the line
// at the same place of prev share its row, which costs no parsing and, in Diff,
// no comparison.
func (p *parser) parse(prev *Grid, frame string, w, h int) *Grid {
	w, h = max(w, 0), max(h, 0)
	g := p.grid(w, h)
	if prev != nil && (prev.w != w || prev.h != h) {
		prev = nil
	}
	more := true
	for y := range g.rows {
		var line string
		if more {
			line, frame, more = strings.Cut(frame, "\n")
		}
		switch {
		case prev != nil && prev.rows[y].src == line:
			g.rows[y] = prev.rows[y]
		case line == "":
			g.rows[y] = p.blankRow(w)
		default:
			g.rows[y] = p.row(line, w)
		}
	}
	return g
}

// release takes a grid back, but for the rows that keep shares with it.
func (p *parser) release(g, keep *Grid) {
	if g == nil {
		return
	}
	if keep != nil && keep.w == g.w && keep.h == g.h {
		for y, r := range g.rows {
			if r != keep.rows[y] && r != p.blank {
				p.free = append(p.free, r)
			}
		}
	} else {
		p.free, p.blank = nil, nil
	}
	g.rows = g.rows[:0]
	p.grids = append(p.grids, g)
}

// grid returns an empty grid of that size.
func (p *parser) grid(w, h int) *Grid {
	g := &Grid{}
	if n := len(p.grids); n > 0 {
		g, p.grids = p.grids[n-1], p.grids[:n-1]
	}
	g.w, g.h = w, h
	if cap(g.rows) < h {
		g.rows = make([]*row, h)
	}
	g.rows = g.rows[:h]
	return g
}

// blankRow returns the row of w default spaces, always the same one.
func (p *parser) blankRow(w int) *row {
	if p.blank == nil || len(p.blank.cells) != w {
		p.blank = newBlankRow(w)
	}
	return p.blank
}

// newBlankRow returns a row of w default spaces.
func newBlankRow(w int) *row {
	r := &row{cells: make([]Cell, w)}
	for x := range r.cells {
		r.cells[x] = Cell{Content: " ", Width: 1}
	}
	return r
}

// row parses one line.
func (p *parser) row(line string, w int) *row {
	var r *row
	if n := len(p.free); n > 0 && len(p.free[n-1].cells) == w {
		r, p.free = p.free[n-1], p.free[:n-1]
	} else {
		r = &row{cells: make([]Cell, w)}
	}
	// The cells point into the line. A copy of it keeps one line alive rather
	// than the whole frame it came in.
	r.src = strings.Clone(line)
	fill(r.cells, r.src, &p.fit)
	return r
}

// fill sets all the cells of a row from its line.
func fill(cells []Cell, line string, fit *fitter) {
	var raw, style Style
	x := 0
	for line != "" && x < len(cells) {
		n, w, kind := text.Next(line)
		part := line[:n]
		line = line[n:]
		switch kind {
		case text.Style:
			readSGR(part[2:n-1], &raw)
			style = fit.style(raw)
			continue
		case text.Control:
			continue
		case text.Invalid:
			part = "\uFFFD"
		}
		if w == 0 {
			continue
		}
		if n > maxCluster {
			part = "\uFFFD"
			if w == 2 {
				line = " " + line
				w = 1
			}
		}
		if x+w > len(cells) {
			part, w = " ", 1
		}
		cells[x] = Cell{Content: part, Style: style, Width: uint8(w)}
		if part == " " {
			cells[x].Style = style.blank()
		}
		if w == 2 {
			cells[x+1] = Cell{Style: style}
		}
		x += w
	}
	for ; x < len(cells); x++ {
		cells[x] = Cell{Content: " ", Width: 1}
	}
}

// maxCluster is the size in bytes up to which a grapheme is shown. The longest
// in use (a family of four with skin tones, a flag made of tags) stay below; a
// letter under a hundred combining marks does not, and terminals differ in what
// they make of it.
const maxCluster = 64
