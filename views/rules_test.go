package views_test

import (
	"testing"

	"pgregory.net/rapid"

	"binnacle/themes"
	"binnacle/views/canvas"
	"binnacle/views/viewtest"
)

func looks() []canvas.Look {
	var out []canvas.Look
	for _, t := range []themes.Theme{themes.Dark(), themes.Light(), themes.ANSI(), themes.Mono()} {
		out = append(out, look(t))
	}
	ascii := look(themes.Dark())
	ascii.Glyphs, ascii.Times = themes.Plain(), canvas.Clocks
	ages := look(themes.Mono())
	ages.Times = canvas.Ages
	return append(out, ascii, ages)
}

// TestEverySizeKeepsTheRules draws every view in every state at small sizes,
// where edges meet.
func TestEverySizeKeepsTheRules(t *testing.T) {
	l := looks()
	for _, sh := range shapes() {
		t.Run(sh.name, func(t *testing.T) {
			for w := 0; w <= 44; w++ {
				for h := 0; h <= 14; h += 1 + h/6 {
					viewtest.Rules(t, sh.name, sh.draw(canvas.Size{W: w, H: h}, l[(w+h)%len(l)]), w, h)
				}
			}
		})
	}
	for _, sh := range lineShapes() {
		t.Run(sh.name, func(t *testing.T) {
			for w := 0; w <= 250; w++ {
				viewtest.Rules(t, sh.name, sh.draw(canvas.Size{W: w, H: 1}, l[w%len(l)]), w, 1)
			}
		})
	}
}

func TestAnySizeKeepsTheRules(t *testing.T) {
	l, all := looks(), append(shapes(), lineShapes()...)
	rapid.Check(t, func(t *rapid.T) {
		sh := rapid.SampledFrom(all).Draw(t, "view")
		s := canvas.Size{W: rapid.IntRange(1, 250).Draw(t, "w"), H: rapid.IntRange(1, 80).Draw(t, "h")}
		if len(sh.name) > 5 && (sh.name[:4] == "head" || sh.name[:4] == "foot") || sh.name == "tabs" {
			s.H = 1
		}
		viewtest.Rules(t, sh.name, sh.draw(s, rapid.SampledFrom(l).Draw(t, "look")), s.W, s.H)
	})
}
