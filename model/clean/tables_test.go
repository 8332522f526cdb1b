package clean

import "unicode"

// What Unsafe and extends promise, said with Unicode's tables alone.

func unsafeByTables(r rune) bool {
	switch {
	case unicode.Is(unicode.Cc, r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Zl, r), unicode.Is(unicode.Zp, r),
		unicode.Is(unicode.Cs, r), unicode.Is(unicode.Noncharacter_Code_Point, r):
		return true
	}
	return unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r) || unicode.Is(unicode.Variation_Selector, r)
}

func extendsByTables(r rune) bool {
	return unicode.Is(unicode.M, r) || unicode.Is(unicode.Other_Grapheme_Extend, r) ||
		r >= 0x1f3fb && r <= 0x1f3ff || r == 0xe33 || r == 0xeb3
}
