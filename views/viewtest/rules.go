package viewtest

import (
	"strings"

	"binnacle/model/clean"
	"binnacle/views/text"
)

// Fataler is what Rules reports to: a test or a property's trial.
type Fataler interface {
	Fatalf(format string, args ...any)
}

// Rules checks what every frame keeps: exactly h lines, each exactly w cells,
// no control but SGR, no character that must not be shown, and no style left
// open at a line's end.
func Rules(t Fataler, what, frame string, w, h int) {
	if h <= 0 {
		if frame != "" {
			t.Fatalf("%s at %dx%d: %q, want nothing", what, w, h, frame)
		}
		return
	}
	lines := strings.Split(frame, "\n")
	if len(lines) != h {
		t.Fatalf("%s at %dx%d: %d lines", what, w, h, len(lines))
	}
	for i, ln := range lines {
		if n := text.Width(ln); n != max(w, 0) {
			t.Fatalf("%s at %dx%d: line %d is %d cells: %q", what, w, h, i, n, ln)
		}
		open := false
		for rest := ln; rest != ""; {
			n, _, kind := text.Next(rest)
			piece := rest[:n]
			rest = rest[n:]
			switch kind {
			case text.Control, text.Invalid:
				t.Fatalf("%s at %dx%d: line %d holds %q: %q", what, w, h, i, piece, ln)
			case text.Style:
				open = piece != "\x1b[0m" && piece != "\x1b[m"
			default:
				if c := clean.Line(piece); c != piece && !strings.HasPrefix(c, "◌") {
					t.Fatalf("%s at %dx%d: line %d holds %q, which must not be shown: %q", what, w, h, i, piece, ln)
				}
			}
		}
		if open {
			t.Fatalf("%s at %dx%d: line %d leaves a style open: %q", what, w, h, i, ln)
		}
	}
}
