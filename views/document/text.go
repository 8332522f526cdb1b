package document

import (
	"strings"

	"binnacle/model/clean"
	"binnacle/views/canvas"
)

// LayText lays text of several lines, which is not cleaned, out for a box that
// is w cells wide.
func LayText(title, text string, w int, look canvas.Look) Document {
	p := sheet{l: &look, w: max(w-4, 0)}
	if strings.TrimSpace(text) == "" {
		p.prose(look.Theme.Muted, "It wrote nothing.")
	} else {
		p.prose(look.Theme.Text, text)
	}
	return Document{title: clean.Line(title), lines: p.out, inside: p.w}
}
