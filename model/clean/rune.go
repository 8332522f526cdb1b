package clean

import "unicode"

const joiner = '\u200d' // ZERO WIDTH JOINER

// Unsafe says whether a terminal or a reader can be misled by r when it is
// shown as it is:
//   - controls: C0, DEL, C1;
//   - every format character (category Cf): bidi marks, embeddings, overrides and
//     isolates, zero-width characters, the BOM, soft hyphen, invisible operators,
//     interlinear annotation, tag characters;
//   - other characters that are drawn as nothing: fillers, grapheme joiners,
//     variation selectors;
//   - line and paragraph separators;
//   - noncharacters, and what is no character at all (surrogates).
//
// Private-use and not yet assigned characters are safe: fonts draw icons there,
// and tomorrow's emoji are today's unassigned.
func Unsafe(r rune) bool {
	switch {
	case r < 0x300:
		return r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0xad
	case r >= 0x2010 && r < 0x2028, r >= 0x2070 && r < 0x2e80:
		return false // punctuation and symbols, box drawing: what our own text is full of
	case r == 0x2028, r == 0x2029:
		return true
	case r >= 0xd800 && r < 0xe000, r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe, r > unicode.MaxRune:
		return true
	case r >= 0x4e00 && r < 0xa000, r >= 0xac00 && r < 0xd7b0, r >= 0x1f000 && r < 0x1fb00:
		return false // ideographs, Hangul, pictographs
	}
	return unicode.Is(unicode.Cf, r) || isVariation(r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

func isVariation(r rune) bool {
	return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef ||
		r >= 0x180b && r <= 0x180d || r == 0x180f
}

func isSkinTone(r rune) bool { return r >= 0x1f3fb && r <= 0x1f3ff }

// extends says whether r is drawn onto what stands before it.
func extends(r rune) bool {
	switch {
	case r < 0x300, r >= 0x2010 && r < 0x20d0, r >= 0x2100 && r < 0x2cef, r >= 0x4e00 && r < 0xa000:
		return false
	case r == 0xe33 || r == 0xeb3: // vowels that join the consonant before them
		return true
	}
	return isSkinTone(r) || unicode.Is(unicode.M, r) || unicode.Is(unicode.Other_Grapheme_Extend, r)
}

// isPictograph says whether r can be a part of an emoji: Unicode's
// Extended_Pictographic, taken by blocks where they hold little else.
func isPictograph(r rune) bool {
	switch {
	case r < 0xa9:
		return false
	case r == 0xa9, r == 0xae, r == 0x203c, r == 0x2049, r == 0x2122, r == 0x2139:
		return true
	case r >= 0x2194 && r <= 0x21aa, r >= 0x231a && r <= 0x23fa, r == 0x24c2, r >= 0x25aa && r <= 0x25fe:
		return true
	case r >= 0x2600 && r <= 0x27bf, r >= 0x2934 && r <= 0x2935, r >= 0x2b05 && r <= 0x2b55:
		return true
	case r == 0x3030, r == 0x303d, r == 0x3297, r == 0x3299:
		return true
	case r >= 0x1f1e6 && r <= 0x1f1ff, isSkinTone(r):
		return false // regional indicators and skin tones have rules of their own
	}
	return r >= 0x1f000 && r <= 0x1faff
}
