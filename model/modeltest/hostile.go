// Package modeltest makes what tests of texts feed them.
package modeltest

import (
	"strings"

	"pgregory.net/rapid"
)

// Hostile draws text from what goes wrong.
func Hostile() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{
			"\x1b", "\x9b", "\u009b", "\x00", "\x7f", "\t", "\r", "\n", "\u200d", "\ufe0f", "\u202e", "\u200b",
			"\u0301", "\u0335", "\u20e3", "👩", "👧", "🏽", "❤", "1", "#", "a", " ", "\u2028", "\U000E0041", "\U000E0100",
			"\xed\xa0\x80", "\xc3", "<9b>", "<+3>", "\u0e33", "\uff9e", "🇨", "\ufdd0", "\\", "\"", "\uffff",
		}),
		rapid.String(),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 6), func(b []byte) string { return string(b) }),
	)
	return rapid.Map(rapid.SliceOfN(piece, 0, 30), func(p []string) string { return strings.Join(p, "") })
}
