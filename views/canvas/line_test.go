package canvas

import (
	"testing"

	"pgregory.net/rapid"

	"binnacle/themes"
	"binnacle/views/text"
)

// TestLineIsExact: whatever is put on a line, also pieces that join their
// neighbours to one character, it is as wide as it must be.
func TestLineIsExact(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "word", "🇫", "🇷", "日", "👩", "\u200d", "e", "\u0301", "❤", "\ufe0f", "─", ""})
	look := Look{Theme: themes.Dark(), Glyphs: themes.Unicode()}
	styles := []themes.Style{{}, look.Theme.OK, look.Theme.Selected}
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.IntRange(0, 24).Draw(t, "w")
		ln := NewLine(w, &look)
		ln.Base = rapid.SampledFrom(styles).Draw(t, "base")
		for range rapid.IntRange(0, 8).Draw(t, "pieces") {
			st, s := rapid.SampledFrom(styles).Draw(t, "style"), piece.Draw(t, "piece")
			switch rapid.IntRange(0, 3).Draw(t, "how") {
			case 0:
				ln.Put(st, s)
			case 1:
				ln.Cell(st, s, rapid.IntRange(-1, 5).Draw(t, "cells"), rapid.Bool().Draw(t, "right"))
			case 2:
				ln.Gap(rapid.IntRange(-1, 3).Draw(t, "gap"))
			default:
				ln.Marked(st, look.Theme.Match, s+"ab"+s, []string{"B", s}, rapid.IntRange(0, 9).Draw(t, "cells"))
			}
			if ln.Used > w {
				t.Fatalf("%d of %d cells are used", ln.Used, w)
			}
		}
		if got := ln.End(); text.Width(got) != w {
			t.Fatalf("%q is %d cells, want %d", got, text.Width(got), w)
		}
	})
}

func TestThumb(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := rapid.IntRange(0, 50).Draw(t, "h")
		total := rapid.Int64Range(0, 1e12).Draw(t, "total")
		first := rapid.Int64Range(-5, total+5).Draw(t, "first")
		from, to := Thumb(total, first, h)
		if from < 0 || to > max(h, 0) || from > to {
			t.Fatalf("thumb(%d, %d, %d) = %d, %d", total, first, h, from, to)
		}
		if all := h <= 0 || total <= int64(h); all != (to == 0) {
			t.Fatalf("thumb(%d, %d, %d) = %d, %d", total, first, h, from, to)
		}
		if to > 0 && first >= total-int64(h) && to != h {
			t.Fatalf("thumb(%d, %d, %d) = %d, %d: the end does not show", total, first, h, from, to)
		}
		if to > 0 && h > 1 && first > 0 && from == 0 {
			t.Fatalf("thumb(%d, %d, %d) = %d, %d: the beginning shows falsely", total, first, h, from, to)
		}
	})
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", 18204: "18,204", -1234567: "-1,234,567"} {
		if got := Thousands(n); got != want {
			t.Errorf("thousands(%d) = %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int64]string{999: "999", 1000: "1.0k", 18204: "18.2k", 104_999: "104k", 18_250_000: "18.2M", 9e18: "9.0E"} {
		if got := Short(n); got != want {
			t.Errorf("short(%d) = %s, want %s", n, got, want)
		}
	}
	for f, want := range map[float64]string{0: "0/s", -1: "0/s", 0.01: "0.1/s", 0.44: "0.4/s", 9.96: "10/s", 42.4: "42/s", 20000: "20,000/s", 1e18: "many/s"} {
		if got := PerSecond(f); got != want {
			t.Errorf("perSecond(%v) = %s, want %s", f, got, want)
		}
	}
	for n, want := range map[int64]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 112: "112th", 122: "122nd"} {
		if got := Ordinal(n); got != want {
			t.Errorf("ordinal(%d) = %s, want %s", n, got, want)
		}
	}
}
