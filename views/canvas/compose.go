package canvas

import (
	"strings"

	"binnacle/views/text"
)

// Rect is a place on the screen, from the upper left corner.
type Rect struct{ X, Y, W, H int }

// Size is how large the place is.
func (r Rect) Size() Size { return Size{r.W, r.H} }

// Has says whether the cell lies in the place.
func (r Rect) Has(x, y int) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }

// Part is text and where it stands. The text is as large as the place.
type Part struct {
	Rect Rect
	Text string
}

// Compose puts parts that do not overlap together to one frame of the size.
// Cells that no part covers are blank. Parts of one line are given from left to
// right.
func Compose(s Size, parts []Part) string {
	type open struct {
		rect Rect
		rest string
	}
	at := make([]open, 0, len(parts))
	n := 0
	for _, p := range parts {
		n += len(p.Text)
		at = append(at, open{p.Rect, p.Text})
	}
	var b strings.Builder
	b.Grow(n + s.W)
	for y := range s.H {
		if y > 0 {
			b.WriteByte('\n')
		}
		x := 0
		for i := range at {
			r := at[i].rect
			if y < r.Y || y >= r.Y+r.H || r.X < x || r.X+r.W > s.W {
				continue
			}
			b.WriteString(text.Spaces(r.X - x))
			var ln string
			ln, at[i].rest, _ = strings.Cut(at[i].rest, "\n")
			b.WriteString(ln)
			x = r.X + r.W
		}
		b.WriteString(text.Spaces(s.W - x))
	}
	return b.String()
}
