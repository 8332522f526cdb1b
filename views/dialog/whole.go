package dialog

import (
	"strings"

	"binnacle/model/clean"
	"binnacle/views/canvas"
	"binnacle/views/text"
)

// wholeShown is how many lines of a field's whole text are shown.
const wholeShown = 6

// wholeLines appends what a field of one line hides of its text: how many
// lines there are, and the first few. A text that the field shows whole adds
// nothing.
func wholeLines(l *canvas.Look, out []string, whole string, indent, w int) []string {
	room := max(w-indent, 0)
	all := strings.Count(whole, "\n") + 1
	if all == 1 && text.Width(clean.Line(whole)) <= room {
		return out
	}
	say := func(tone func(*canvas.Line), in int) {
		ln := canvas.NewLine(w, l)
		ln.Gap(in)
		tone(&ln)
		out = append(out, ln.End())
	}
	say(func(ln *canvas.Line) { ln.Put(l.Theme.Muted, canvas.Count(int64(all), "line", "lines")+" in all:") }, indent)
	shown := clean.Lines(text.Clip(whole, wholeShown*text.MaxShown))
	for _, s := range shown[:min(len(shown), wholeShown)] {
		say(func(ln *canvas.Line) { ln.Put(l.Theme.Text, text.CutTail(s, max(ln.Room(), 0), l.Glyphs.Ellipsis)) }, indent)
	}
	if rest := all - min(len(shown), wholeShown); rest > 0 {
		say(func(ln *canvas.Line) {
			ln.Put(l.Theme.Muted, l.Glyphs.Ellipsis+" and "+canvas.Count(int64(rest), "more", "more"))
		}, indent)
	}
	return out
}
