package views

// Noun says what a row stands for.
type Noun string

// What rows stand for.
const (
	NounEvent     Noun = "event"
	NounSignal    Noun = "signal"
	NounDirective Noun = "directive"
	NounWork      Noun = "work"
	NounLane      Noun = "lane"
	NounSession   Noun = "session"
	NounMachine   Noun = "machine"
)

// ID is who a row is, whatever its place. The zero ID is nobody.
type ID struct {
	Noun Noun
	Key  string // an event's sequence number, a directive's id, a signal's key …
}

// Ref is a row's record as it was on screen.
type Ref struct {
	ID
	Rev   int64  // 0 where the record has none
	State string // "" where it has none
}

// Cursor is where a list is looked at.
type Cursor struct {
	At    ID          // the row under the cursor; the zero ID is none
	Top   int         // index of the row on the first line; corrected so that At is seen
	Marks map[ID]bool // rows that were marked
}

// find returns the index of the row that is id, -1 when there is none.
func find(id ID, n int, who func(int) ID) int {
	if id == (ID{}) {
		return -1
	}
	for i := range n {
		if who(i) == id {
			return i
		}
	}
	return -1
}
