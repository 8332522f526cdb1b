package views

import (
	"strings"

	"binnacle/model/clean"
	"binnacle/views/text"
)

// wholeShown is how many lines of a field's whole text are shown.
const wholeShown = 6

// wholeLines appends what a field of one line hides of its text: how many
// lines there are, and the first few. A text that the field shows whole adds
// nothing.
func (l *Look) wholeLines(out []string, whole string, indent, w int) []string {
	room := max(w-indent, 0)
	all := strings.Count(whole, "\n") + 1
	if all == 1 && text.Width(clean.Line(whole)) <= room {
		return out
	}
	say := func(tone func(*line), in int) {
		ln := newLine(w, l)
		ln.gap(in)
		tone(&ln)
		out = append(out, ln.end())
	}
	say(func(ln *line) { ln.put(l.Theme.Muted, count(int64(all), "line", "lines")+" in all:") }, indent)
	shown := clean.Lines(cut(whole, wholeShown*maxShown))
	for _, s := range shown[:min(len(shown), wholeShown)] {
		say(func(ln *line) { ln.put(l.Theme.Text, text.CutTail(s, max(ln.room(), 0), l.Glyphs.Ellipsis)) }, indent)
	}
	if rest := all - min(len(shown), wholeShown); rest > 0 {
		say(func(ln *line) {
			ln.put(l.Theme.Muted, l.Glyphs.Ellipsis+" and "+count(int64(rest), "more", "more"))
		}, indent)
	}
	return out
}
