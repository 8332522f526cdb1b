package pane

import "binnacle/views/canvas"

// list is where a pane with rows is looked at: where the cursor is, and which
// row stands at the top. Everything is by identity: rows may come, go and change
// places between two frames, and the cursor stays on its record. When the record
// vanishes the cursor moves to the row that took its place.
// The zero K is nobody's identity.
type list[K comparable] struct {
	ids    []K // the rows as they are now
	cursor K   // identity of the selected row
	at     int // index of cursor in ids
	top    int // first visible row
	height int // visible rows
}

// set gives the list its rows. It puts the index where the cursor's record is
// now, or onto the neighbour when it is gone.
func (l *list[K]) set(ids []K) {
	l.ids = ids
	if len(l.ids) == 0 {
		var none K
		l.cursor, l.at, l.top = none, 0, 0
		return
	}
	if l.at < len(l.ids) && l.ids[max(l.at, 0)] == l.cursor {
		l.scroll()
		return
	}
	for i, id := range l.ids {
		if id == l.cursor {
			l.top += i - l.at // keep the row where it was on the screen
			l.at = i
			l.scroll()
			return
		}
	}
	l.at = min(max(l.at, 0), len(l.ids)-1)
	l.cursor = l.ids[l.at]
	l.scroll()
}

// scroll keeps the cursor visible.
func (l *list[K]) scroll() {
	if l.height < 1 {
		l.top = l.at
		return
	}
	if l.at < l.top {
		l.top = l.at
	}
	if l.at >= l.top+l.height {
		l.top = l.at - l.height + 1
	}
	l.top = max(0, min(l.top, len(l.ids)-l.height))
}

// size tells the list how many rows it can show.
func (l *list[K]) size(height int) {
	l.height = height
	l.scroll()
}

// move takes the cursor by n rows and says whether it moved.
func (l *list[K]) move(n int) bool { return l.to(l.at + n) }

// to puts the cursor on row i, as near as there is one, and says whether it
// moved.
func (l *list[K]) to(i int) bool {
	if len(l.ids) == 0 {
		return false
	}
	i = max(0, min(i, len(l.ids)-1))
	moved := i != l.at
	l.at, l.cursor = i, l.ids[i]
	l.scroll()
	return moved
}

// none says whether no row is selected.
func (l *list[K]) none() bool {
	var zero K
	return l.cursor == zero
}

// Height is how many rows are visible.
func (l *list[K]) Height() int { return l.height }

// rows is how many rows a box of the size shows inside of its border.
func rows(s canvas.Size) int {
	if s.H < 3 || s.W < 4 {
		return max(s.H, 0)
	}
	return s.H - 2
}
