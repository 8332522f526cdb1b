package model

import (
	"unicode/utf8"

	"binnacle/model/clean"
)

// CheckProse refuses, instead of stripping, what people write for other people
// and agents to read when it holds something that can't be seen (FindUnseen), is
// empty, or has more than most bytes. field names the text in the refusal.
func CheckProse(field, s string, most int, shape clean.Prose) error {
	switch {
	case s == "":
		return Errorf(CodeInvalid, "the %s is empty", field)
	case len(s) > most:
		return Errorf(CodeInvalid, "the %s has %d bytes; at most %d fit", field, len(s), most)
	}
	switch at, r := clean.FindUnseen(s, shape); {
	case at < 0:
		return nil
	case r == utf8.RuneError:
		return Errorf(CodeInvalid, "the %s is not valid UTF-8 at byte %d (0x%02x)", field, at, s[at])
	case r == '\n':
		return Errorf(CodeInvalid, "the %s must be one line; byte %d is a newline", field, at)
	default:
		return Errorf(CodeInvalid, "the %s has the character U+%04X at byte %d, which can't be seen or changes how text is shown", field, r, at).
			WithHint("remove it: controls, bidi, zero-width and tag characters are refused in text for others")
	}
}
