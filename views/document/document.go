// Package document draws what is longer than a box and read by scrolling: all of
// an event or a record, and what a command wrote. It is laid out once for a
// width, and then drawn from any line on.
package document

import (
	"strconv"
	"strings"

	"binnacle/model/clean"
	"binnacle/views/canvas"
	"binnacle/views/text"
)

// Document is a text that was laid out for a width; drawing it is cheap.
type Document struct {
	title, status string
	lines         []string
	inside        int // width of the lines
}

// Height is how many lines there are to scroll through.
func (d Document) Height() int { return len(d.lines) }

// Draw draws the part from the line top on, which is corrected at the end. The
// width must be the one that it was laid out for.
func (d Document) Draw(c canvas.Chrome, top int, s canvas.Size, look canvas.Look) string {
	l := &look
	in := canvas.Inner(s)
	lines := d.lines
	if d.inside != in.W-2 {
		lines = text.Block(lines, in.W-2, len(lines))
	}
	top = canvas.Window(len(lines), -1, top, in.H)
	from, to := canvas.Thumb(int64(len(lines)), int64(top), in.H)
	seen := lines[min(top, len(lines)):min(top+in.H, len(lines))]
	status := d.status
	if to > 0 {
		last := min(top+in.H, len(lines))
		status = strings.TrimPrefix(status+" "+l.Glyphs.Bullet+" ", " "+l.Glyphs.Bullet+" ") +
			strconv.Itoa(last*100/len(lines)) + "%"
	}
	f := canvas.Frame{Focus: c.Focus, Title: d.title, Status: status, Tone: l.Theme.Muted, From: from, To: to}
	if c.Fault != "" {
		f.Status, f.Tone = l.Glyphs.Alert+" "+clean.Line(c.Fault), l.Theme.Danger
	}
	return l.Box(f, l.Inset(seen, in.W), s)
}
