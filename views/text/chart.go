package text

import (
	"math"
	"strings"
)

// Spark draws one cell for each value, its height in proportion to the largest.
// Values that are negative or no number count as 0. With ascii it uses
// characters of rising weight.
func Spark(values []float64, ascii bool) string {
	levels := []string{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}
	if ascii {
		levels = []string{"_", ".", "-", "=", "+", "*", "%", "#"}
	}
	top := 0.0
	for _, v := range values {
		if !math.IsInf(v, 0) {
			top = max(top, finite(v))
		}
	}
	var b strings.Builder
	b.Grow(3 * len(values))
	for _, v := range values {
		i := 0
		switch {
		case math.IsInf(v, 1):
			i = len(levels) - 1
		case top > 0:
			i = int(math.Round(finite(v) / top * float64(len(levels)-1)))
		}
		b.WriteString(levels[min(max(i, 0), len(levels)-1)])
	}
	return b.String()
}

// Bar draws a bar of w cells, fraction of it full (below 0 and above 1 are
// clamped, no number is 0). A bar that is not empty shows at least one full
// cell, and one that is not full at least one empty cell, when w allows.
func Bar(fraction float64, w int, ascii bool) string {
	if w <= 0 {
		return ""
	}
	full, empty := "█", "░"
	if ascii {
		full, empty = "#", "-"
	}
	f := min(finite(fraction), 1)
	n := int(math.Round(f * float64(w)))
	if f > 0 && n == 0 {
		n = 1
	}
	if f < 1 && n == w && w > 1 {
		n = w - 1
	}
	return strings.Repeat(full, n) + strings.Repeat(empty, w-n)
}

// finite maps what can't be drawn to 0 and leaves the rest.
func finite(v float64) float64 {
	if math.IsNaN(v) || v < 0 {
		return 0
	}
	return v
}
