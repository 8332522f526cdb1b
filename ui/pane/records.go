package pane

import (
	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/model/desk"
	"binnacle/ui/record"
	"binnacle/views"
	"binnacle/views/canvas"
)

// records is what every pane of records has alike: a cursor and marks by
// identity, over the instant that its rows were made of.
type records struct {
	list[views.ID]
	marks Marks
	snap  desk.Snapshot
}

// fill gives the pane its rows and returns how many marks went with rows that
// vanished.
func (r *records) fill(ids []views.ID) (gone int) {
	r.set(ids)
	return r.marks.keep(ids)
}

func (r *records) Shown() bool                                  { return true }
func (r *records) Scopes() []keymap.Scope                       { return nil }
func (r *records) Update(tea.Msg) tea.Cmd                       { return nil }
func (r *records) Resize(s canvas.Size, _ bool, _ *canvas.Look) { r.size(rows(s)) }
func (r *records) Fold(Fold) bool                               { return false }
func (r *records) Marks() *Marks                                { return &r.marks }
func (r *records) look() views.Cursor {
	return views.Cursor{At: r.cursor, Top: r.top, Marks: r.marks.on}
}

func (r *records) Move(n int) tea.Cmd {
	r.move(n)
	return nil
}

func (r *records) Jump(end int) tea.Cmd {
	if end < 0 {
		r.to(0)
	} else {
		r.to(len(r.ids) - 1)
	}
	return nil
}

func (r *records) Point(line int) {
	if i := r.top + line; i < len(r.ids) {
		r.to(i)
	}
}

func (r *records) Target() (record.Target, bool) {
	if r.none() || r.height < 1 {
		return record.Target{}, false // what is not drawn is no target
	}
	return record.Find(&r.snap, r.cursor)
}

func (r *records) Targets() []record.Target {
	if r.height < 1 {
		return nil
	}
	ids := r.marks.among(r.ids)
	if len(ids) == 0 && !r.none() {
		ids = []views.ID{r.cursor}
	}
	var out []record.Target
	for _, id := range ids {
		if t, ok := record.Find(&r.snap, id); ok {
			out = append(out, t)
		}
	}
	return out
}

// Marks are rows that were marked, by identity.
type Marks struct{ on map[views.ID]bool }

// Toggle marks a row, or takes its mark.
func (m *Marks) Toggle(id views.ID) {
	if m.on[id] {
		delete(m.on, id)
		return
	}
	if m.on == nil {
		m.on = map[views.ID]bool{}
	}
	m.on[id] = true
}

// among lists those of the rows that are marked, in the rows' order.
func (m *Marks) among(ids []views.ID) []views.ID {
	var out []views.ID
	if len(m.on) > 0 {
		for _, id := range ids {
			if m.on[id] {
				out = append(out, id)
			}
		}
	}
	return out
}

// keep drops the marks of rows that are not among these any more, and returns
// how many there were.
func (m *Marks) keep(ids []views.ID) (gone int) {
	if len(m.on) == 0 {
		return 0
	}
	here := make(map[views.ID]bool, len(ids))
	for _, id := range ids {
		here[id] = true
	}
	for id := range m.on {
		if !here[id] {
			delete(m.on, id)
			gone++
		}
	}
	return gone
}
