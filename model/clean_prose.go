package model

import "unicode/utf8"

// Prose says which white space a text may have.
type Prose int

// The shapes of prose.
const (
	OneLine    Prose = iota // no newline, no tab
	Paragraphs              // newlines, and tabs
)

// CheckProse refuses, instead of stripping, what people write for other people
// and agents to read when it holds something that can't be seen: controls, bidi
// and zero-width characters, separators, tag characters, interlinear marks, the
// BOM (Unsafe), and text that is no UTF-8, is empty, or has more than most
// bytes. The selector that belongs to an emoji (as in ⚠️) may stand; joiners are
// refused everywhere. field names the text in the refusal.
func CheckProse(field, s string, most int, shape Prose) error {
	switch {
	case s == "":
		return Errorf(CodeInvalid, "the %s is empty", field)
	case len(s) > most:
		return Errorf(CodeInvalid, "the %s has %d bytes; at most %d fit", field, len(s), most)
	}
	var c cleaner
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			return Errorf(CodeInvalid, "the %s is not valid UTF-8 at byte %d (0x%02x)", field, i, s[i])
		case shape == Paragraphs && (r == '\n' || r == '\t'):
		case r == '\n':
			return Errorf(CodeInvalid, "the %s must be one line; byte %d is a newline", field, i)
		case Unsafe(r) && !(isVariation(r) && c.mayVary(s[i+n:])):
			return Errorf(CodeInvalid, "the %s has the character U+%04X at byte %d, which can't be seen or changes how text is shown", field, r, i).
				WithHint("remove it: controls, bidi, zero-width and tag characters are refused in text for others")
		}
		c.next(s[i : i+n])
		i += n
	}
	return nil
}
