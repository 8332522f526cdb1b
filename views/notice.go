package views

import (
	"strconv"

	"binnacle/views/canvas"
	"binnacle/views/text"
)

// TooSmall fills a screen that is too small: one line that says how large it
// must be.
func TooSmall(s canvas.Size, look canvas.Look) string {
	l := &look
	long := "binnacle needs " + strconv.Itoa(LeastW) + "x" + strconv.Itoa(LeastH) + ", this is " +
		strconv.Itoa(s.W) + "x" + strconv.Itoa(s.H)
	if text.Width(long) > s.W {
		long = strconv.Itoa(LeastW) + "x" + strconv.Itoa(LeastH) + " needed"
	}
	ln := canvas.NewLine(s.W, l)
	ln.Put(l.Theme.Warn, long)
	return canvas.Join([]string{ln.End()}, s)
}
