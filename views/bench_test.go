package views_test

import (
	"testing"

	"binnacle/keymap"
	"binnacle/themes"
	"binnacle/views"
	"binnacle/views/canvas"
	"binnacle/views/dialog"
)

func BenchmarkViews(b *testing.B) {
	l := look(themes.Dark())
	for _, sh := range shapes() {
		s := canvas.Size{W: 84, H: 30}
		b.Run(sh.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				sh.draw(s, l)
			}
		})
	}
}

// BenchmarkCockpit builds whole frames. The goal at 200x60 is 1.5 ms.
func BenchmarkCockpit(b *testing.B) {
	l := look(themes.Dark())
	for _, s := range []canvas.Size{{W: 80, H: 24}, {W: 120, H: 40}, {W: 200, H: 60}} {
		b.Run(sizeName(s), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				cockpit(s, l, views.PaneLanes, false)
			}
		})
	}
}

func BenchmarkOverlay(b *testing.B) {
	l, s := look(themes.Dark()), canvas.Size{W: 200, H: 60}
	base, d := cockpit(s, l, views.PaneLanes, false), bulk()
	at := canvas.Centre(s, d.Size(s))
	box := d.Draw(at.Size(), l)
	b.ReportAllocs()
	for b.Loop() {
		canvas.Overlay(base, s, box, at)
	}
}

func BenchmarkHelp(b *testing.B) {
	l, m := look(themes.Dark()), keymap.Default()
	b.ReportAllocs()
	for b.Loop() {
		dialog.Help{Map: m}.Draw(canvas.Size{W: 120, H: 38}, l)
	}
}
