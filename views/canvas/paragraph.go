package canvas

import (
	"binnacle/model/clean"
	"binnacle/themes"
	"binnacle/views/text"
)

// Paragraph appends s, wrapped and clean, to lines of w cells.
func (l *Look) Paragraph(out []string, st themes.Style, s string, w int) []string {
	for _, part := range clean.Lines(text.Clip(s, 16*text.MaxShown)) {
		for _, piece := range text.Wrap(part, w) {
			ln := NewLine(w, l)
			ln.Put(st, piece)
			out = append(out, ln.End())
		}
	}
	return out
}

// Inset puts one blank cell on both sides of lines that are two narrower.
func (l *Look) Inset(lines []string, w int) []string {
	if w < 2 {
		return text.Block(nil, w, len(lines))
	}
	out := make([]string, len(lines))
	for i, ln := range lines {
		out[i] = " " + ln + " "
	}
	return out
}
