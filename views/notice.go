package views

import (
	"strconv"

	"binnacle/model/clean"
	"binnacle/themes"
	"binnacle/views/text"
)

// TooSmall fills a screen that is too small: one line that says how large it
// must be.
func TooSmall(s Size, look Look) string {
	l := &look
	long := "binnacle needs " + strconv.Itoa(LeastW) + "x" + strconv.Itoa(LeastH) + ", this is " +
		strconv.Itoa(s.W) + "x" + strconv.Itoa(s.H)
	if text.Width(long) > s.W {
		long = strconv.Itoa(LeastW) + "x" + strconv.Itoa(LeastH) + " needed"
	}
	ln := newLine(s.W, l)
	ln.put(l.Theme.Warn, long)
	return join([]string{ln.end()}, s)
}

// Offer is the screen where there is no workspace yet.
type Offer struct {
	Dir     string // where it would be made
	Accept  string // the key that makes it
	Decline string // the key that leaves
	Help    string // the key that shows the keys; "" for none
	Fault   string // why making it failed; "" when it was not tried
}

// Draw draws the offer in the middle of the screen.
func (o Offer) Draw(s Size, look Look) string {
	keys := o.Accept + " makes one here. " + o.Decline + " leaves; `binnacle init` makes one later."
	if o.Help != "" {
		keys += " " + o.Help + " shows the keys."
	}
	d := Dialog{
		Title:  "No workspace here",
		Target: o.Dir,
		Says: []string{
			"A workspace is a folder, .binnacle, with one database in it. Git ignores what is in it.",
			keys,
		},
		Fault: o.Fault,
	}
	box := d.Size(s)
	at := Centre(s, box)
	return Overlay(block(nil, s), s, d.Draw(at.Size(), look), at)
}

// paragraph appends s, wrapped and clean, to lines of w cells.
func (l *Look) paragraph(out []string, st themes.Style, s string, w int) []string {
	for _, part := range clean.Lines(cut(s, 16*maxShown)) {
		for _, piece := range text.Wrap(part, w) {
			ln := newLine(w, l)
			ln.put(st, piece)
			out = append(out, ln.end())
		}
	}
	return out
}
