package pane

import (
	tea "github.com/charmbracelet/bubbletea"

	"binnacle/model/desk"
	"binnacle/views"
	"binnacle/views/canvas"
)

// Lanes are the queue's lanes, each opened to its directives or closed.
type Lanes struct {
	records
	open map[string]bool // by the lane's name; a lane that is not in it was never seen
}

// openLanes is how many lanes are opened without being asked.
const openLanes = 8

// nounMore is the line that counts the directives a lane does not show. It has
// a place in the list, so that lines and rows agree, but the cursor passes it.
const nounMore views.Noun = "more"

// Name is the pane's number.
func (*Lanes) Name() views.Pane { return views.PaneLanes }

// Show takes a new instant. A lane that is new is open, as long as lanes are
// few.
func (p *Lanes) Show(s desk.Snapshot) (gone int, cmd tea.Cmd) {
	if p.open == nil {
		p.open = map[string]bool{}
	}
	for _, l := range s.Lanes {
		if _, seen := p.open[l.Name]; !seen {
			p.open[l.Name] = len(p.open) < openLanes
		}
	}
	p.snap = s
	return p.refill(), nil
}

func (p *Lanes) view() views.Lanes { return views.Lanes{Lanes: p.snap.Lanes, Open: p.open} }

func (p *Lanes) refill() (gone int) {
	var ids []views.ID
	for _, r := range p.view().Rows() {
		id := r.ID()
		if id == (views.ID{}) {
			id = views.ID{Noun: nounMore, Key: r.Lane.Name}
		}
		ids = append(ids, id)
	}
	return p.fill(ids)
}

// Move takes the cursor by n rows, past the lines that only count.
func (p *Lanes) Move(n int) tea.Cmd {
	p.move(n)
	step := 1
	if n < 0 {
		step = -1
	}
	if p.cursor.Noun == nounMore && !p.move(step) {
		p.move(-step)
	}
	return nil
}

// Fold opens or closes the lane under the cursor. Closing goes up from a
// directive to its lane.
func (p *Lanes) Fold(f Fold) bool {
	id := p.cursor
	if id.Noun == views.NounDirective && f == Close {
		for i := p.at; i >= 0; i-- {
			if p.ids[i].Noun == views.NounLane {
				p.to(i)
				return true
			}
		}
	}
	open := f == Open || f == Toggle && !p.open[id.Key]
	if id.Noun != views.NounLane || p.open[id.Key] == open {
		return false
	}
	p.open[id.Key] = open
	p.refill()
	return true
}

// Draw draws the pane.
func (p *Lanes) Draw(ch canvas.Chrome, s canvas.Size, look *canvas.Look) string {
	v := p.view()
	v.Chrome, v.Cursor = ch, p.look()
	return v.Draw(s, *look)
}

// Step waits for the directives' ages.
func (p *Lanes) Step(w *Wait) {
	for i := range p.snap.Lanes {
		for j := range p.snap.Lanes[i].Directives {
			w.Since(p.snap.Lanes[i].Directives[j].Since)
		}
	}
}
