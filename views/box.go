package views

import (
	"strings"
	"time"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/themes"
	"binnacle/views/text"
)

// Chrome is what every pane's border says.
type Chrome struct {
	Focus bool          // the pane takes the keys
	Zoom  bool          // it fills the screen
	Old   time.Duration // how much older than it should be its content is; 0: it is not
	Fault string        // why its engine can't say more; the last good content stays
}

// frame is a box to be drawn.
type frame struct {
	focus  bool
	number string // "" for an overlay
	title  string // clean
	status string // clean; right
	tone   themes.Style
	// Scroll bar in the right border: lines from..to of the inside.
	from, to int
}

// inner is the size of what a box of the size holds: 0 where it is too small
// for a border, which it then does without.
func inner(s Size) Size {
	if s.W < 4 || s.H < 3 {
		return Size{}
	}
	return Size{s.W - 2, s.H - 2}
}

// pane draws a pane's box around lines that are exactly as wide as inner says.
func (l *Look) pane(c Chrome, number, title, status string, lines []string, s Size, bar [2]int) string {
	f := frame{focus: c.Focus, number: number, title: title, status: status, tone: l.Theme.Muted, from: bar[0], to: bar[1]}
	switch {
	case c.Fault != "":
		f.status, f.tone = clean.Line(c.Fault), l.Theme.Danger
		if c.Old > 0 {
			f.status = model.Age(max(c.Old, time.Second)) + " old: " + f.status
		}
		f.status = l.Glyphs.Alert + " " + f.status
	case c.Old > 0:
		f.status, f.tone = model.Age(max(c.Old, time.Second))+" old", l.Theme.Stale
	case c.Zoom:
		if f.status != "" {
			f.status += " " + l.Glyphs.Bullet + " "
		}
		f.status += "zoom"
	}
	return l.box(f, lines, s)
}

// box draws the border around lines.
func (l *Look) box(f frame, lines []string, s Size) string {
	in := inner(s)
	if in.W == 0 {
		ln := newLine(s.W, l)
		if f.focus {
			ln.put(l.Theme.FocusHead, l.Glyphs.Cursor)
		}
		ln.put(l.Theme.Title, strings.TrimSpace(f.number+" "+f.title))
		return join([]string{ln.end()}, s)
	}
	edge, shape, head := l.Theme.Border, l.Glyphs.Border, l.Theme.Title
	if f.focus {
		edge, shape, head = l.Theme.Focus, l.Glyphs.Focus, l.Theme.FocusHead
	}
	out := make([]string, 0, s.H)
	out = append(out, l.headLine(f, s.W, edge, head, shape))
	left := edge.Wrap(shape.V)
	knob := l.Theme.Muted.Wrap(l.Glyphs.Thumb)
	blank := text.Spaces(in.W)
	for i := range in.H {
		body, right := blank, left
		if i < len(lines) {
			body = lines[i]
		}
		if i >= f.from && i < f.to {
			right = knob
		}
		out = append(out, left+body+right)
	}
	out = append(out, edge.Wrap(shape.BL+strings.Repeat(shape.H, in.W)+shape.BR))
	return strings.Join(out, "\n")
}

// headLine is the top border: corner, mark, number and title, rule, status,
// corner. The status is cut to what the title leaves, and left out when that is
// next to nothing.
func (l *Look) headLine(f frame, w int, edge, head themes.Style, shape themes.Edges) string {
	ln := newLine(w-1, l) // the corner always has its place
	ln.raw(edge, shape.TL, 1)
	if f.focus {
		ln.raw(head, l.Glyphs.Cursor, 1)
	} else {
		ln.raw(edge, shape.H, 1)
	}
	name := f.title
	if f.number != "" {
		name = f.number + " " + f.title
	}
	// One cell of rule before the corner stays, so that a cut title ends well.
	room := ln.room() - 1
	nw := text.Width(name)
	if nw > room {
		name, nw = l.fit(name, max(room, 0)), max(room, 0)
	}
	ln.raw(head, name, nw)
	if left := ln.room() - 4; f.status != "" && left >= 3 {
		st := f.status
		sw := text.Width(st)
		if sw > left {
			st, sw = l.fit(st, left), left
		}
		if fill := ln.room() - sw - 3; fill > 0 {
			if nw > 0 {
				ln.gap(1)
				fill--
			}
			ln.raw(edge, strings.Repeat(shape.H, max(fill, 0)), max(fill, 0))
			ln.gap(1)
			ln.foreign = ln.foreign || !ascii(st)
			ln.raw(f.tone, st, sw)
			ln.gap(1)
		}
	} else if nw > 0 && ln.room() > 1 {
		ln.gap(1)
	}
	n := ln.room()
	ln.raw(edge, strings.Repeat(shape.H, n), n)
	return ln.end() + edge.Wrap(shape.TR)
}
