package dialog

import "binnacle/views/canvas"

// Offer is the screen where there is no workspace yet.
type Offer struct {
	Dir     string // where it would be made
	Accept  string // the key that makes it
	Decline string // the key that leaves
	Help    string // the key that shows the keys; "" for none
	Fault   string // why making it failed; "" when it was not tried
}

// Draw draws the offer in the middle of the screen.
func (o Offer) Draw(s canvas.Size, look canvas.Look) string {
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
	at := canvas.Centre(s, box)
	return canvas.Overlay(canvas.Block(nil, s), s, d.Draw(at.Size(), look), at)
}
