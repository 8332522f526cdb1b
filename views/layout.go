package views

import (
	"slices"
	"strconv"

	"binnacle/views/canvas"
)

// Pane names a pane by its number.
type Pane int

// The panes.
const (
	PaneEvents Pane = 1 + iota
	PanePlanes
	PaneLanes
	PaneLeases
	PaneFleet
	PaneNeeds
)

// slots say what each pane is called and where it wants to stand, the upper
// ones of a column first. A new pane is a constant above and a line here.
var slots = [...]slot{
	{pane: PaneEvents, title: "Events", column: 0, need: need{least: 3, weight: 1}},
	{pane: PaneNeeds, title: "Needs you", column: 2, instead: PanePlanes, need: need{least: 4, weight: 3, rank: 0}},
	{pane: PanePlanes, title: "Planes", column: 1, need: need{least: 6, most: 10, weight: 6, rank: 3}},
	{pane: PaneLanes, title: "Lanes", column: 1, need: need{least: 5, weight: 4, rank: 1}},
	{pane: PaneLeases, title: "Leases", column: 2, need: need{least: 4, weight: 2, rank: 2}},
	{pane: PaneFleet, title: "Fleet", column: 2, need: need{least: 4, weight: 2, rank: 4}},
}

// slot is what the layout knows of a pane.
type slot struct {
	pane    Pane
	title   string
	column  int  // of three; where there are two, the last two are one
	instead Pane // where there are two columns it only stands in the place of this one, while it has the keys; 0: it has its own
	need    need
}

// need is how much height a pane wants: never less than least, not more than
// most (0: any), and of what is to spare a share of weight. The highest rank
// leaves first where there is no room.
type need struct{ least, most, weight, rank int }

// of is the pane's slot; that of no pane is empty.
func (p Pane) of() slot {
	for _, s := range slots {
		if s.pane == p {
			return s
		}
	}
	return slot{title: "?"}
}

// Panes lists the panes in the order of their numbers.
func Panes() []Pane {
	out := make([]Pane, len(slots))
	for i := range out {
		out[i] = Pane(1 + i)
	}
	return out
}

// Title is the pane's title.
func (p Pane) Title() string { return p.of().title }

// box draws the pane's box around its lines; more stands behind the title.
func (p Pane) box(l *canvas.Look, c canvas.Chrome, more, status string, lines []string, s canvas.Size, bar [2]int) string {
	return l.Pane(c, strconv.Itoa(int(p)), p.Title()+more, status, lines, s, bar)
}

// Least sizes of the cockpit.
const (
	LeastW, LeastH = 40, 10 // below: one line that says so
	TwoColumns     = 100    // cells
	ThreeColumns   = 150    // cells
)

// Place is a pane and where it stands.
type Place struct {
	Pane Pane
	Rect canvas.Rect
}

// Layout says where everything stands. The parts cover the screen, and no two
// of them overlap.
type Layout struct {
	Size     canvas.Size
	TooSmall bool        // nothing else is set
	Header   canvas.Rect // one line
	Tabs     canvas.Rect // one line, or of height 0
	Footer   canvas.Rect // one line
	Body     canvas.Rect // all between
	Places   []Place     // by column, from above
}

// Arrange lays the panes out: three columns from ThreeColumns on, two from
// TwoColumns on, else one pane with tabs. The pane with the focus always has a
// place; with zoom it has the whole body. Panes that do not fit leave, those of
// the least use first. show lists the panes that there are.
func Arrange(s canvas.Size, show []Pane, focus Pane, zoom bool) Layout {
	lay := Layout{Size: s}
	if s.W < LeastW || s.H < LeastH {
		lay.TooSmall = true
		return lay
	}
	focus = present(show, focus)
	lay.Header = canvas.Rect{W: s.W, H: 1}
	lay.Footer = canvas.Rect{Y: s.H - 1, W: s.W, H: 1}
	lay.Body = canvas.Rect{Y: 1, W: s.W, H: s.H - 2}
	if s.W < TwoColumns {
		lay.Tabs = canvas.Rect{Y: 1, W: s.W, H: 1}
		lay.Body = canvas.Rect{Y: 2, W: s.W, H: s.H - 3}
	}
	if focus == 0 {
		return lay
	}
	if zoom || s.W < TwoColumns {
		lay.Places = []Place{{focus, lay.Body}}
		return lay
	}
	for _, c := range columnsOf(s.W, show, focus) {
		at := canvas.Rect{X: c.x, Y: lay.Body.Y, W: c.w, H: lay.Body.H}
		lay.Places = append(lay.Places, stack(at, c.panes, focus)...)
	}
	return lay
}

