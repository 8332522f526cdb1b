package screen

// readSGR applies the parameters of an SGR sequence, the part between ESC [ and
// m, to a style. Parameters that are unknown, malformed or out of range change
// nothing.
func readSGR(params string, s *Style) {
	if params == "" {
		*s = Style{}
		return
	}
	r := sgrReader{rest: params, more: true}
	for r.more {
		n, sub := r.next()
		switch {
		case n == 0:
			*s = Style{}
		case n == 4 && sub:
			if kind, _ := r.next(); kind == 0 {
				s.Attrs &^= Underline
			} else {
				s.Attrs |= Underline
			}
		case n >= 1 && n <= 9:
			s.Attrs |= attrOn(n)
		case n >= 21 && n <= 29:
			s.Attrs &^= attrOff(n)
		case n >= 30 && n <= 37:
			s.FG = ANSI(uint8(n - 30))
		case n == 38:
			r.color(&s.FG, sub)
		case n == 39:
			s.FG = 0
		case n >= 40 && n <= 47:
			s.BG = ANSI(uint8(n - 40))
		case n == 48:
			r.color(&s.BG, sub)
		case n == 49:
			s.BG = 0
		case n == 58: // the colour of the underline: read to skip it
			var none Color
			r.color(&none, sub)
		case n >= 90 && n <= 97:
			s.FG = ANSI(uint8(n - 90 + 8))
		case n >= 100 && n <= 107:
			s.BG = ANSI(uint8(n - 100 + 8))
		}
	}
}

// attrOn returns the attribute that parameter n sets.
func attrOn(n int) Attr {
	switch n {
	case 1:
		return Bold
	case 2:
		return Faint
	case 3:
		return Italic
	case 4:
		return Underline
	case 7:
		return Reverse
	case 9:
		return Strike
	default:
		return 0
	}
}

// attrOff returns the attributes that parameter n clears.
func attrOff(n int) Attr {
	switch n {
	case 22:
		return Bold | Faint
	case 23:
		return Italic
	case 24:
		return Underline
	case 27:
		return Reverse
	case 29:
		return Strike
	default:
		return 0
	}
}

// sgrReader walks the parameters of an SGR sequence.
type sgrReader struct {
	rest string
	more bool
}

// next returns the next parameter, 0 when it is empty, and whether a
// sub-parameter (after a colon) follows it. A parameter above 9999 is -1.
func (r *sgrReader) next() (n int, sub bool) {
	i := 0
	for ; i < len(r.rest); i++ {
		c := r.rest[i]
		if c < '0' || c > '9' {
			break
		}
		if n >= 0 {
			n = n*10 + int(c-'0')
			if n > 9999 {
				n = -1
			}
		}
	}
	if i == len(r.rest) {
		r.rest, r.more = "", false
		return n, false
	}
	sub = r.rest[i] == ':'
	r.rest = r.rest[i+1:]
	return n, sub
}

// color reads what follows 38, 48 or 58: 5;n or 2;r;g;b, with semicolons or
// with colons (then an empty colour space may stand before the red).
func (r *sgrReader) color(c *Color, sub bool) {
	if !r.more {
		return
	}
	mode, colon := r.next()
	var parts [8]int
	n := 0
	want := 0
	switch mode {
	case 2:
		want = 3
	case 5:
		want = 1
	}
	for r.more && n < len(parts) && (sub && colon || !sub && n < want) {
		parts[n], colon = r.next()
		n++
	}
	at := 0
	if sub && mode == 2 && n >= 4 {
		at = 1 // the colour space
	}
	switch {
	case mode == 5 && n >= 1 && parts[0] >= 0 && parts[0] <= 255:
		*c = Indexed(uint8(parts[0]))
	case mode == 2 && n-at >= 3:
		for _, v := range parts[at : at+3] {
			if v < 0 || v > 255 {
				return
			}
		}
		*c = RGB(uint8(parts[at]), uint8(parts[at+1]), uint8(parts[at+2]))
	}
}

// appendSGR appends the shortest sequence that turns one style into another:
// what differs, or everything after a reset.
func appendSGR(dst []byte, from, to Style) []byte {
	if from == to {
		return dst
	}
	if to == (Style{}) {
		return append(dst, "\x1b[m"...)
	}
	start := len(dst)
	dst = append(dst, "\x1b["...)
	dst = appendDelta(dst, from, to)
	dst[len(dst)-1] = 'm'
	n := len(dst) - start
	if from == (Style{}) {
		return dst
	}
	dst = append(dst, "\x1b[;"...)
	dst = appendDelta(dst, Style{}, to)
	dst[len(dst)-1] = 'm'
	if m := len(dst) - start - n; m < n {
		copy(dst[start:], dst[start+n:])
		return dst[:start+m]
	}
	return dst[:start+n]
}

// appendDelta appends the parameters that lead from one style to another, each
// followed by a semicolon.
func appendDelta(dst []byte, from, to Style) []byte {
	on, off := to.Attrs&^from.Attrs, from.Attrs&^to.Attrs
	if off&(Bold|Faint) != 0 {
		dst = append(dst, "22;"...)
		on |= to.Attrs & (Bold | Faint)
	}
	if off&Italic != 0 {
		dst = append(dst, "23;"...)
	}
	if off&Underline != 0 {
		dst = append(dst, "24;"...)
	}
	if off&Reverse != 0 {
		dst = append(dst, "27;"...)
	}
	if off&Strike != 0 {
		dst = append(dst, "29;"...)
	}
	for n := 1; n <= 9; n++ {
		if on&attrOn(n) != 0 {
			dst = append(dst, byte('0'+n), ';')
		}
	}
	if from.FG != to.FG {
		dst = appendColor(dst, to.FG, 30)
	}
	if from.BG != to.BG {
		dst = appendColor(dst, to.BG, 40)
	}
	return dst
}

// appendColor appends the parameters for a colour; base is 30 or 40.
func appendColor(dst []byte, c Color, base int) []byte {
	v := int(c & valueMask)
	switch c & kindMask {
	case kind16:
		if v >= 8 {
			base, v = base+60, v-8
		}
		dst = appendInt(dst, base+v)
	case kind256:
		dst = appendInt(dst, base+8)
		dst = append(dst, ";5;"...)
		dst = appendInt(dst, v)
	case kindRGB:
		r, g, b := c.rgb()
		dst = appendInt(dst, base+8)
		dst = append(dst, ";2;"...)
		dst = appendInt(dst, int(r))
		dst = append(dst, ';')
		dst = appendInt(dst, int(g))
		dst = append(dst, ';')
		dst = appendInt(dst, int(b))
	default:
		dst = appendInt(dst, base+9)
	}
	return append(dst, ';')
}
