package views_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"binnacle/themes"
	"binnacle/ui/screen"
	"binnacle/views"
	"binnacle/views/canvas"
	"binnacle/views/text"
	"binnacle/views/viewtest"
)

// TestOverlayCoversItsPlaceOnly: inside of the place the box is seen, outside
// the frame as it was, but for halves of wide characters.
func TestOverlayCoversItsPlaceOnly(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "word ", "日", "👩\u200d👩\u200d👧", "\x1b[1mbold\x1b[0m", "\x1b[48;2;1;2;3m", "\x1b[0m", " ", "│"})
	rapid.Check(t, func(t *rapid.T) {
		s := canvas.Size{W: rapid.IntRange(1, 30).Draw(t, "w"), H: rapid.IntRange(1, 6).Draw(t, "h")}
		lines := make([]string, s.H)
		for i := range lines {
			lines[i] = text.Pad(strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, "line"), ""), s.W)
		}
		base := strings.Join(lines, "\n")
		box := canvas.Size{W: rapid.IntRange(1, s.W).Draw(t, "bw"), H: rapid.IntRange(1, s.H).Draw(t, "bh")}
		at := canvas.Rect{X: rapid.IntRange(0, s.W-box.W).Draw(t, "x"), Y: rapid.IntRange(0, s.H-box.H).Draw(t, "y"), W: box.W, H: box.H}
		over := strings.TrimSuffix(strings.Repeat(strings.Repeat("#", box.W)+"\n", box.H), "\n")
		got := canvas.Overlay(base, s, over, at)
		viewtest.Rules(t, "overlay", got, s.W, s.H)
		was, is := screen.Parse(base, s.W, s.H), screen.Parse(got, s.W, s.H)
		for y := range s.H {
			for x := range s.W {
				a, b := was.At(x, y), is.At(x, y)
				switch {
				case at.Has(x, y):
					if b.Content != "#" || b.Style != (screen.Style{}) {
						t.Fatalf("cell %d,%d of the box is %+v", x, y, b)
					}
				case a != b && !(b.Content == " " && (a.Width == 2 || a.Content == "")):
					t.Fatalf("cell %d,%d was %+v and is %+v in\n%s", x, y, a, b, got)
				}
			}
		}
	})
}

func TestCentre(t *testing.T) {
	if got := canvas.Centre(canvas.Size{W: 80, H: 24}, canvas.Size{W: 40, H: 10}); got != (canvas.Rect{X: 20, Y: 7, W: 40, H: 10}) {
		t.Errorf("got %v", got)
	}
	if got := canvas.Centre(canvas.Size{W: 10, H: 4}, canvas.Size{W: 40, H: 10}); got != (canvas.Rect{W: 10, H: 4}) {
		t.Errorf("a box too large: %v", got)
	}
}

// plain drops every style.
func plain(frame string) string {
	var b strings.Builder
	for frame != "" {
		n, _, kind := text.Next(frame)
		if kind != text.Style {
			b.WriteString(frame[:n])
		}
		frame = frame[n:]
	}
	return b.String()
}

// TestNothingIsSaidByColourAlone: without any style, focus, cursor, marks,
// chosen buttons and tabs still differ.
func TestNothingIsSaidByColourAlone(t *testing.T) {
	s := canvas.Size{W: 56, H: 12}
	for _, l := range []canvas.Look{look(themes.Dark()), {Theme: themes.Mono(), Glyphs: themes.Plain(), Now: now}} {
		differ := func(what string, a, b func(canvas.Size, canvas.Look) string) {
			if plain(a(s, l)) == plain(b(s, l)) {
				t.Errorf("%s is said by colour alone (ASCII: %v)", what, l.Glyphs.ASCII)
			}
		}
		with := func(c canvas.Chrome, cur views.Cursor) func(canvas.Size, canvas.Look) string {
			return views.Needs{Chrome: c, Cursor: cur, Needs: needs()}.Draw
		}
		at := cursor(views.NounDirective, "59")
		differ("focus", with(focused, at), with(canvas.Chrome{}, at))
		differ("the cursor", with(focused, at), with(focused, cursor(views.NounSignal, "disk")))
		differ("a mark", with(focused, at), with(focused, cursor(views.NounDirective, "59", "59")))
		differ("a fault", with(failing, at), with(canvas.Chrome{}, at))
		keep, drop := dropping(), dropping()
		drop.At = 1
		differ("the button with the focus", keep.Draw, drop.Draw)
		first, second := form(), form()
		second.At = 2
		differ("the field with the focus", first.Draw, second.Draw)
		tab := func(p views.Pane) func(canvas.Size, canvas.Look) string {
			return func(s canvas.Size, l canvas.Look) string {
				return views.Tabs{Panes: views.Panes(), Active: p}.Draw(s.W, l)
			}
		}
		differ("the tab", tab(views.PaneEvents), tab(views.PaneLanes))
	}
}