// present returns focus when it is shown, else the first pane that is.
func present(show []Pane, focus Pane) Pane {
	if slices.Contains(show, focus) {
		return focus
	}
	if len(show) > 0 {
		return show[0]
	}
	return 0
}

// span is one column of panes.
type span struct {
	x, w  int
	panes []Pane
}

func columnsOf(w int, show []Pane, focus Pane) []span {
	shares, groups := []int{42, 29, 29}, make([][]Pane, 3)
	if w < ThreeColumns {
		shares, groups = []int{54, 46}, make([][]Pane, 2)
	}
	for _, s := range slots {
		away := len(groups) == 2 && (s.instead != 0 && s.pane != focus || s.pane == focus.of().instead)
		if !away && slices.Contains(show, s.pane) {
			c := min(s.column, len(groups)-1)
			groups[c] = append(groups[c], s.pane)
		}
	}
	var out []span
	total, left := 0, w
	for i, g := range groups {
		if len(g) > 0 {
			total += shares[i]
		}
	}
	for i, g := range groups {
		if len(g) == 0 {
			continue
		}
		cw := w * shares[i] / total
		out = append(out, span{x: w - left, w: cw, panes: g})
		left -= cw
	}
	if n := len(out); n > 0 {
		out[n-1].w += left
	}
	return out
}

// stack places panes one above the other. While their least heights do not fit,
// the pane of the highest rank leaves, but never the one with the focus.
func stack(at canvas.Rect, panes []Pane, focus Pane) []Place {
	panes = append([]Pane(nil), panes...)
	sum := func() int {
		n := 0
		for _, p := range panes {
			n += p.of().need.least
		}
		return n
	}
	for len(panes) > 1 && sum() > at.H {
		worst := -1
		for i, p := range panes {
			if p != focus && (worst < 0 || p.of().need.rank > panes[worst].of().need.rank) {
				worst = i
			}
		}
		panes = append(panes[:worst], panes[worst+1:]...)
	}
	heights := make([]int, len(panes))
	left := at.H
	for i, p := range panes {
		heights[i] = min(p.of().need.least, left)
		left -= heights[i]
	}
	left = spread(heights, panes, left)
	if n := len(heights); n > 0 {
		heights[n-1] += left // every pane has its most: the last one gets the rest
	}
	out := make([]Place, len(panes))
	y := at.Y
	for i, p := range panes {
		out[i] = Place{p, canvas.Rect{X: at.X, Y: y, W: at.W, H: heights[i]}}
		y += heights[i]
	}
	return out
}

// spread gives lines one by one to the pane that has the least of its share,
// and returns what nobody wants.
func spread(heights []int, panes []Pane, left int) int {
	for ; left > 0; left-- {
		best := -1
		for i, p := range panes {
			n := p.of().need
			if n.most > 0 && heights[i] >= n.most {
				continue
			}
			if best < 0 || heights[i]*panes[best].of().need.weight < heights[best]*n.weight {
				best = i
			}
		}
		if best < 0 {
			return left
		}
		heights[best]++
	}
	return 0
}

// At returns the pane at a cell, and the cell within it; ok is false where
// there is none.
func (lay Layout) At(x, y int) (p Place, dx, dy int, ok bool) {
	for _, p := range lay.Places {
		if p.Rect.Has(x, y) {
			return p, x - p.Rect.X, y - p.Rect.Y, true
		}
	}
	return Place{}, 0, 0, false
}

// Of returns where the pane stands.
func (lay Layout) Of(p Pane) (canvas.Rect, bool) {
	for _, q := range lay.Places {
		if q.Pane == p {
			return q.Rect, true
		}
	}
	return canvas.Rect{}, false
}
