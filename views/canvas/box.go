package canvas

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

// Frame is a box to be drawn.
type Frame struct {
	Focus  bool
	number string // "" for an overlay
	Title  string // clean
	Status string // clean; right
	Tone   themes.Style
	// Scroll bar in the right border: lines from..to of the inside.
	From, To int
}

// Inner is the size of what a box of the size holds: 0 where it is too small
// for a border, which it then does without.
func Inner(s Size) Size {
	if s.W < 4 || s.H < 3 {
		return Size{}
	}
	return Size{s.W - 2, s.H - 2}
}

// Pane draws a pane's box around lines that are exactly as wide as inner says.
func (l *Look) Pane(c Chrome, number, title, status string, lines []string, s Size, bar [2]int) string {
	f := Frame{Focus: c.Focus, number: number, Title: title, Status: status, Tone: l.Theme.Muted, From: bar[0], To: bar[1]}
	switch {
	case c.Fault != "":
		f.Status, f.Tone = clean.Line(c.Fault), l.Theme.Danger
		if c.Old > 0 {
			f.Status = model.Age(max(c.Old, time.Second)) + " old: " + f.Status
		}
		f.Status = l.Glyphs.Alert + " " + f.Status
	case c.Old > 0:
		f.Status, f.Tone = model.Age(max(c.Old, time.Second))+" old", l.Theme.Stale
	case c.Zoom:
		if f.Status != "" {
			f.Status += " " + l.Glyphs.Bullet + " "
		}
		f.Status += "zoom"
	}
	return l.Box(f, lines, s)
}

// Box draws the border around lines.
func (l *Look) Box(f Frame, lines []string, s Size) string {
	in := Inner(s)
	if in.W == 0 {
		ln := NewLine(s.W, l)
		if f.Focus {
			ln.Put(l.Theme.FocusHead, l.Glyphs.Cursor)
		}
		ln.Put(l.Theme.Title, strings.TrimSpace(f.number+" "+f.Title))
		return Join([]string{ln.End()}, s)
	}
	edge, shape, head := l.Theme.Border, l.Glyphs.Border, l.Theme.Title
	if f.Focus {
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
		if i >= f.From && i < f.To {
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
func (l *Look) headLine(f Frame, w int, edge, head themes.Style, shape themes.Edges) string {
	ln := NewLine(w-1, l) // the corner always has its place
	ln.Raw(edge, shape.TL, 1)
	if f.Focus {
		ln.Raw(head, l.Glyphs.Cursor, 1)
	} else {
		ln.Raw(edge, shape.H, 1)
	}
	name := f.Title
	if f.number != "" {
		name = f.number + " " + f.Title
	}
	// One cell of rule before the corner stays, so that a cut title ends well.
	room := ln.Room() - 1
	nw := text.Width(name)
	if nw > room {
		name, nw = l.fit(name, max(room, 0)), max(room, 0)
	}
	ln.Raw(head, name, nw)
	if left := ln.Room() - 4; f.Status != "" && left >= 3 {
		st := f.Status
		sw := text.Width(st)
		if sw > left {
			st, sw = l.fit(st, left), left
		}
		if fill := ln.Room() - sw - 3; fill > 0 {
			if nw > 0 {
				ln.Gap(1)
				fill--
			}
			ln.Raw(edge, strings.Repeat(shape.H, max(fill, 0)), max(fill, 0))
			ln.Gap(1)
			ln.foreign = ln.foreign || !ascii(st)
			ln.Raw(f.Tone, st, sw)
			ln.Gap(1)
		}
	} else if nw > 0 && ln.Room() > 1 {
		ln.Gap(1)
	}
	n := ln.Room()
	ln.Raw(edge, strings.Repeat(shape.H, n), n)
	return ln.End() + edge.Wrap(shape.TR)
}
