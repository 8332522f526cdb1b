package screen

import (
	"fmt"
	"strings"
	"testing"

	"github.com/charmbracelet/colorprofile"
	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"
)

// everything is a terminal that can do all we use.
var everything = Caps{Profile: colorprofile.TrueColor, Sync: true, BCE: true, ECH: true}

// emulated is a terminal that is not ours.
type emulated struct{ *vt.Emulator }

// newEmulated returns a terminal full of rubbish, in a state that a program
// might leave: frames may not count on a clean start.
func newEmulated(w, h int, autowrap bool) emulated {
	e := emulated{vt.NewEmulator(w, h)}
	// It does not answer: nobody reads what it would say.
	e.RegisterCsiHandler('n', func(ansi.Params) bool { return true })
	e.WriteString("\x1b[?1049h\x1b[41;4m" + strings.Repeat("#", w*h+3) + "\x1b[2;3H")
	if !autowrap {
		e.WriteString("\x1b[?7l")
	}
	return e
}

// withoutBCE makes the emulator erase with the default background, as terminals
// do that lack the feature.
func (e emulated) withoutBCE() {
	erase := func(n int) bool {
		at := e.CursorPosition()
		for x := at.X; x < min(at.X+n, e.Width()); x++ {
			e.SetCell(x, at.Y, nil)
		}
		return true
	}
	e.RegisterCsiHandler('K', func(ansi.Params) bool { return erase(e.Width()) })
	e.RegisterCsiHandler('X', func(params ansi.Params) bool {
		n, _, _ := params.Param(0, 1)
		return erase(n)
	})
}

// grid reads what the emulator shows.
func (e emulated) grid() *Grid {
	g := Blank(e.Width(), e.Height())
	for y := range g.rows {
		r := newBlankRow(g.w)
		for x := range r.cells {
			c := e.CellAt(x, y)
			style := Style{FG: fromColor(c.Style.Fg), BG: fromColor(c.Style.Bg), Attrs: attrsOf(c.Style)}
			switch {
			case c.Width == 0:
				r.cells[x] = Cell{Style: r.cells[max(x-1, 0)].Style}
			case c.Content == " " || c.Content == "":
				r.cells[x] = Cell{Content: " ", Width: 1, Style: style.blank()}
			default:
				r.cells[x] = Cell{Content: c.Content, Width: uint8(c.Width), Style: style}
			}
		}
		g.rows[y] = r
	}
	return g
}

func attrsOf(s uv.Style) Attr {
	var a Attr
	for _, m := range []struct {
		theirs uint8
		ours   Attr
	}{
		{uv.AttrBold, Bold},
		{uv.AttrFaint, Faint},
		{uv.AttrItalic, Italic},
		{uv.AttrReverse, Reverse},
		{uv.AttrStrikethrough, Strike},
	} {
		if s.Attrs&m.theirs != 0 {
			a |= m.ours
		}
	}
	if s.Underline != 0 {
		a |= Underline
	}
	return a
}

// failer is what a test and a property have in common.
type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// sameGrid fails unless the emulator shows want.
func sameGrid(t failer, e emulated, want *Grid, context string) {
	t.Helper()
	got := e.grid()
	for y := range want.rows {
		for x := range want.rows[y].cells {
			if g, w := got.rows[y].cells[x], want.rows[y].cells[x]; g != w {
				t.Fatalf("%s: cell %d,%d shows %s, want %s\nshown:\n%s\nwanted:\n%s",
					context, x, y, describe(g), describe(w), Golden(got, "shown"), Golden(want, "wanted"))
			}
		}
	}
}

func describe(c Cell) string {
	return fmt.Sprintf("%q (width %d, %s)", c.Content, c.Width, c.Style)
}

// fitted returns the grid in the colours of a profile.
func fitted(g *Grid, p colorprofile.Profile) *Grid {
	f := newFitter(p)
	out := Blank(g.w, g.h)
	for y := range g.rows {
		r := newBlankRow(g.w)
		for x, c := range g.rows[y].cells {
			c.Style = f.style(c.Style)
			r.cells[x] = c
			if c.isSpace() {
				r.cells[x].Style = c.Style.blank()
			}
		}
		out.rows[y] = r
	}
	return out
}

func TestEmulatorStartsDirty(t *testing.T) {
	e := newEmulated(4, 2, true)
	if got := e.grid().At(1, 1); got.Content != "#" || got.Style.BG != ANSI(1) {
		t.Fatalf("the emulator shows %s, want rubbish", describe(got))
	}
}
