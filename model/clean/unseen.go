package clean

import "unicode/utf8"

// Prose says which white space a text may have.
type Prose int

// The shapes of prose.
const (
	OneLine    Prose = iota // no newline, no tab
	Paragraphs              // newlines, and tabs
)

// FindUnseen finds the first character of s that can't be seen or changes how
// text is shown: controls, bidi and zero-width characters, separators, tag
// characters, interlinear marks, the BOM (Unsafe), and what is no UTF-8
// (utf8.RuneError). The selector that belongs to an emoji (as in ⚠️) may stand;
// joiners never may. at is its byte, -1 when there is none.
func FindUnseen(s string, shape Prose) (at int, r rune) {
	var c cleaner
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return i, r
		case shape == Paragraphs && (r == '\n' || r == '\t'):
		case Unsafe(r) && !(isVariation(r) && c.mayVary(s[i+n:])):
			return i, r
		}
		c.next(s[i : i+n])
		i += n
	}
	return -1, 0
}
