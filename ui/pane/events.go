package pane

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"binnacle/keymap"
	"binnacle/model"
	"binnacle/model/desk"
	"binnacle/model/filter"
	"binnacle/ui/record"
	"binnacle/views"
	"binnacle/views/canvas"
)

// Times and counts of paging.
const (
	pageTimeout    = 20 * time.Second
	unknownOutside = 1 << 62 // how many events lie beyond the page: all but those that are read
)

// Arrived is what happened since the last one, in order: first the gap, where
// something was missed, then the events.
type Arrived struct {
	Generation int // of the stream that they are of
	Gap        desk.Gap
	Events     []model.Event
}

// Failed says that the stream ended, and why.
type Failed struct {
	Generation int
	Err        error
}

// Source is where the events come from.
type Source struct {
	// Page reads the ledger.
	Page func(context.Context, desk.PageRequest) (desk.Page, error)
	// Follow makes what comes after an event and matches the filter arrive under
	// the generation, in place of what arrived so far; nil follows nothing.
	Follow func(generation int, f filter.Filter, after int64)
}

// Events is the stream of events under a filter.
type Events struct {
	list[int64]
	from       Source
	snap       desk.Snapshot
	have       bool // snap is one
	stream     stream
	spare      []int64 // the list's next ids, reused
	filter     filter.Filter
	text       string // of the filter
	generation int    // of the stream: a page or an event of an older one is not ours
	fault      string // why the stream ended
}

// NewEvents makes the pane. It reads nothing before the first snapshot.
func NewEvents(from Source) *Events { return &Events{from: from, stream: newStream()} }

// Name is the pane's number.
func (*Events) Name() views.Pane { return views.PaneEvents }

// Shown is always so.
func (*Events) Shown() bool { return true }

// Scopes are where the events' keys are looked up.
func (*Events) Scopes() []keymap.Scope { return []keymap.Scope{keymap.Events} }

// Marks are none: what is marked is a record.
func (*Events) Marks() *Marks { return nil }

// Fold does nothing.
func (*Events) Fold(Fold) bool { return false }

// Fault is why the stream ended, "" while it runs.
func (e *Events) Fault() string { return e.fault }

// Following says whether the cursor stays on the newest event.
func (e *Events) Following() bool { return e.stream.follow }

// Filter is the filter, and its text.
func (e *Events) Filter() (filter.Filter, string) { return e.filter, e.text }

// SetFilter makes the filter's events the only ones, from the next snapshot or
// Restart on.
func (e *Events) SetFilter(f filter.Filter, text string) { e.filter, e.text = f, text }

// Show takes a new instant. The first one, and the first of another ledger,
// begin the stream.
func (e *Events) Show(s desk.Snapshot) (gone int, cmd tea.Cmd) {
	anew := !e.have || s.Epoch != e.snap.Epoch
	e.snap, e.have = s, true
	if anew {
		cmd = e.Restart()
	}
	return 0, cmd
}

// Restart begins the stream anew under the filter: the newest page, and what
// comes after it.
func (e *Events) Restart() tea.Cmd {
	e.generation++
	e.stream = newStream()
	e.list = list[int64]{height: e.height}
	e.fault = ""
	head := e.snap.Head.Seq
	e.stream.seen, e.stream.high = head, head
	if e.from.Follow != nil {
		e.from.Follow(e.generation, e.filter, head)
	}
	if head == 0 {
		e.stream.atStart = true
		return nil
	}
	return e.older(head + 1)
}

// Update takes what arrives and pages that were asked for.
func (e *Events) Update(msg tea.Msg) tea.Cmd {
	switch m := msg.(type) {
	case Arrived:
		if m.Generation == e.generation {
			e.stream.arrive(m.Events, m.Gap)
			e.settle()
		}
	case Failed:
		if m.Generation == e.generation {
			e.fault = m.Err.Error()
		}
	case pageMsg:
		return e.paged(m)
	}
	return nil
}

// settle brings the cursor in line with the stream's rows: following it stands
// on the newest, paused it stays on its event.
func (e *Events) settle() {
	e.spare = e.stream.ids(e.spare)
	e.set(e.spare)
	if e.stream.follow {
		e.to(len(e.spare) - 1)
	}
}

// Target is the event under the cursor; paused, as its record where it is about
// one: rev and state are those of the snapshot on screen.
func (e *Events) Target() (record.Target, bool) {
	if e.none() || e.at >= len(e.stream.rows) {
		return record.Target{}, false
	}
	r := &e.stream.rows[e.at]
	if r.gap.Missed > 0 {
		return record.Target{}, false
	}
	noun := map[model.Kind]views.Noun{
		model.KindSignal: views.NounSignal, model.KindWork: views.NounWork, model.KindDirective: views.NounDirective,
	}[r.event.Kind]
	if noun == "" || e.stream.follow {
		// While it follows, the row under the cursor changes under the finger:
		// what acts on records waits for a pause.
		return record.Event(r.event.Seq), true
	}
	t, ok := record.Find(&e.snap, views.ID{Noun: noun, Key: r.event.Key})
	t.Seq = r.event.Seq
	if !ok {
		t.State = "" // no longer open, or beyond what a snapshot holds
	}
	return t, true
}

// Targets is the event under the cursor.
func (e *Events) Targets() []record.Target {
	if t, ok := e.Target(); ok {
		return []record.Target{t}
	}
	return nil
}

// Resize makes room for as many rows as there are lines.
func (e *Events) Resize(s canvas.Size, _ bool, _ *canvas.Look) { e.size(rows(s)) }

