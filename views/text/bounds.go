package text

import "strings"

// MaxShown bounds how much of a payload's string a one-line summary looks at,
// in bytes: no line is that long.
const MaxShown = 1 << 10

// Clip bounds s in bytes; a rune that is cut is marked by the cleaner.
func Clip(s string, most int) string {
	if len(s) > most {
		return s[:most]
	}
	return s
}

// FirstLine is the first line of s that has something in it.
func FirstLine(s string) string {
	s = Clip(s, 4*MaxShown)
	s = strings.TrimLeft(s, " \t\r\n")
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		s = s[:i]
	}
	return strings.TrimRight(s, " \t\r")
}
