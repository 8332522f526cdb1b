package pane

import (
	tea "github.com/charmbracelet/bubbletea"

	"binnacle/model/desk"
	"binnacle/views"
	"binnacle/views/canvas"
)

// Planes counts everything; its rows are the open signals.
type Planes struct {
	records
	open bool // it has the keys, and shows the signals
}

// Name is the pane's number.
func (*Planes) Name() views.Pane { return views.PanePlanes }

// Show takes a new instant.
func (p *Planes) Show(s desk.Snapshot) (gone int, cmd tea.Cmd) {
	p.snap = s
	var ids []views.ID
	for _, r := range p.view().Rows() {
		ids = append(ids, r.ID)
	}
	return p.fill(ids), nil
}

func (p *Planes) view() views.Planes {
	return views.Planes{Counts: p.snap.Counts, Lanes: p.snap.Lanes, Signals: p.snap.Signals, Open: p.open}
}

// Resize makes room for as many signals as the counts leave.
func (p *Planes) Resize(s canvas.Size, focus bool, look *canvas.Look) {
	p.open = focus
	if s == (canvas.Size{}) {
		p.size(0)
		return
	}
	p.size(p.view().SignalRows(s, *look))
}

// Point does nothing: the rows begin below the counts, at a line that the width
// decides.
func (*Planes) Point(int) {}

// Draw draws the pane.
func (p *Planes) Draw(ch canvas.Chrome, s canvas.Size, look *canvas.Look) string {
	v := p.view()
	v.Chrome, v.Cursor = ch, p.look()
	return v.Draw(s, *look)
}

// Step waits for the signals' ages.
func (p *Planes) Step(w *Wait) {
	for i := range p.snap.Signals {
		w.Since(p.snap.Signals[i].Since)
	}
}
