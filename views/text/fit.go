package text

import "strings"

// Ellipsis ends a text that was cut; EllipsisASCII does so where only ASCII can
// be shown. Both are one cell wide.
const (
	Ellipsis      = "…"
	EllipsisASCII = "~"
)

// Cut returns the first w cells of s, whole graphemes only, so the result may
// be one cell short when a wide grapheme straddles the edge. A style that is
// open where s is cut is closed.
func Cut(s string, w int) string {
	out, _ := cut(s, max(w, 0))
	return out
}

// CutTail is Cut, but when s is wider than w it ends with tail, which is part
// of the w cells. A tail wider than w is itself cut.
func CutTail(s string, w int, tail string) string {
	w = max(w, 0)
	if plainASCII(s) && len(s) <= w {
		return s
	}
	if out, _, fits := whole(s, w); fits {
		return out
	}
	tw := Width(tail)
	if tw >= w {
		return Cut(tail, w)
	}
	out, _ := cut(s, w-tw)
	if !strings.HasSuffix(out, reset) {
		return out + tail
	}
	// The tail belongs to the text it ends: put it inside the style.
	return out[:len(out)-len(reset)] + tail + reset
}

// Pad returns exactly w cells: s and spaces after it, or the start of s.
func Pad(s string, w int) string {
	out, n := exact(s, w)
	return out + Spaces(w-n)
}

// PadLeft returns exactly w cells: spaces and then s, or the start of s.
func PadLeft(s string, w int) string {
	out, n := exact(s, w)
	return Spaces(w-n) + out
}

// Fit returns exactly w cells: Pad where s fits, and where it does not its start
// with an ellipsis.
func Fit(s string, w int) string { return FitTail(s, w, Ellipsis) }

// FitTail is Fit with a tail of the caller's choice, EllipsisASCII for one.
func FitTail(s string, w int, tail string) string {
	if plainASCII(s) && len(s) <= w {
		return s + Spaces(w-len(s))
	}
	return Pad(CutTail(s, w, tail), w)
}

// Block returns exactly h lines of exactly w cells: lines beyond h are left
// out, missing ones are blank. A negative w or h counts as 0.
func Block(lines []string, w, h int) []string {
	w, h = max(w, 0), max(h, 0)
	out := make([]string, h)
	for i := range out {
		if i < len(lines) {
			out[i] = Pad(lines[i], w)
		} else {
			out[i] = Spaces(w)
		}
	}
	return out
}

// blank is cut for short runs of spaces, which are most of them.
const blank = "                                                                                                                                "

// Spaces returns n spaces, none when n is negative.
func Spaces(n int) string {
	switch {
	case n <= 0:
		return ""
	case n <= len(blank):
		return blank[:n]
	default:
		return strings.Repeat(" ", n)
	}
}

// ExpandTabs replaces each tab with spaces up to the next column that is a
// multiple of every cells (8 when every is not positive). Columns are counted
// from the start of s, or from the newest newline in it.
func ExpandTabs(s string, every int) string {
	if strings.IndexByte(s, '\t') < 0 {
		return s
	}
	if every <= 0 {
		every = 8
	}
	var b strings.Builder
	b.Grow(len(s) + every)
	col := 0
	for len(s) > 0 {
		n, w, k := Next(s)
		switch {
		case k == Control && s[0] == '\t':
			fill := every - col%every
			b.WriteString(Spaces(fill))
			col += fill
		case k == Control && s[0] == '\n':
			b.WriteByte('\n')
			col = 0
		default:
			b.WriteString(s[:n])
			col += w
		}
		s = s[n:]
	}
	return b.String()
}

const reset = "\x1b[0m"

// whole returns s cleaned and closed, with its width, when it fits in w cells.
func whole(s string, w int) (out string, width int, fits bool) {
	width, clean, open := measure(s)
	if !clean {
		s = cleaned(s)
		width, _, open = measure(s)
	}
	if width > w {
		return "", 0, false
	}
	if open {
		s += reset
	}
	return s, width, true
}

// exact returns s when it is no wider than w, otherwise its start, with the
// width of what it returns.
func exact(s string, w int) (string, int) {
	w = max(w, 0)
	if plainASCII(s) {
		n := min(len(s), w)
		return s[:n], n
	}
	s = apart(s)
	if out, n, fits := whole(s, w); fits {
		return out, n
	}
	return cut(s, w)
}

// apart returns s so that its first cluster can't join what is written before
// it, a pad or another column: a mark without a base becomes U+FFFD for each of
// its cells.
func apart(s string) string {
	for s != "" && (s[0] < 0x20 || s[0] >= 0x7f) {
		n, w, k := Next(s)
		if k == Control {
			s = s[n:]
			continue
		}
		if k != Grapheme {
			return s
		}
		if joined, _, _ := Next(" " + s[:n]); joined == 1 {
			return s
		}
		s = strings.Repeat(replacement, w) + s[n:]
	}
	return s
}

// cut rebuilds s up to w cells, without controls, and closes an open style.
func cut(s string, w int) (string, int) {
	if plainASCII(s) {
		n := min(len(s), w)
		return s[:n], n
	}
	if _, clean, _ := measure(s); !clean {
		s = cleaned(s)
	}
	used, end := 0, 0
	open := false
	for end < len(s) {
		n, cw, k := Next(s[end:])
		if used+cw > w {
			break
		}
		if k == Style {
			if used == w {
				// Nothing more is drawn: only an end of the open style is of
				// use, and it is written below.
				break
			}
			open = !isReset(s[end : end+n])
		}
		used += cw
		end += n
	}
	if open {
		return s[:end] + reset, used
	}
	return s[:end], used
}
