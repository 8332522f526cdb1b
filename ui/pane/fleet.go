package pane

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/model/desk"
	"binnacle/views"
	"binnacle/views/canvas"
)

// Fleet is who works on what, on every machine.
type Fleet struct{ records }

// Name is the pane's number.
func (*Fleet) Name() views.Pane { return views.PaneFleet }

// Shown says whether there is a fleet here.
func (p *Fleet) Shown() bool { return p.snap.Fleet != nil }

// Scopes are where the fleet's keys are looked up.
func (*Fleet) Scopes() []keymap.Scope { return []keymap.Scope{keymap.Fleet} }

// Show takes a new instant.
func (p *Fleet) Show(s desk.Snapshot) (gone int, cmd tea.Cmd) {
	p.snap = s
	var ids []views.ID
	for _, r := range p.view().Rows() {
		ids = append(ids, r.ID())
	}
	return p.fill(ids), nil
}

func (p *Fleet) view() views.Fleet { return views.Fleet{View: p.snap.Fleet} }

// Draw draws the pane.
func (p *Fleet) Draw(ch canvas.Chrome, s canvas.Size, look *canvas.Look) string {
	v := p.view()
	v.Chrome, v.Cursor = ch, p.look()
	return v.Draw(s, *look)
}

// Step waits for the ages of the map and of its rows.
func (p *Fleet) Step(w *Wait) {
	f := p.snap.Fleet
	if f == nil {
		return
	}
	step := func(d time.Duration) { w.Age(f.Since(d, w.Look.Now)) }
	if f.Map.FetchedAt != 0 {
		step(f.Map.FetchAge)
	}
	for i := range f.Map.Sessions {
		step(f.Map.Sessions[i].RowAge)
	}
	for i := range f.Map.Machines {
		step(f.Map.Machines[i].Age)
	}
}
