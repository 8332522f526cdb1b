package views_test

import (
	"strings"
	"testing"

	"binnacle/themes"
	"binnacle/ui/screen"
	"binnacle/views"
	"binnacle/views/canvas"
	"binnacle/views/viewtest"
)

// check compares a frame with its golden file, after the rules.
func check(t *testing.T, name, frame string, s canvas.Size, l canvas.Look) {
	t.Helper()
	viewtest.Rules(t, name, frame, s.W, s.H)
	goldens.Check(t, name, screen.Golden(screen.Parse(frame, s.W, s.H), l.Theme.Name))
}

// natural is the size at which a state is looked at: that of its pane on a
// screen of 120x40, or the size that an overlay asks for there.
func natural(name string) canvas.Size {
	room := canvas.Size{W: 120, H: 40}
	switch pane, _, _ := strings.Cut(name, "-"); pane {
	case "events":
		return canvas.Size{W: 64, H: 16}
	case "planes":
		return canvas.Size{W: 56, H: 14}
	case "lanes", "leases", "needs", "fleet":
		return canvas.Size{W: 56, H: 10}
	case "detail":
		return canvas.Size{W: 90, H: 36}
	case "help":
		return canvas.Size{W: 120, H: 38}
	case "palette":
		return palette().Size(room)
	case "dialog":
		return bulk().Size(room)
	case "form":
		return form().Size(room)
	case "filter":
		return canvas.Size{W: 80, H: 4}
	case "too":
		return canvas.Size{W: 30, H: 6}
	}
	return canvas.Size{W: 100, H: 30}
}

// TestGoldenStates draws every state once, in dark.
func TestGoldenStates(t *testing.T) {
	l := look(themes.Dark())
	for _, sh := range shapes() {
		t.Run(sh.name, func(t *testing.T) {
			s := natural(sh.name)
			check(t, sh.name, sh.draw(s, l), s, l)
		})
	}
}

// TestGoldenThemes draws the states in which a theme shows most.
func TestGoldenThemes(t *testing.T) {
	shown := map[string]bool{
		"events-busy": true, "planes-open": true, "lanes-busy": true, "leases-busy": true, "needs-busy": true,
		"detail-event": true, "palette": true, "dialog-bulk": true, "filter-fault": true,
	}
	for _, th := range []themes.Theme{themes.Light(), themes.Mono(), themes.ANSI()} {
		l := look(th)
		for _, sh := range shapes() {
			if !shown[sh.name] || th.Name == "ansi" && sh.name != "events-busy" && sh.name != "dialog-bulk" {
				continue
			}
			t.Run(sh.name+"-"+th.Name, func(t *testing.T) {
				s := natural(sh.name)
				check(t, sh.name+"-"+th.Name, sh.draw(s, l), s, l)
			})
		}
	}
}

// TestGoldenSizes draws the panes as narrow and as wide as they become.
func TestGoldenSizes(t *testing.T) {
	l := look(themes.Dark())
	for _, sh := range shapes() {
		if !strings.HasSuffix(sh.name, "-busy") && sh.name != "help" && sh.name != "detail-event" {
			continue
		}
		for _, s := range []canvas.Size{{W: 40, H: 9}, {W: 80, H: 21}, {W: 200, H: 30}} {
			name := sh.name + "-" + sizeName(s)
			t.Run(name, func(t *testing.T) { check(t, name, sh.draw(s, l), s, l) })
		}
	}
}

// TestGoldenTimes draws panes with ages only and with clock times only.
func TestGoldenTimes(t *testing.T) {
	for name, times := range map[string]canvas.Times{"ages": canvas.Ages, "clocks": canvas.Clocks} {
		l := look(themes.Dark())
		l.Times = times
		for _, sh := range shapes() {
			if sh.name == "events-busy" || sh.name == "lanes-busy" || sh.name == "leases-busy" {
				t.Run(sh.name+"-"+name, func(t *testing.T) {
					s := natural(sh.name)
					check(t, sh.name+"-"+name, sh.draw(s, l), s, l)
				})
			}
		}
	}
}

