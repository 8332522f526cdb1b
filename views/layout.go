package views

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

// Panes lists the panes in the order of their numbers.
func Panes() []Pane {
	return []Pane{PaneEvents, PanePlanes, PaneLanes, PaneLeases, PaneFleet, PaneNeeds}
}

// Title is the pane's title.
func (p Pane) Title() string {
	switch p {
	case PaneEvents:
		return "Events"
	case PanePlanes:
		return "Planes"
	case PaneLanes:
		return "Lanes"
	case PaneLeases:
		return "Leases"
	case PaneFleet:
		return "Fleet"
	case PaneNeeds:
		return "Needs you"
	}
	return "?"
}

// Rect is a place on the screen, from the upper left corner.
type Rect struct{ X, Y, W, H int }

// Size is how large the place is.
func (r Rect) Size() Size { return Size{r.W, r.H} }

// Has says whether the cell lies in the place.
func (r Rect) Has(x, y int) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }

// Least sizes of the cockpit.
const (
	LeastW, LeastH = 40, 10 // below: one line that says so
	TwoColumns     = 100    // cells
	ThreeColumns   = 150    // cells
)

// Place is a pane and where it stands.
type Place struct {
	Pane Pane
	Rect Rect
}

// Layout says where everything stands. The parts cover the screen, and no two
// of them overlap.
type Layout struct {
	Size     Size
	TooSmall bool    // nothing else is set
	Header   Rect    // one line
	Tabs     Rect    // one line, or of height 0
	Footer   Rect    // one line
	Body     Rect    // all between
	Places   []Place // by column, from above
}

// Arrange lays the panes out: three columns from ThreeColumns on, two from
// TwoColumns on, else one pane with tabs. The pane with the focus always has a
// place; with zoom it has the whole body. Panes that do not fit leave, those of
// the least use first. show lists the panes that there are.
func Arrange(s Size, show []Pane, focus Pane, zoom bool) Layout {
	lay := Layout{Size: s}
	if s.W < LeastW || s.H < LeastH {
		lay.TooSmall = true
		return lay
	}
	focus = present(show, focus)
	lay.Header = Rect{0, 0, s.W, 1}
	lay.Footer = Rect{0, s.H - 1, s.W, 1}
	lay.Body = Rect{0, 1, s.W, s.H - 2}
	if s.W < TwoColumns {
		lay.Tabs = Rect{0, 1, s.W, 1}
		lay.Body = Rect{0, 2, s.W, s.H - 3}
	}
	if focus == 0 {
		return lay
	}
	if zoom || s.W < TwoColumns {
		lay.Places = []Place{{focus, lay.Body}}
		return lay
	}
	for _, c := range columnsOf(s.W, show, focus) {
		at := Rect{c.x, lay.Body.Y, c.w, lay.Body.H}
		lay.Places = append(lay.Places, stack(at, c.panes, focus)...)
	}
	return lay
}

// present returns focus when it is shown, else the first pane that is.
func present(show []Pane, focus Pane) Pane {
	for _, p := range show {
		if p == focus {
			return focus
		}
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
	in := func(ps ...Pane) []Pane {
		var out []Pane
		for _, p := range ps {
			for _, q := range show {
				if p == q {
					out = append(out, p)
				}
			}
		}
		return out
	}
	var groups [][]Pane
	var shares []int
	switch {
	case w >= ThreeColumns:
		groups = [][]Pane{in(PaneEvents), in(PanePlanes, PaneLanes), in(PaneNeeds, PaneLeases, PaneFleet)}
		shares = []int{42, 29, 29}
	case focus == PaneNeeds:
		groups = [][]Pane{in(PaneEvents), in(PaneNeeds, PaneLanes, PaneLeases, PaneFleet)}
		shares = []int{54, 46}
	default:
		groups = [][]Pane{in(PaneEvents), in(PanePlanes, PaneLanes, PaneLeases, PaneFleet)}
		shares = []int{54, 46}
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

// need is how much height a pane wants: never less than least, not more than
// most (0: any), and of what is to spare a share of weight.
type need struct{ least, most, weight, rank int }

func needOf(p Pane) need {
	switch p {
	case PanePlanes:
		return need{least: 6, most: 10, weight: 6, rank: 3}
	case PaneLanes:
		return need{least: 5, weight: 4, rank: 1}
	case PaneLeases:
		return need{least: 4, weight: 2, rank: 2}
	case PaneFleet:
		return need{least: 4, weight: 2, rank: 4}
	case PaneNeeds:
		return need{least: 4, weight: 3, rank: 0}
	}
	return need{least: 3, weight: 1}
}

// stack places panes one above the other. While their least heights do not fit,
// the pane of the highest rank leaves, but never the one with the focus.
func stack(at Rect, panes []Pane, focus Pane) []Place {
	panes = append([]Pane(nil), panes...)
	sum := func() int {
		n := 0
		for _, p := range panes {
			n += needOf(p).least
		}
		return n
	}
	for len(panes) > 1 && sum() > at.H {
		worst := -1
		for i, p := range panes {
			if p != focus && (worst < 0 || needOf(p).rank > needOf(panes[worst]).rank) {
				worst = i
			}
		}
		panes = append(panes[:worst], panes[worst+1:]...)
	}
	heights := make([]int, len(panes))
	left := at.H
	for i, p := range panes {
		heights[i] = min(needOf(p).least, left)
		left -= heights[i]
	}
	left = spread(heights, panes, left)
	if n := len(heights); n > 0 {
		heights[n-1] += left // every pane has its most: the last one gets the rest
	}
	out := make([]Place, len(panes))
	y := at.Y
	for i, p := range panes {
		out[i] = Place{p, Rect{at.X, y, at.W, heights[i]}}
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
			n := needOf(p)
			if n.most > 0 && heights[i] >= n.most {
				continue
			}
			if best < 0 || heights[i]*needOf(panes[best]).weight < heights[best]*n.weight {
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
func (lay Layout) Of(p Pane) (Rect, bool) {
	for _, q := range lay.Places {
		if q.Pane == p {
			return q.Rect, true
		}
	}
	return Rect{}, false
}
