package canvas

import (
	"strings"

	"binnacle/views/text"
)

// Centre places a box of the size in the middle of another; a box that is
// larger is as large as it.
func Centre(outer, box Size) Rect {
	w, h := min(box.W, outer.W), min(box.H, outer.H)
	return Rect{(outer.W - w) / 2, (outer.H - h) / 2, w, h}
}

// Overlay lays a box over a frame of the size s, at the place. What the place
// covers of a wide character outside becomes a space.
func Overlay(base string, s Size, box string, at Rect) string {
	lines := strings.Split(base, "\n")
	over := strings.Split(box, "\n")
	for i, ln := range over {
		y := at.Y + i
		if y < 0 || y >= len(lines) || i >= at.H {
			continue
		}
		lines[y] = text.Pad(lines[y], at.X) + ln + after(lines[y], at.X+at.W, s.W)
	}
	return strings.Join(lines, "\n")
}

// after returns the cells of the line from x on, up to width, in the styles
// that they have.
func after(ln string, x, width int) string {
	n, styles := 0, ""
	for ln != "" && n < x {
		size, w, kind := text.Next(ln)
		if kind == text.Style {
			if styles += ln[:size]; isReset(ln[:size]) {
				styles = ""
			}
		}
		n += w
		ln = ln[size:]
	}
	// What has no width belongs to the cell before: it is dropped, styles not.
	for ln != "" {
		size, w, kind := text.Next(ln)
		if w > 0 {
			break
		}
		if kind == text.Style {
			if styles += ln[:size]; isReset(ln[:size]) {
				styles = ""
			}
		}
		ln = ln[size:]
	}
	return text.Pad(text.Spaces(n-x)+styles+ln, max(width-x, 0))
}

func isReset(seq string) bool { return seq == "\x1b[0m" || seq == "\x1b[m" }
