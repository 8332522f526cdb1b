package pane

import (
	tea "github.com/charmbracelet/bubbletea"

	"binnacle/model/desk"
	"binnacle/ui/record"
	"binnacle/views"
	"binnacle/views/canvas"
)

// Set is all panes: which there are, where they stand, and which one has the
// keys.
type Set struct {
	panes  []Pane // in the order of their numbers
	look   *canvas.Look
	size   canvas.Size
	layout views.Layout
	focus  Pane
	zoom   bool
}

// NewSet makes a set that is looked at like look says at the time. The first
// pane has the keys.
func NewSet(look *canvas.Look, panes ...Pane) *Set {
	return &Set{panes: panes, look: look, focus: panes[0]}
}

// Show hands a new instant to the panes and returns how many marks went with
// rows that vanished, and what is to be read now.
func (s *Set) Show(snap desk.Snapshot) (gone int, cmd tea.Cmd) {
	cmds := make([]tea.Cmd, len(s.panes))
	for i, p := range s.panes {
		n, cmd := p.Show(snap)
		gone, cmds[i] = gone+n, cmd
	}
	s.arrange() // how many signals have room depends on the counts
	return gone, tea.Batch(cmds...)
}

// Update hands a message to the panes.
func (s *Set) Update(msg tea.Msg) tea.Cmd {
	var cmds []tea.Cmd
	for _, p := range s.panes {
		if cmd := p.Update(msg); cmd != nil {
			cmds = append(cmds, cmd)
		}
	}
	return tea.Batch(cmds...)
}

// Resize lays the panes out on a screen.
func (s *Set) Resize(size canvas.Size) {
	s.size = size
	s.arrange()
}

// Names lists the panes that there are.
func (s *Set) Names() []views.Pane {
	var out []views.Pane
	for _, p := range s.panes {
		if p.Shown() {
			out = append(out, p.Name())
		}
	}
	return out
}

// arrange lays the panes out and tells them how large they are.
func (s *Set) arrange() {
	s.layout = views.Arrange(s.size, s.Names(), s.focus.Name(), s.zoom)
	for _, p := range s.panes {
		r, _ := s.layout.Of(p.Name())
		p.Resize(r.Size(), p == s.focus, s.look)
	}
}

// Layout is where everything stands.
func (s *Set) Layout() views.Layout { return s.layout }

// Parts draws the panes. active says that keys go to the pane with the focus,
// and not to something that lies over it; ch is what all borders say.
func (s *Set) Parts(active bool, ch canvas.Chrome) []canvas.Part {
	parts := make([]canvas.Part, 0, len(s.panes)+3)
	for _, at := range s.layout.Places {
		ch.Focus = active && at.Pane == s.focus.Name()
		ch.Zoom = s.zoom && at.Pane == s.focus.Name()
		parts = append(parts, canvas.Part{Rect: at.Rect, Text: s.of(at.Pane).Draw(ch, at.Rect.Size(), s.look)})
	}
	return parts
}

// Step tells w when something in the panes will be written differently.
func (s *Set) Step(w *Wait) {
	for _, p := range s.panes {
		p.Step(w)
	}
}

func (s *Set) of(name views.Pane) Pane {
	for _, p := range s.panes {
		if p.Name() == name {
			return p
		}
	}
	return nil
}

// Focus is the pane that has the keys.
func (s *Set) Focus() Pane { return s.focus }

// SetFocus gives the keys to a pane.
func (s *Set) SetFocus(name views.Pane) {
	if p := s.of(name); p != nil {
		s.focus = p
		s.arrange()
	}
}

// Cycle gives the keys to the next pane (1) or to the one before (-1).
func (s *Set) Cycle(n int) {
	all := s.Names()
	if s.size.W >= views.TwoColumns && !s.zoom {
		all = all[:0]
		for _, p := range s.layout.Places {
			all = append(all, p.Pane)
		}
	}
	if len(all) == 0 {
		return
	}
	for i, p := range all {
		if p == s.focus.Name() {
			s.SetFocus(all[(i+n+len(all))%len(all)])
			return
		}
	}
	s.SetFocus(all[0])
}

// Beside gives the keys to the nearest pane on the left (-1) or on the right (1).
func (s *Set) Beside(side int) {
	at, ok := s.layout.Of(s.focus.Name())
	if !ok || len(s.layout.Places) < 2 {
		s.Cycle(side)
		return
	}
	abs := func(n int) int { return max(n, -n) }
	best, distance := views.Pane(0), 1<<30
	for _, p := range s.layout.Places {
		r := p.Rect
		if side > 0 && r.X < at.X+at.W || side < 0 && r.X+r.W > at.X {
			continue
		}
		d := abs(r.X-at.X)*4 + abs(r.Y-at.Y)
		if d < distance {
			best, distance = p.Pane, d
		}
	}
	if best != 0 {
		s.SetFocus(best)
	}
}

// Zoomed says whether the pane with the keys fills the screen.
func (s *Set) Zoomed() bool { return s.zoom }

// Zoom makes the pane with the keys fill the screen, or not.
func (s *Set) Zoom(on bool) {
	s.zoom = on
	s.arrange()
}

// Hit gives the keys to the pane at a cell and returns it, and which of its
// lines was hit, 0 the first below its border, -1 for the border.
func (s *Set) Hit(x, y int) (p Pane, line int, ok bool) {
	at, _, dy, ok := s.layout.At(x, y)
	if !ok {
		return nil, 0, false
	}
	s.SetFocus(at.Pane)
	if line = dy - 1; line >= at.Rect.H-2 {
		line = -1
	}
	return s.focus, line, true
}

// Target is what the cursor of the pane with the keys is on.
func (s *Set) Target() (record.Target, bool) { return s.focus.Target() }

// Marked counts the rows that are marked, in all panes.
func (s *Set) Marked() int {
	n := 0
	for _, p := range s.panes {
		if m := p.Marks(); m != nil {
			n += len(m.on)
		}
	}
	return n
}

// Unmark takes the mark of one record away, in whatever pane it has one.
func (s *Set) Unmark(id views.ID) {
	for _, p := range s.panes {
		if m := p.Marks(); m != nil {
			delete(m.on, id)
		}
	}
}

// UnmarkAll takes all marks away and returns how many there were.
func (s *Set) UnmarkAll() int {
	n := s.Marked()
	for _, p := range s.panes {
		if m := p.Marks(); m != nil {
			m.on = nil
		}
	}
	return n
}

// Mark marks the row under the cursor, or takes its mark, and goes to the next
// one.
func (s *Set) Mark() tea.Cmd {
	if t, ok := s.Target(); ok && s.focus.Marks() != nil {
		s.focus.Marks().Toggle(t.ID)
	}
	return s.focus.Move(1)
}
