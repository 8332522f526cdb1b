package canvas

// Column is one column of a list, as data. Widths depend on the pane's width
// only: a row that comes must not move the others sideways.
type Column struct {
	Least, Most int  // cells; Most 0 makes it take what is left
	Rank        int  // the highest leaves first when room is short; 0 stays
	Right       bool // numbers stand to the right
}

// Widths returns the width of each column within w cells, with one cell
// between neighbours; 0 for columns that have no room.
func Widths(cols []Column, w int) []int {
	out, in := make([]int, len(cols)), make([]bool, len(cols))
	for i := range in {
		in[i] = true
	}
	least := func() int {
		sum, n := 0, 0
		for i, c := range cols {
			if in[i] {
				sum += c.Least
				n++
			}
		}
		return sum + max(n-1, 0)
	}
	for least() > w {
		worst := -1
		for i, c := range cols {
			if in[i] && c.Rank > 0 && (worst < 0 || c.Rank > cols[worst].Rank) {
				worst = i
			}
		}
		if worst < 0 {
			break
		}
		in[worst] = false
	}
	left := w - least()
	flex := -1
	for i, c := range cols {
		if in[i] {
			out[i] = c.Least
			if c.Most == 0 {
				flex = i
			}
		}
	}
	if flex >= 0 {
		// The column that takes the rest is read most: it gets two thirds
		// of what is left before the others grow.
		keep := max(left, 0) * 2 / 3
		left -= keep
		out[flex] += keep
	}
	for left > 0 {
		grown := false
		for i, c := range cols {
			if in[i] && left > 0 && out[i] < c.Most {
				out[i]++
				left--
				grown = true
			}
		}
		if !grown {
			break
		}
	}
	if left > 0 && flex >= 0 {
		out[flex] += left
	}
	return out
}
