package pane

import (
	tea "github.com/charmbracelet/bubbletea"

	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/views"
	"binnacle/views/canvas"
)

// Leases is what is held and for how long: taken directives and claimed work.
type Leases struct{ records }

// Name is the pane's number.
func (*Leases) Name() views.Pane { return views.PaneLeases }

// Show takes a new instant.
func (p *Leases) Show(s desk.Snapshot) (gone int, cmd tea.Cmd) {
	p.snap = s
	var ids []views.ID
	for _, r := range p.view().Rows() {
		ids = append(ids, r.ID())
	}
	return p.fill(ids), nil
}

func (p *Leases) view() views.Leases {
	s := &p.snap
	more := s.Counts.Get(model.PlaneWork, model.WorkClaimed) - int64(len(s.Work)) - int64(len(s.Taken))
	for i := range s.Lanes {
		more += s.Lanes[i].Taken
	}
	return views.Leases{Taken: s.Taken, Work: s.Work, More: max(more, 0), Clocks: s.Clocks}
}

// Draw draws the pane.
func (p *Leases) Draw(ch canvas.Chrome, s canvas.Size, look *canvas.Look) string {
	v := p.view()
	v.Chrome, v.Cursor = ch, p.look()
	return v.Draw(s, *look)
}

// Step waits for what remains of the leases.
func (p *Leases) Step(w *Wait) {
	for i := range p.snap.Taken {
		w.Lease(p.snap.Taken[i].Term())
	}
	for i := range p.snap.Work {
		w.Lease(p.snap.Work[i].Term())
	}
}
