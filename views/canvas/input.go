package canvas

import (
	"binnacle/model/clean"
	"binnacle/themes"
	"binnacle/views/text"
)

// Input is a line of text that is being typed.
type Input struct {
	Text   string // may be anything; it is shown clean
	Cursor int    // in bytes, before a grapheme or at the end
	Focus  bool   // the cursor is shown
}

// Cells returns how far the byte offset is into the shown text, in cells.
func (in Input) Cells(at int) int {
	at = min(max(at, 0), len(in.Text))
	return text.Width(clean.Line(in.Text[:at]))
}

// Input writes the input in exactly w cells, scrolled so that the cursor is
// in sight, and returns how many cells are scrolled away.
func (l *Line) Input(in Input, st, cursor themes.Style, w int) (skipped int) {
	w = min(w, l.Room())
	if w <= 0 {
		return 0
	}
	at := min(max(in.Cursor, 0), len(in.Text))
	before, behind := clean.Line(in.Text[:at]), clean.Line(in.Text[at:])
	start := text.Width(before)
	if !in.Focus {
		l.Cell(st, before+behind, w, false)
		return 0
	}
	if over := start - (w - 1); over > 0 {
		skipped = over
		before = text.Pad(after(before, over, start), start-over)
	}
	used := l.Used
	l.foreign = true
	l.Put(st, before)
	under, rest := " ", ""
	if behind != "" {
		n, cw, _ := text.Next(behind)
		if cw > 0 && l.Room() >= cw && cw <= used+w-l.Used {
			under, rest = behind[:n], behind[n:]
		}
	}
	if room := used + w - l.Used; room > 0 {
		l.Put(cursor, under)
	}
	if room := used + w - l.Used; room > 0 {
		l.Put(st, text.CutTail(rest, room, l.rest))
	}
	l.Gap(used + w - l.Used)
	return skipped
}