// Point puts the cursor on a row. On any but the newest it pauses.
func (e *Events) Point(line int) {
	if i := e.top + line; i < len(e.stream.rows) {
		if i < len(e.stream.rows)-1 {
			e.stream.pause()
		}
		e.to(i)
	}
}

// Move takes the cursor by n rows. Going up pauses; reaching the end of what is
// there while paused reads on, or follows again at the very end.
func (e *Events) Move(n int) tea.Cmd {
	if n < 0 && len(e.stream.rows) > 0 {
		e.stream.pause()
	}
	e.move(n)
	return e.pageIn(n)
}

// Jump follows at the end; at the beginning it shows the oldest event there is:
// far back that is another page, not a walk through all of them.
func (e *Events) Jump(end int) tea.Cmd {
	switch {
	case end > 0:
		return e.Resume()
	case len(e.stream.rows) == 0:
		return nil
	}
	e.stream.pause()
	if e.stream.atStart {
		e.to(0)
		return nil
	}
	e.stream = stream{seen: e.stream.seen, outside: unknownOutside, atStart: true}
	e.list = list[int64]{height: e.height}
	return e.newer(0)
}

// TogglePause keeps the cursor on its event, or follows again.
func (e *Events) TogglePause() tea.Cmd {
	if !e.stream.follow {
		return e.Resume()
	}
	e.stream.pause()
	return nil
}

// Resume goes to the newest event and stays there.
func (e *Events) Resume() tea.Cmd {
	if e.stream.resume() {
		return e.Restart()
	}
	e.settle()
	return nil
}

// pageIn reads the ledger where the cursor comes near the end of what is there.
func (e *Events) pageIn(direction int) tea.Cmd {
	near := max(e.height, 10)
	switch {
	case direction < 0 && e.at < near && !e.stream.atStart:
		before := e.stream.low
		if before == 0 {
			before = e.stream.seen + 1
		}
		return e.older(before)
	case direction > 0 && !e.stream.follow && e.at >= len(e.stream.rows)-near:
		if e.stream.outside > 0 {
			return e.newer(e.stream.high)
		}
	}
	return nil
}

// older asks for the page before a sequence number.
func (e *Events) older(before int64) tea.Cmd {
	if e.stream.atStart {
		return nil
	}
	return e.load(true, desk.PageRequest{Filter: e.filter, Before: before, Limit: pageRows})
}

// newer asks for the page after a sequence number.
func (e *Events) newer(after int64) tea.Cmd {
	return e.load(false, desk.PageRequest{Filter: e.filter, After: after, Limit: pageRows})
}

// pageMsg is a page of the ledger that was asked for.
type pageMsg struct {
	generation int
	older      bool
	page       desk.Page
	err        error
}

func (e *Events) load(older bool, r desk.PageRequest) tea.Cmd {
	if e.stream.loading {
		return nil
	}
	e.stream.loading = true
	read, generation := e.from.Page, e.generation
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), pageTimeout)
		defer cancel()
		p, err := read(ctx, r)
		return pageMsg{generation: generation, older: older, page: p, err: err}
	}
}

// paged takes a page. A search for something rare comes back in pieces, the
// last of which says that nothing further matches; as long as the pane is not
// full the next piece is asked for.
func (e *Events) paged(m pageMsg) tea.Cmd {
	if m.generation != e.generation {
		return nil
	}
	e.stream.loading = false
	if m.err != nil {
		return func() tea.Msg {
			return views.Flash{Text: "the ledger can't be read: " + m.err.Error(), Level: views.Refused}
		}
	}
	if m.older {
		e.stream.older(m.page.Events, m.page.Exhausted)
		e.settle()
		if !m.page.Exhausted && (len(e.stream.rows) < 2*e.height || e.top == 0 && !e.stream.follow) {
			return e.older(m.page.Next)
		}
		return nil
	}
	e.stream.newer(m.page.Events, m.page.Exhausted)
	e.settle()
	if !m.page.Exhausted && len(m.page.Events) == 0 {
		return e.newer(m.page.Next)
	}
	return nil
}

// Draw draws the pane.
func (e *Events) Draw(ch canvas.Chrome, s canvas.Size, look *canvas.Look) string {
	v := e.View()
	v.Chrome = ch
	if e.fault != "" {
		v.Fault = e.fault
	}
	return v.Draw(s, *look)
}

// View has the rows that the pane can show now.
func (e *Events) View() views.Events {
	v := views.Events{
		Paused: !e.stream.follow, Unseen: e.stream.unread, Filter: e.text, Total: int64(len(e.stream.rows)),
	}
	for _, t := range e.filter.Terms {
		if !t.Not {
			v.Words = append(v.Words, t.Text)
		}
	}
	from := min(e.top, len(e.stream.rows))
	to := min(from+max(e.height, 1), len(e.stream.rows))
	v.First = int64(from)
	v.Rows = make([]views.EventRow, 0, to-from+1)
	if from == 0 && e.stream.loading && to < e.height {
		v.Rows = append(v.Rows, views.EventRow{Loading: true})
	}
	for i := from; i < to; i++ {
		r := &e.stream.rows[i]
		v.Rows = append(v.Rows, views.EventRow{Event: r.event, Fold: r.count, Gap: r.gap.Missed})
		if i == e.at {
			v.At = v.Rows[len(v.Rows)-1].ID()
		}
	}
	return v
}

// Step waits for the ages, where those are shown.
func (e *Events) Step(w *Wait) {
	if w.Look.Times != canvas.Ages {
		return
	}
	for i := e.top; i < min(e.top+e.height, len(e.stream.rows)); i++ {
		w.Since(e.stream.rows[i].event.TS)
	}
}
