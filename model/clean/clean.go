package clean

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// This file and its neighbours clean_*.go are the one sanitiser: whatever text
// comes from elsewhere passes here before it is shown. What is stored stays as
// it was.
//
// How unsafe characters are shown:
//   - C0 controls and DEL as Unicode's control pictures: ESC is ␛, CR is ␍;
//   - a tab as space;
//   - any other unsafe character (see Unsafe) as its code point, at least four
//     hex digits in angle brackets: U+009B is <009b>, U+202E is <202e>;
//   - a byte that is not UTF-8 as two hex digits: <9b>;
//   - combining marks past maxMarks on one character as their count: <+92>;
//   - combining marks at the beginning on a dotted circle, for they would land
//     on whatever stands before the text on the screen.
//
// So two digits are a byte and four or more a character. A text that holds such
// a mark as plain text looks the same; it is harmless, and nothing is decided
// by what is shown.

// Bounds of what may pile up on one character of clean text.
const (
	maxMarks = 6 // combining marks; living scripts stay at or below it
	maxJoins = 4 // joiners in an emoji; the longest in use have three
)

// tabStop is the distance of tab stops in multi-line text.
const tabStop = 8

// Line makes text from anywhere fit for one line of a terminal: the result is
// valid UTF-8 without any unsafe character (Unsafe), but for the joiners and
// variation selectors inside of emoji. A tab becomes one space, a newline ␊.
// Cleaning twice changes nothing more. Text that is clean already is returned
// as it is, without allocating.
func Line(s string) string {
	if plainASCII(s) {
		return s
	}
	var c cleaner
	for i := 0; i < len(s); {
		n, what := c.next(s[i:])
		if what != asIs {
			var spare cleaner // walks again from the start, this time writing
			return string(spare.appendClean(make([]byte, 0, len(s)+16), s))
		}
		i += n
	}
	return s
}

// Lines is Line for text of several lines: it ends lines at \n and \r\n
// and expands tabs to the next stop of eight characters (not cells: width is
// not known here). Text without a newline is one line; a newline at the end
// begins no further line.
func Lines(s string) []string {
	s = strings.TrimSuffix(s, "\n")
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		line = strings.TrimSuffix(line, "\r")
		if strings.IndexByte(line, '\t') < 0 {
			lines[i] = Line(line)
			continue
		}
		c := cleaner{tab: tabStop}
		lines[i] = string(c.appendClean(make([]byte, 0, len(line)+32), line))
	}
	return lines
}

// Text is Lines with the lines joined by \n. A newline at the end is
// kept.
func Text(s string) string {
	if plainASCII(s) {
		return s
	}
	out := strings.Join(Lines(s), "\n")
	if strings.HasSuffix(s, "\n") {
		out += "\n"
	}
	return out
}

func plainASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i]-0x20 >= 0x7f-0x20 {
			return false
		}
	}
	return true
}

// form is how a piece of text is shown.
type form uint8

const (
	asIs    form = iota
	picture      // a control picture
	spaces       // a tab
	byteHex      // not UTF-8
	runeHex      // unsafe
	surplus      // a run of combining marks too many
	onto         // a combining mark without a character to stand on
)

// cleaner walks over one line. Its zero value stands at the line's beginning.
type cleaner struct {
	tab   int  // distance of tab stops; 0: a tab is one space
	col   int  // characters written so far
	base  rune // the last character that marks can stand on; 0 at the beginning
	prev  rune // the last rune that was shown as it is, or the mark's last
	marks int  // combining marks on base
	joins int  // joiners in the emoji that base belongs to
}

