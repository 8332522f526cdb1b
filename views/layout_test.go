package views_test

import (
	"testing"

	"pgregory.net/rapid"

	"binnacle/views"
	"binnacle/views/canvas"
)

// checkLayout holds a layout to what it promises: places lie in the body, do
// not overlap, and cover it; the pane with the focus has one.
func checkLayout(t interface{ Fatalf(string, ...any) }, s canvas.Size, show []views.Pane, focus views.Pane, zoom bool) {
	lay := views.Arrange(s, show, focus, zoom)
	if small := s.W < views.LeastW || s.H < views.LeastH; lay.TooSmall != small || small {
		if len(lay.Places) > 0 || lay.TooSmall != small {
			t.Fatalf("%v: too small is %v with %d panes", s, lay.TooSmall, len(lay.Places))
		}
		return
	}
	cells := make([]int8, s.W*s.H)
	cover := func(r canvas.Rect) {
		if r.X < 0 || r.Y < 0 || r.X+r.W > s.W || r.Y+r.H > s.H {
			t.Fatalf("%v: %v lies outside", s, r)
		}
		for y := r.Y; y < r.Y+r.H; y++ {
			for x := r.X; x < r.X+r.W; x++ {
				cells[y*s.W+x]++
			}
		}
	}
	cover(lay.Header)
	cover(lay.Tabs)
	cover(lay.Footer)
	found := false
	for _, p := range lay.Places {
		cover(p.Rect)
		found = found || p.Pane == focus
		if p.Rect.H < 3 || p.Rect.W < 20 {
			t.Fatalf("%v: pane %d is squeezed into %v", s, p.Pane, p.Rect)
		}
		if zoom && p.Rect != lay.Body {
			t.Fatalf("%v: zoomed into %v", s, p.Rect)
		}
	}
	shown := false
	for _, p := range show {
		shown = shown || p == focus
	}
	if shown && !found {
		t.Fatalf("%v: pane %d has the focus and no place", s, focus)
	}
	if len(show) == 0 {
		return
	}
	for i, n := range cells {
		if n != 1 {
			t.Fatalf("%v focus %d zoom %v: cell %d,%d is covered %d times", s, focus, zoom, i%s.W, i/s.W, n)
		}
	}
}

func TestLayoutAtEverySize(t *testing.T) {
	for w := 1; w <= 250; w++ {
		for h := 1; h <= 80; h++ {
			checkLayout(t, canvas.Size{W: w, H: h}, views.Panes(), views.Pane(1+(w+h)%6), (w*h)%7 == 0)
		}
	}
}

func TestLayoutWithoutSomePanes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		show := []views.Pane{}
		for _, p := range views.Panes() {
			if rapid.Bool().Draw(t, "shown") {
				show = append(show, p)
			}
		}
		checkLayout(t, canvas.Size{W: rapid.IntRange(0, 250).Draw(t, "w"), H: rapid.IntRange(0, 80).Draw(t, "h")},
			show, views.Pane(rapid.IntRange(1, 6).Draw(t, "focus")), rapid.Bool().Draw(t, "zoom"))
	})
}

func TestLayoutColumns(t *testing.T) {
	for _, c := range []struct {
		w, columns int
		needs      bool
	}{{80, 1, false}, {99, 1, false}, {100, 2, false}, {149, 2, false}, {150, 3, true}, {200, 3, true}} {
		lay := views.Arrange(canvas.Size{W: c.w, H: 40}, views.Panes(), views.PaneEvents, false)
		at := map[int]bool{}
		for _, p := range lay.Places {
			at[p.Rect.X] = true
		}
		_, needs := lay.Of(views.PaneNeeds)
		if len(at) != c.columns || needs != c.needs {
			t.Errorf("%d columns wide: %d columns of panes, needs you shown: %v", c.w, len(at), needs)
		}
	}
	lay := views.Arrange(canvas.Size{W: 120, H: 40}, views.Panes(), views.PaneNeeds, false)
	if _, ok := lay.Of(views.PaneNeeds); !ok {
		t.Error("needs you has the focus and no place")
	}
	if p, dx, dy, ok := lay.At(2, 3); !ok || p.Pane != views.PaneEvents || dx != 2 || dy != 2 {
		t.Errorf("the cell 2,3 is %v of pane %v", [2]int{dx, dy}, p.Pane)
	}
	if _, _, _, ok := lay.At(2, 0); ok {
		t.Error("the header is taken for a pane")
	}
}

func TestWindowKeepsTheCursorInSight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 300).Draw(t, "n")
		h := rapid.IntRange(1, 60).Draw(t, "h")
		at := rapid.IntRange(-1, n+2).Draw(t, "at")
		was := rapid.IntRange(-5, n+5).Draw(t, "top")
		top := canvas.Window(n, at, was, h)
		if top < 0 || n > 0 && top >= n || top > 0 && top+h > n {
			t.Fatalf("Window(%d, %d, %d, %d) = %d leaves lines blank", n, at, was, h, top)
		}
		if at >= 0 && at < n && (at < top || at >= top+h) {
			t.Fatalf("Window(%d, %d, %d, %d) = %d hides the cursor", n, at, was, h, top)
		}
		if was >= 0 && was+h <= n && (at < 0 || at >= was && at < was+h) && at < n && top != was {
			t.Fatalf("Window(%d, %d, %d, %d) = %d moved for nothing", n, at, was, h, top)
		}
	})
}

func TestComposeFillsWhatNoPartCovers(t *testing.T) {
	got := canvas.Compose(canvas.Size{W: 6, H: 3}, []canvas.Part{
		{Rect: canvas.Rect{X: 1, Y: 0, W: 2, H: 2}, Text: "ab\ncd"},
		{Rect: canvas.Rect{X: 3, Y: 1, W: 3, H: 1}, Text: "xyz"},
	})
	if want := " ab   \n cdxyz\n      "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
