package canvas

import (
	"strings"
	"time"

	"binnacle/model"
	"binnacle/themes"
	"binnacle/views/text"
)

// Size is how large something is, in cells. Negative sides count as 0.
type Size struct{ W, H int }

// Look is how things are looked at: the same for every pane of a frame.
type Look struct {
	Theme  themes.Theme
	Glyphs themes.Glyphs
	Times  Times
	Zone   *time.Location // of clock times; nil is UTC
	Now    model.Time     // what ages and what is left are counted from
	Clocks model.Reading  // the machine's clocks, by which leases are measured; zero: by Now alone
}

// Times says how instants are shown.
type Times uint8

// The ways to show instants.
const (
	Mixed  Times = iota // events by the clock, all else by age
	Ages                // everything by age
	Clocks              // everything by the clock
)

// fit is exactly w cells of clean text, with the look's own ellipsis.
func (l *Look) fit(s string, w int) string { return text.FitTail(s, w, l.Glyphs.Ellipsis) }

// Block joins lines to exactly the size.
func Block(lines []string, s Size) string {
	return strings.Join(text.Block(lines, s.W, s.H), "\n")
}

// Join joins lines that are exact already: missing ones are blank, those
// beyond are left out.
func Join(lines []string, s Size) string {
	if s.H <= 0 {
		return ""
	}
	var b strings.Builder
	n := 0
	for i := range min(len(lines), s.H) {
		n += len(lines[i]) + 1
	}
	b.Grow(n + max(s.H-len(lines), 0)*(max(s.W, 0)+1))
	for i := range s.H {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i < len(lines) {
			b.WriteString(lines[i])
		} else {
			b.WriteString(text.Spaces(s.W))
		}
	}
	return b.String()
}