// next says how many bytes of s (not empty) form the next piece, and how it is
// shown. It advances the walk.
func (c *cleaner) next(s string) (int, form) {
	if b := s[0]; b < utf8.RuneSelf {
		switch {
		case b == '\t':
			return 1, c.stand(' ', spaces)
		case b < 0x20 || b == 0x7f:
			return 1, c.stand('␀', picture)
		}
		return 1, c.stand(rune(b), asIs)
	}
	r, n := utf8.DecodeRuneInString(s)
	switch {
	case r == utf8.RuneError && n == 1:
		return 1, c.stand('>', byteHex)
	case r == joiner && c.mayJoin(s[n:]), isVariation(r) && c.mayVary(s[n:]):
		if r == joiner {
			c.joins++
		}
		c.prev = r
		return n, asIs
	case Unsafe(r):
		return n, c.stand('>', runeHex)
	case !extends(r):
		return n, c.stand(r, asIs)
	case c.base == 0:
		c.base, c.marks, c.prev = '◌', 1, r
		c.col++
		return n, onto
	case c.marks < maxMarks:
		c.marks++
		c.prev = r
		return n, asIs
	}
	for n < len(s) {
		r, m := utf8.DecodeRuneInString(s[n:])
		if Unsafe(r) || !extends(r) {
			break
		}
		n += m
	}
	return n, c.stand('>', surplus)
}

// stand notes that r is what the next marks would stand on.
func (c *cleaner) stand(r rune, f form) form {
	if c.prev != joiner {
		c.joins = 0
	}
	c.base, c.prev, c.marks = r, r, 0
	c.col++
	return f
}

// mayJoin says whether a joiner may stand here: between two pictographs.
func (c *cleaner) mayJoin(rest string) bool {
	if !isPictograph(c.base) || c.prev == joiner || c.joins >= maxJoins {
		return false
	}
	if c.prev != c.base && !isVariation(c.prev) && !isSkinTone(c.prev) {
		return false
	}
	after, _ := utf8.DecodeRuneInString(rest)
	return isPictograph(after)
}

// mayVary says whether a variation selector may stand here: after a pictograph
// or in a keycap.
func (c *cleaner) mayVary(rest string) bool {
	if c.prev != c.base {
		return false
	}
	if isPictograph(c.base) {
		return true
	}
	b := c.base
	return (b >= '0' && b <= '9' || b == '#' || b == '*') && strings.HasPrefix(rest, "\u20e3")
}

// appendClean appends the whole line, cleaned.
func (c *cleaner) appendClean(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		col := c.col
		n, what := c.next(s[i:])
		piece := s[i : i+n]
		i += n
		switch what {
		case asIs:
			dst = append(dst, piece...)
		case picture:
			dst = utf8.AppendRune(dst, controlPicture(piece[0]))
		case spaces:
			dst = append(dst, ' ')
			for c.tab > 0 && c.col%c.tab != 0 {
				dst = append(dst, ' ')
				c.col++
			}
		case byteHex:
			dst = appendMark(dst, rune(piece[0]), 2)
			c.col = col + 4
		case runeHex:
			r, _ := utf8.DecodeRuneInString(piece)
			from := len(dst)
			dst = appendMark(dst, r, 4)
			c.col = col + len(dst) - from
		case surplus:
			from := len(dst)
			dst = append(dst, "<+"...)
			dst = strconv.AppendInt(dst, int64(utf8.RuneCountInString(piece)), 10)
			dst = append(dst, '>')
			c.col = col + len(dst) - from
		case onto:
			dst = append(dst, "◌"...)
			dst = append(dst, piece...)
		}
	}
	return dst
}

func controlPicture(b byte) rune {
	if b == 0x7f {
		return '␡'
	}
	return '␀' + rune(b)
}

// appendMark appends r in hex, of at least so many digits, in angle brackets.
func appendMark(dst []byte, r rune, digits int) []byte {
	const hex = "0123456789abcdef"
	for r>>(4*digits) != 0 {
		digits++
	}
	dst = append(dst, '<')
	for i := digits - 1; i >= 0; i-- {
		dst = append(dst, hex[r>>(4*i)&15])
	}
	return append(dst, '>')
}
