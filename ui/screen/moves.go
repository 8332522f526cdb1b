package screen

// move says that the lines from top to bottom (not included) go up by n, or
// down when n is negative.
type move struct{ top, bottom, n int }

// moves is what the search for moved lines needs to work without allocating.
type moves struct {
	hash  [2][]uint64 // of each block of cells, before and after
	votes []int32
	rows  []*row
	blank *row
	stay  []int // what a line costs where nothing moves
	moved []int // what it costs once the line it came from is there
	fresh []int // what it costs on a blank line
	sum   []int
	best  []int // the most that is saved from a line on
	until []int // where the move that starts at a line ends, 0 for none
}

// block is how many cells are compared at once to find out what moved: wide
// enough to tell texts apart, narrow enough that a pane has some of its own.
const block = 8

// tryMoves looks for lines that moved, and keeps what is written after moving
// them when it is shorter. A move takes whole lines, so what stands beside the
// text that scrolled has to be put back: whether that pays is found out by
// doing it. It returns the moves that are best, none for none, and leaves the
// spans that are left to write after them.
func (d *differ) tryMoves(from, to *Grid) []move {
	const enough = 40 // bytes below which no move is worth its own sequences
	if len(d.best) < enough || to.h < 3 {
		return nil
	}
	var best []move
	for _, n := range d.moves.vote(from.rows, to.rows) {
		if n == 0 {
			continue
		}
		found := d.moves.regions(from.rows, to.rows, n)
		if len(found) == 0 {
			continue
		}
		before := len(d.best)
		d.gather(d.moves.apply(from.rows, found), to.rows)
		d.paint(to, found, usual())
		if len(d.best) < before {
			best = found
		}
	}
	if best != nil {
		d.gather(d.moves.apply(from.rows, best), to.rows)
	} else {
		d.gather(from.rows, to.rows)
	}
	return best
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
	if 2*m.votes[best[1]+h] < m.votes[best[0]+h] {
		best[1] = 0 // far behind: chance
	}
	return best
}

// opCost is about what the sequences of one move take.
const opCost = 16

// regions finds the parts of the screen to move by n so that most is saved.
// Where moving would destroy more beside the text than it saves, a part is left
// out; each part costs its sequences and n lines written on blank ones.
func (m *moves) regions(from, to []*row, n int) []move {
	h := len(to)
	m.weigh(from, to, n)
	m.best, m.until = sized(m.best, h+1), sized(m.until, h+1)
	size := max(n, -n)
	m.best[h], m.until[h] = 0, 0
	for y := h - 1; y >= 0; y-- {
		m.best[y], m.until[y] = m.best[y+1], 0
		for end := y + size + 1; end <= h; end++ {
			// Of the lines y to end, size are blank after the move: the last
			// ones when the text goes up, the first ones when it goes down.
			fresh := end - size
			if n < 0 {
				fresh = y
			}
			saved := m.sum[end] - m.sum[y] - opCost
			for i := fresh; i < fresh+size; i++ {
				saved += m.moved[i] - m.fresh[i]
			}
			if saved += m.best[end]; saved > m.best[y] {
				m.best[y], m.until[y] = saved, end
			}
		}
	}
	var found []move
	for y := 0; y < h; {
		if m.until[y] == 0 {
			y++
			continue
		}
		found = append(found, move{top: y, bottom: m.until[y], n: n})
		y = m.until[y]
	}
	return found
}

// weigh sets what each line costs in either case; sum[y] is what the lines
// before y save by moving.
func (m *moves) weigh(from, to []*row, n int) {
	h := len(to)
	m.stay, m.moved, m.fresh, m.sum = sized(m.stay, h), sized(m.moved, h), sized(m.fresh, h), sized(m.sum, h+1)
	blank := m.blankRow(len(to[0].cells))
	m.sum[0] = 0
	for y := range to {
		m.stay[y] = roughCost(from[y], to[y])
		m.fresh[y] = roughCost(blank, to[y])
		m.moved[y] = m.fresh[y]
		if src := y + n; src >= 0 && src < h {
			m.moved[y] = roughCost(from[src], to[y])
		}
		m.sum[y+1] = m.sum[y] + m.stay[y] - m.moved[y]
	}
}

// sized returns a slice of n elements, the old one where it is large enough.
func sized(s []int, n int) []int {
	if cap(s) < n {
		return make([]int, n)
	}
	return s[:n]
}

func (m *moves) blankRow(w int) *row {
	if m.blank == nil || len(m.blank.cells) != w {
		m.blank = newBlankRow(w)
	}
	return m.blank
}

// apply returns the lines as they are after the moves, which do not overlap.
func (m *moves) apply(from []*row, done []move) []*row {
	blank := m.blankRow(len(from[0].cells))
	m.rows = append(m.rows[:0], from...)
	for _, mv := range done {
		for y := mv.top; y < mv.bottom; y++ {
			if src := y + mv.n; src >= mv.top && src < mv.bottom {
				m.rows[y] = from[src]
			} else {
				m.rows[y] = blank
			}
		}
	}
	return m.rows
}

// roughCost estimates the bytes that turn one line into another: those of the
// cells that differ, and a jump for each run of them.
func roughCost(old, new *row) int {
	const jump = 5
	if old == new {
		return 0
	}
	from, to := old.cells, new.cells
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
