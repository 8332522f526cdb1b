package views

// column is one column of a list, as data. Widths depend on the pane's width
// only: a row that comes must not move the others sideways.
type column struct {
	least, most int  // cells; most 0 makes it take what is left
	rank        int  // the highest leaves first when room is short; 0 stays
	right       bool // numbers stand to the right
}

// arrange returns the width of each column within w cells, with one cell
// between neighbours; 0 for columns that have no room.
func arrange(cols []column, w int) []int {
	out := make([]int, len(cols))
	arrangeInto(out, cols, w)
	return out
}

// arrangeInto is arrange with the result's slice given.
func arrangeInto(out []int, cols []column, w int) {
	in := make([]bool, len(cols))
	for i := range in {
		in[i] = true
		out[i] = 0
	}
	least := func() int {
		sum, n := 0, 0
		for i, c := range cols {
			if in[i] {
				sum += c.least
				n++
			}
		}
		return sum + max(n-1, 0)
	}
	for least() > w {
		worst := -1
		for i, c := range cols {
			if in[i] && c.rank > 0 && (worst < 0 || c.rank > cols[worst].rank) {
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
			out[i] = c.least
			if c.most == 0 {
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
			if in[i] && left > 0 && out[i] < c.most {
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
}
