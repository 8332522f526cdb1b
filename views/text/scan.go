package text

import (
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// Kind says what a piece of a string is to a terminal.
type Kind uint8

// The kinds that Next tells apart.
const (
	// Grapheme is one cluster to show. Its width may be 0 (a lone joiner), 1 or 2.
	Grapheme Kind = iota
	// Style is an SGR sequence: ESC [ … m.
	Style
	// Control is any other control or escape sequence. It is never shown.
	Control
	// Invalid is one byte that is not UTF-8. It counts as one cell, for U+FFFD.
	Invalid
)

const esc = 0x1b

// replacement stands where a byte was not UTF-8.
const replacement = "\uFFFD"

// Next reports the first piece of s: its size in bytes, its width in cells and
// its kind. For the empty string the size is 0; otherwise it is at least 1, so
// a loop over s[size:] always ends.
func Next(s string) (size, width int, kind Kind) {
	if s == "" {
		return 0, 0, Grapheme
	}
	c := s[0]
	switch {
	case c >= 0x20 && c < 0x7f:
		// An ASCII character is a cluster of its own unless something that is
		// not ASCII follows and extends it.
		if len(s) == 1 || s[1] < utf8.RuneSelf {
			return 1, 1, Grapheme
		}
	case c == esc:
		n, sgr := escape(s)
		if sgr {
			return n, 0, Style
		}
		return n, 0, Control
	case c < utf8.RuneSelf:
		return 1, 0, Control
	default:
		r, n := utf8.DecodeRuneInString(s)
		if r == utf8.RuneError && n == 1 {
			return 1, 1, Invalid
		}
		if r < 0xa0 {
			return n, 0, Control
		}
		// Box drawing and block elements make up most of a frame that is not
		// ASCII, and nothing printable joins them from the ASCII side.
		if r >= 0x2500 && r < 0x25a0 && (len(s) == n || s[n] < utf8.RuneSelf || boxFollows(s[n:])) {
			return n, 1, Grapheme
		}
	}
	cluster, w := ansi.FirstGraphemeCluster(s, ansi.GraphemeWidth)
	if i := breakIn(cluster); i > 0 {
		cluster, w = ansi.FirstGraphemeCluster(s[:i], ansi.GraphemeWidth)
	}
	return max(len(cluster), 1), min(max(w, 0), 2), Grapheme
}

// breakIn returns where a cluster has to end although the library goes on, or 0:
// before an ASCII character and before a byte that is not UTF-8. Only the rule
// for prepended marks puts the former there, and terminals end a cluster at
// ASCII; without this a pad would be swallowed by the text before it.
func breakIn(cluster string) int {
	for i := 0; i < len(cluster); {
		r, n := utf8.DecodeRuneInString(cluster[i:])
		if i > 0 && (r < utf8.RuneSelf || r == utf8.RuneError && n == 1) {
			return i
		}
		i += n
	}
	return 0
}

// boxFollows reports that s starts with a box drawing or block element.
func boxFollows(s string) bool {
	return len(s) >= 3 && s[0] == 0xe2 && (s[1] == 0x94 || s[1] == 0x95 || s[1] == 0x96) && s[2]&0xc0 == 0x80
}

// escape measures the escape sequence that s starts with and says whether it
// is an SGR sequence. A sequence that is cut short takes the rest of s; one
// that is malformed ends before the byte that broke it, so text after it stays.
func escape(s string) (size int, sgr bool) {
	if len(s) == 1 {
		return 1, false
	}
	switch c := s[1]; {
	case c == '[':
		i := 2
		for i < len(s) && s[i] >= 0x30 && s[i] <= 0x3f {
			i++
		}
		params := i
		for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
			i++
		}
		if i == len(s) || s[i] < 0x40 || s[i] > 0x7e {
			return i, false
		}
		plain := params == 2 || s[2] < '<'
		return i + 1, s[i] == 'm' && i == params && plain
	case c == ']' || c == 'P' || c == 'X' || c == '^' || c == '_':
		for i := 2; i < len(s); i++ {
			if s[i] == 0x07 && c == ']' {
				return i + 1, false
			}
			if s[i] == esc {
				if i+1 < len(s) && s[i+1] == '\\' {
					return i + 2, false
				}
				return i, false
			}
		}
		return len(s), false
	case c >= 0x20 && c <= 0x2f:
		i := 2
		for i < len(s) && s[i] >= 0x20 && s[i] <= 0x2f {
			i++
		}
		if i < len(s) && s[i] >= 0x30 && s[i] <= 0x7e {
			i++
		}
		return i, false
	case c >= 0x30 && c <= 0x7e:
		return 2, false
	default:
		return 1, false
	}
}

// plainASCII reports that every byte of s is printable ASCII, the case where
// bytes are cells.
func plainASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] < 0x20 || s[i] >= 0x7f {
			return false
		}
	}
	return true
}

// measure returns the width of s in cells; whether it is clean, with no control
// but SGR and no invalid byte; and whether a style is still open at its end.
func measure(s string) (width int, clean, open bool) {
	clean = true
	for len(s) > 0 {
		n, w, k := Next(s)
		switch k {
		case Control, Invalid:
			clean = false
		case Style:
			open = !isReset(s[:n])
		}
		width += w
		s = s[n:]
	}
	return width, clean, open
}

// cleaned returns s without controls and with invalid bytes replaced; styling
// stays. Its clusters are found anew, for dropping a control joins its
// neighbours.
func cleaned(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	for len(s) > 0 {
		n, _, k := Next(s)
		switch k {
		case Control:
		case Invalid:
			b.WriteString(replacement)
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

// isReset reports that an SGR sequence turns everything off.
func isReset(seq string) bool {
	return seq == "\x1b[m" || seq == "\x1b[0m"
}

// Width returns how many cells s takes on one line. Styling and controls take
// none.
func Width(s string) int {
	if plainASCII(s) {
		return len(s)
	}
	w, _, _ := measure(s)
	return w
}