// TestGoldenLines draws the lines of one row at several widths, one below the
// other.
func TestGoldenLines(t *testing.T) {
	for _, sh := range lineShapes() {
		t.Run(sh.name, func(t *testing.T) {
			l := look(themes.Dark())
			var b strings.Builder
			for _, w := range []int{40, 80, 120, 160, 200} {
				frame := sh.draw(canvas.Size{W: w, H: 1}, l)
				viewtest.Rules(t, sh.name, frame, w, 1)
				b.WriteString(screen.Golden(screen.Parse(frame, w, 1), l.Theme.Name))
			}
			goldens.Check(t, sh.name, b.String())
		})
	}
}

// cockpit is a whole frame, as the cockpit puts it together.
func cockpit(s canvas.Size, l canvas.Look, focus views.Pane, zoom bool) string {
	show := []views.Pane{views.PaneEvents, views.PanePlanes, views.PaneLanes, views.PaneLeases, views.PaneNeeds}
	lay := views.Arrange(s, show, focus, zoom)
	if lay.TooSmall {
		return views.TooSmall(s, l)
	}
	parts := []canvas.Part{{Rect: lay.Header, Text: header().Draw(s.W, l)}}
	if lay.Tabs.H > 0 {
		parts = append(parts, canvas.Part{Rect: lay.Tabs, Text: views.Tabs{Panes: show, Active: focus, Needs: 3}.Draw(s.W, l)})
	}
	for _, p := range lay.Places {
		c := canvas.Chrome{Focus: p.Pane == focus, Zoom: zoom}
		parts = append(parts, canvas.Part{Rect: p.Rect, Text: pane(p.Pane, c, p.Rect.Size(), l)})
	}
	parts = append(parts, canvas.Part{Rect: lay.Footer, Text: footer().Draw(s.W, l)})
	return canvas.Compose(s, parts)
}

func pane(p views.Pane, c canvas.Chrome, s canvas.Size, l canvas.Look) string {
	switch p {
	case views.PaneEvents:
		rows := busyRows()
		for i := 0; len(rows) < 60; i++ {
			r := rows[i%5]
			r.Event.Seq = int64(10_000 - i)
			rows = append(rows, r)
		}
		return views.Events{Chrome: c, Cursor: cursor(views.NounEvent, "18202"), Rows: rows}.Draw(s, l)
	case views.PanePlanes:
		return views.Planes{Chrome: c, Counts: counts(), Lanes: lanes(), Signals: signals()}.Draw(s, l)
	case views.PaneLanes:
		return views.Lanes{Chrome: c, Cursor: cursor(views.NounDirective, "57"), Lanes: lanes(), Open: map[string]bool{"default": true}}.Draw(s, l)
	case views.PaneLeases:
		return views.Leases{Chrome: c, Taken: taken(), Work: works()}.Draw(s, l)
	}
	return views.Needs{Chrome: c, Needs: needs()}.Draw(s, l)
}

// TestGoldenCockpit draws whole frames.
func TestGoldenCockpit(t *testing.T) {
	ascii := look(themes.Mono())
	ascii.Theme.Name, ascii.Glyphs = "mono-ascii", themes.Plain()
	for _, l := range []canvas.Look{look(themes.Dark()), look(themes.Light()), look(themes.Mono()), look(themes.ANSI()), ascii} {
		for _, s := range []canvas.Size{{W: 80, H: 24}, {W: 120, H: 40}, {W: 200, H: 60}} {
			if (l.Theme.Name == "ansi" || l.Glyphs.ASCII) && s.W != 120 {
				continue
			}
			name := "cockpit-" + sizeName(s) + "-" + l.Theme.Name
			t.Run(name, func(t *testing.T) { check(t, name, cockpit(s, l, views.PaneLanes, false), s, l) })
		}
	}
	l := look(themes.Dark())
	s := canvas.Size{W: 120, H: 40}
	t.Run("needs", func(t *testing.T) { check(t, "cockpit-needs", cockpit(s, l, views.PaneNeeds, false), s, l) })
	t.Run("zoom", func(t *testing.T) { check(t, "cockpit-zoom", cockpit(s, l, views.PaneEvents, true), s, l) })
	t.Run("dialog", func(t *testing.T) {
		box := bulk()
		at := canvas.Centre(s, box.Size(s))
		frame := canvas.Overlay(cockpit(s, l, views.PaneLanes, false), s, box.Draw(at.Size(), l), at)
		check(t, "cockpit-dialog", frame, s, l)
	})
}
