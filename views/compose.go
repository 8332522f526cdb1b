package views

import (
	"strings"

	"binnacle/views/text"
)

// Part is text and where it stands. The text is as large as the place.
type Part struct {
	Rect Rect
	Text string
}

// Compose puts parts that do not overlap together to one frame of the size.
// Cells that no part covers are blank. Parts are given from left to right, as
// Layout.Places has them.
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
