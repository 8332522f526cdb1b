package queue

import (
	"slices"
	"sync"

	"binnacle/backend/store"
	"binnacle/model/directive"
)

// memo remembers, from one write to the next, the front of the lanes' lines and
// whether anything waits for another directive at all.
//
// Everything is an event, and the head's hash stands for every event before it.
// So what was read when the head was h is true as long as the head is h, in
// whatever transaction and whoever wrote meanwhile; a write that rolled back or
// another process's commit leave another head, and the memo is empty. An
// operation that knows what its own event changes carries the memo over to the
// new head. There is nothing to invalidate, and nothing to get wrong by
// forgetting to.
type memo struct {
	mu       sync.Mutex // writes run one at a time; this says so to the race detector
	head     string
	lanes    map[string][]place // the front of the line, in order; absent is unknown
	noBlocks bool               // nothing waits for another directive
}

// place is where a pending directive stands in its lane.
type place struct {
	priority directive.Priority
	id       int64
}

// memoFront is how many places of a lane are read at a time.
const memoFront = 64

// memoLanes bounds the lanes that are remembered.
const memoLanes = 64

// at empties the memo unless it belongs to the head of r.
func (m *memo) at(r store.Reader) error {
	h, err := r.Head()
	if err != nil {
		return err
	}
	if m.head != h.Hash || h.Seq == 0 {
		m.head, m.noBlocks = h.Hash, false
		clear(m.lanes)
	}
	return nil
}

// front returns the id of the first pending directive of the lane by priority
// and id, or 0.
func (m *memo) front(r store.Reader, lane string) (int64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.at(r); err != nil {
		return 0, err
	}
	if line := m.lanes[lane]; len(line) > 0 {
		return line[0].id, nil
	}
	line, err := readPlaces(r, lane, memoFront)
	if err != nil || len(line) == 0 {
		return 0, err
	}
	if m.lanes == nil || len(m.lanes) >= memoLanes {
		m.lanes = map[string][]place{}
	}
	m.lanes[lane] = line
	return line[0].id, nil
}

// blocksNothing says whether no directive waits for another.
func (m *memo) blocksNothing(r store.Reader) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.at(r); err != nil || m.noBlocks {
		return m.noBlocks, err
	}
	some, err := idsOf(r, sqlSomeBlock)
	m.noBlocks = err == nil && len(some) == 0
	return m.noBlocks, err
}

const sqlSomeBlock = `SELECT id FROM directive_blocks LIMIT 1`

// carry takes the memo over an operation's own event: before is the head that
// it was appended to. What the event did to the lines has to be known.
func (m *memo) carry(before string, r store.Reader, c Change) error {
	h, err := r.Head()
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.head != before || !m.follows(c) {
		return nil // it empties itself at its next use
	}
	m.head = h.Hash
	return nil
}

// follows brings the lines up to date with a change, or says that it can't.
func (m *memo) follows(c Change) bool {
	d := c.After
	line, known := m.lanes[d.Lane]
	switch c.Action {
	case "take":
		if !known {
			return true
		}
		if line[0].id != d.ID {
			return false
		}
		m.lanes[d.Lane] = line[1:]
		if len(line) == 1 {
			delete(m.lanes, d.Lane) // unknown what comes behind
		}
		return true
	case "done", "touch":
		return true
	case "push":
		if c.Before.ID != 0 {
			return false // an import's, which chose its id
		}
		// The newest of its priority goes behind all others of it, so what stands
		// before that place still does; what comes after is not known any more.
		if known {
			cut := slices.IndexFunc(line, func(p place) bool { return p.priority > d.Priority })
			if cut == 0 {
				delete(m.lanes, d.Lane)
			} else if cut > 0 {
				m.lanes[d.Lane] = line[:cut]
			}
		}
		return true
	}
	return false
}
