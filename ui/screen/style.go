package screen

import (
	"image/color"

	"github.com/charmbracelet/colorprofile"
	"github.com/charmbracelet/x/ansi"
)

// Color is a terminal colour: none (the terminal's own), one of the 16 named
// ones, one of the 256, or 24 bits. The zero value is none.
type Color uint32

const (
	kind16  Color = 1 << 24
	kind256 Color = 2 << 24
	kindRGB Color = 3 << 24

	kindMask  Color = 0xff << 24
	valueMask Color = 1<<24 - 1
)

// ANSI returns the named colour n, 0 to 15; only the low four bits count.
func ANSI(n uint8) Color { return kind16 | Color(n&15) }

// Indexed returns colour n of the 256. The first 16 are the named ones.
func Indexed(n uint8) Color {
	if n < 16 {
		return ANSI(n)
	}
	return kind256 | Color(n)
}

// RGB returns a 24-bit colour.
func RGB(r, g, b uint8) Color {
	return kindRGB | Color(r)<<16 | Color(g)<<8 | Color(b)
}

// rgb returns the parts of a 24-bit colour.
func (c Color) rgb() (r, g, b uint8) { return uint8(c >> 16), uint8(c >> 8), uint8(c) }

// Attr is a set of text attributes.
type Attr uint8

// The attributes a cell can have. Blinking and concealed text are not among
// them: a frame that asks for either is shown without.
const (
	Bold Attr = 1 << iota
	Faint
	Italic
	Underline
	Reverse
	Strike
)

// Style is how a cell looks. The zero value is the terminal's own style.
type Style struct {
	FG, BG Color
	Attrs  Attr
}

// onBlank are the attributes that show on a cell without text.
const onBlank = Underline | Reverse | Strike

// blank returns the part of a style that shows on a space, so that spaces that
// look alike compare equal.
func (s Style) blank() Style {
	if s.Attrs&onBlank == 0 {
		return Style{BG: s.BG}
	}
	if s.Attrs&Reverse == 0 {
		s.Attrs &= onBlank
	}
	return s
}

// blanks reports that a space written, or a cell erased, in style s looks like
// a space in style want, which is what blank returns.
func (s Style) blanks(want Style) bool {
	if want.Attrs != 0 {
		return s == want
	}
	return s.BG == want.BG && s.Attrs&onBlank == 0
}

// fitter maps styles to what a terminal can show, and remembers. The zero value
// leaves them as they are.
type fitter struct {
	profile colorprofile.Profile
	seen    map[Color]Color
}

// newFitter returns a fitter for a profile; Unknown is taken for true colour.
func newFitter(p colorprofile.Profile) fitter {
	if p == colorprofile.Unknown {
		p = colorprofile.TrueColor
	}
	return fitter{profile: p, seen: make(map[Color]Color)}
}

// style fits both colours, and drops everything where there is no terminal.
func (f *fitter) style(s Style) Style {
	switch f.profile {
	case colorprofile.Unknown, colorprofile.TrueColor:
		return s
	case colorprofile.NoTTY:
		return Style{}
	case colorprofile.ASCII:
		return Style{Attrs: s.Attrs}
	default:
		return Style{FG: f.color(s.FG), BG: f.color(s.BG), Attrs: s.Attrs}
	}
}

// color fits one colour to 256 or 16.
func (f *fitter) color(c Color) Color {
	kind := c & kindMask
	if kind == 0 || kind == kind16 || (kind == kind256 && f.profile == colorprofile.ANSI256) {
		return c
	}
	if out, ok := f.seen[c]; ok {
		return out
	}
	var in color.Color = ansi.IndexedColor(uint8(c))
	if kind == kindRGB {
		r, g, b := c.rgb()
		in = color.RGBA{R: r, G: g, B: b, A: 0xff}
	}
	out := fromColor(f.profile.Convert(in))
	// A frame has tens of colours. A caller that makes up thousands (a
	// gradient) must not grow this without bound.
	if len(f.seen) >= 4096 {
		clear(f.seen)
	}
	f.seen[c] = out
	return out
}

// fromColor returns the colour that a standard one stands for.
func fromColor(c color.Color) Color {
	switch c := c.(type) {
	case nil:
		return 0
	case ansi.BasicColor:
		return ANSI(uint8(c))
	case ansi.IndexedColor:
		return Indexed(uint8(c))
	default:
		r, g, b, _ := c.RGBA()
		return RGB(uint8(r>>8), uint8(g>>8), uint8(b>>8))
	}
}
