package ui

// list is the state of a pane that shows rows: where the cursor is, what is
// marked, and which row stands at the top. Everything is by identity: rows may
// come, go and change places between two frames, and the cursor stays on its
// record. When the record vanishes the cursor moves to the row that took its
// place.
// The zero K is nobody's identity.
type list[K comparable] struct {
	ids    []K // the rows as they are now
	cursor K   // identity of the selected row
	at     int // index of cursor in ids
	top    int // first visible row
	height int // visible rows
	marks  map[K]bool
}

// set gives the list its rows. It returns how many marked rows vanished.
func (l *list[K]) set(ids []K) int {
	l.ids = ids
	l.find()
	if len(l.marks) == 0 {
		return 0
	}
	here := make(map[K]bool, len(ids))
	for _, id := range ids {
		here[id] = true
	}
	gone := 0
	for id := range l.marks {
		if !here[id] {
			delete(l.marks, id)
			gone++
		}
	}
	return gone
}

// find puts the index where the cursor's record is now, or onto the neighbour
// when it is gone.
func (l *list[K]) find() {
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

// selectID puts the cursor on the record and says whether it is there.
func (l *list[K]) selectID(id K) bool {
	for i, x := range l.ids {
		if x == id {
			l.to(i)
			return true
		}
	}
	return false
}

// none says whether no row is selected.
func (l *list[K]) none() bool {
	var zero K
	return l.cursor == zero
}

// toggle marks or unmarks the cursor's row.
func (l *list[K]) toggle() {
	if l.none() {
		return
	}
	if l.marks[l.cursor] {
		delete(l.marks, l.cursor)
		return
	}
	if l.marks == nil {
		l.marks = map[K]bool{}
	}
	l.marks[l.cursor] = true
}

// targets lists what an action applies to: the marked rows in their order on
// the screen, else the cursor's row.
func (l *list[K]) targets() []K {
	var out []K
	if len(l.marks) > 0 {
		for _, id := range l.ids {
			if l.marks[id] {
				out = append(out, id)
			}
		}
		return out
	}
	if !l.none() {
		out = append(out, l.cursor)
	}
	return out
}
