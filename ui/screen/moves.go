package screen

// move says that the lines from top to bottom (not included) go up by n, or
// down when n is negative.
type move struct{ top, bottom, n int }

// moves is what the search for moved lines needs to work without allocating.
type moves struct {
	hash  [2][]uint64 // of each block of cells, before and after
	votes []int32
	gain  []int
	rows  []*row
	blank *row
}

// block is how many cells are compared at once to find out what moved: wide
// enough to tell texts apart, narrow enough that a pane has some of its own.
const block = 8

// tryMoves looks for lines that moved, and keeps what is written after moving
// them when it is shorter. A move takes whole lines, so what stands beside the
// text that scrolled has to be put back: whether that pays is found out by
// doing it.
func (d *differ) tryMoves(from, to *Grid) {
	const enough = 40 // bytes below which no move is worth its own sequences
	if len(d.best) < enough || to.h < 3 {
		return
	}
	for _, n := range d.moves.vote(from.rows, to.rows) {
		if n == 0 {
			continue
		}
		m, ok := d.moves.region(from.rows, to.rows, n)
		if !ok {
			continue
		}
		d.gather(d.moves.apply(from.rows, m), to.rows)
		d.paint(to, &m)
	}
}

// vote returns the two distances by which most blocks moved, 0 for none.
func (m *moves) vote(from, to []*row) [2]int {
	h, w := len(to), len(to[0].cells)
	cols := (w + block - 1) / block
	for i, rows := range [][]*row{from, to} {
		m.hash[i] = m.hash[i][:0]
		for _, r := range rows {
			for x := 0; x < w; x += block {
				m.hash[i] = append(m.hash[i], hashCells(r.cells[x:min(x+block, w)]))
			}
		}
	}
	if cap(m.votes) < 2*h {
		m.votes = make([]int32, 2*h)
	}
	m.votes = m.votes[:2*h]
	clear(m.votes)
	// Blank is found everywhere and tells nothing.
	none := hashCells(newBlankRow(block).cells)
	for y := range to {
		if from[y] == to[y] {
			continue
		}
		for c := range cols {
			want := m.hash[1][y*cols+c]
			if want == m.hash[0][y*cols+c] || want == none {
				continue
			}
			for src := range from {
				if src != y && m.hash[0][src*cols+c] == want {
					m.votes[src-y+h]++
				}
			}
		}
	}
	var best [2]int
	for i, v := range m.votes {
		n := i - h
		switch {
		case v < 3:
		case best[0] == 0 || v > m.votes[best[0]+h]:
			best[0], best[1] = n, best[0]
		case best[1] == 0 || v > m.votes[best[1]+h]:
			best[1] = n
		}
	}
	return best
}

// region finds the lines for which a move by n saves most: the run of lines
// with the largest sum of what each gains.
func (m *moves) region(from, to []*row, n int) (move, bool) {
	h := len(to)
	best, sum, start := 0, 0, 0
	var found move
	for y := range to {
		src := y + n
		if src < 0 || src >= h {
			sum, start = 0, y+1
			continue
		}
		gain := roughCost(from[y].cells, to[y].cells) - roughCost(from[src].cells, to[y].cells)
		if sum <= 0 {
			sum, start = 0, y
		}
		if sum += gain; sum > best {
			best = sum
			found = move{top: start, bottom: y + 1, n: n}
		}
	}
	if best == 0 {
		return move{}, false
	}
	// The lines whose text moves away belong to the region.
	if n > 0 {
		found.bottom = min(found.bottom+n, h)
	} else {
		found.top = max(found.top+n, 0)
	}
	return found, true
}

// apply returns the lines as they are after a move.
func (m *moves) apply(from []*row, mv move) []*row {
	if w := len(from[0].cells); m.blank == nil || len(m.blank.cells) != w {
		m.blank = newBlankRow(w)
	}
	m.rows = append(m.rows[:0], from...)
	for y := mv.top; y < mv.bottom; y++ {
		if src := y + mv.n; src >= mv.top && src < mv.bottom {
			m.rows[y] = from[src]
		} else {
			m.rows[y] = m.blank
		}
	}
	return m.rows
}

// roughCost estimates the bytes that turn one line into another: those of the
// cells that differ, and a jump for each run of them.
func roughCost(from, to []Cell) int {
	const jump = 5
	cost := 0
	run := false
	for x := range to {
		if from[x] == to[x] {
			run = false
			continue
		}
		cost += max(len(to[x].Content), 1)
		if !run {
			cost += jump
		}
		run = true
	}
	return cost
}

// hashCells is FNV-1a over what the cells show.
func hashCells(cells []Cell) uint64 {
	const prime = 1099511628211
	h := uint64(14695981039346656037)
	for i := range cells {
		c := &cells[i]
		for j := 0; j < len(c.Content); j++ {
			h = (h ^ uint64(c.Content[j])) * prime
		}
		h = (h ^ uint64(c.Style.FG)) * prime
		h = (h ^ uint64(c.Style.BG)<<8 ^ uint64(c.Style.Attrs)) * prime
	}
	return h
}
