package pane

import (
	tea "github.com/charmbracelet/bubbletea"

	"binnacle/model/desk"
	"binnacle/views"
	"binnacle/views/canvas"
)

// Needs is what asks for an operator.
type Needs struct{ records }

// Name is the pane's number.
func (*Needs) Name() views.Pane { return views.PaneNeeds }

// Show takes a new instant.
func (p *Needs) Show(s desk.Snapshot) (gone int, cmd tea.Cmd) {
	p.snap = s
	var ids []views.ID
	for _, r := range p.view().Rows() {
		ids = append(ids, r.ID)
	}
	return p.fill(ids), nil
}

func (p *Needs) view() views.Needs {
	return views.Needs{Needs: p.snap.Needs, More: p.snap.MoreNeeds}
}

// Round takes the cursor by n rows, from the last one on to the first.
func (p *Needs) Round(n int) {
	p.to((p.at + n + len(p.ids)) % max(len(p.ids), 1))
}

// Draw draws the pane.
func (p *Needs) Draw(ch canvas.Chrome, s canvas.Size, look *canvas.Look) string {
	v := p.view()
	v.Chrome, v.Cursor = ch, p.look()
	return v.Draw(s, *look)
}

// Step waits for how long each has waited.
func (p *Needs) Step(w *Wait) {
	for i := range p.snap.Needs {
		w.Since(p.snap.Needs[i].Since)
	}
}
