package views

import (
	"strconv"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/views/canvas"
	"binnacle/views/summary"
)

// EventRow is one line of the events pane: an event, a fold of equal ones, a
// gap, or a page that is on its way.
type EventRow struct {
	Event   model.Event
	Fold    int64 // how many events in a row it stands for; 0 and 1 are one
	Gap     int64 // events that are not shown at this place; Event is not looked at
	Loading bool  // a page that is being read; Event is not looked at
}

// ID is who the row is: nobody for a gap and a page on its way.
func (r EventRow) ID() ID {
	if r.Gap > 0 || r.Loading || r.Event.Seq == 0 {
		return ID{}
	}
	return ID{NounEvent, strconv.FormatInt(r.Event.Seq, 10)}
}

// Ref is the row's event as it was on screen.
func (r EventRow) Ref() Ref { return Ref{ID: r.ID(), State: r.Event.State} }

// Events is the events pane. Rows are in the order in which they are shown;
// they may be a part of a longer list, of which Total and First tell.
type Events struct {
	canvas.Chrome
	Cursor
	Rows   []EventRow
	First  int64    // place of Rows[0] in the whole list
	Total  int64    // length of the whole list; 0: Rows is the whole
	Paused bool     // not following
	Unseen int64    // events that came since it was paused
	Filter string   // the filter's text, "" for none
	Words  []string // the filter's words, to be lit up
}

// Columns of the events pane.
const (
	eventTime = iota
	eventKind
	eventState
	eventProducer
	eventTopic
	eventText
	eventColumnCount
)

func eventColumns(l *canvas.Look, rows []EventRow) []canvas.Column {
	when, most := 8, 8
	if l.Times == canvas.Ages {
		when, most = 4, 4
	} else {
		for i := range rows {
			if rows[i].Event.TS != 0 && !l.SameDay(rows[i].Event.TS) {
				most = 11 // a date and a time
				break
			}
		}
	}
	return []canvas.Column{
		eventTime:     {Least: when, Most: most, Rank: 3},
		eventKind:     {Least: 9, Most: 9, Rank: 2},
		eventState:    {Least: 8, Most: 8, Rank: 4},
		eventProducer: {Least: 8, Most: 16, Rank: 6},
		eventTopic:    {Least: 9, Most: 28, Rank: 5},
		eventText:     {Least: 13},
	}
}

// Draw draws the events pane.
func (e Events) Draw(s canvas.Size, look canvas.Look) string {
	l := &look
	in := canvas.Inner(s)
	if len(e.Rows) == 0 {
		return PaneEvents.box(l, e.Chrome, e.more(), e.status(l), noEvents(l, e, in), s, [2]int{})
	}
	at := find(e.At, len(e.Rows), func(i int) ID { return e.Rows[i].ID() })
	top := canvas.Window(len(e.Rows), at, e.Top, in.H)
	end := min(top+in.H, len(e.Rows))
	rows := e.Rows[top:end]
	cols := eventColumns(l, rows)
	widths := canvas.Widths(cols, in.W-canvas.Gutter)
	lines := make([]string, 0, len(rows))
	for i := range rows {
		lines = append(lines, eventLine(l, &e, &rows[i], top+i == at, in.W, widths))
	}
	total := max(e.Total, int64(len(e.Rows)))
	from, to := canvas.Thumb(total, e.First+int64(top), in.H)
	return PaneEvents.box(l, e.Chrome, e.more(), e.status(l), lines, s, [2]int{from, to})
}

func eventLine(l *canvas.Look, e *Events, r *EventRow, at bool, w int, widths []int) string {
	switch {
	case r.Gap > 0:
		ln := canvas.NewLine(w, l)
		ln.Gap(canvas.Gutter)
		ln.Put(l.Theme.Stale, l.Glyphs.Ellipsis+" "+canvas.Count(r.Gap, "event", "events")+" not shown")
		return ln.End()
	case r.Loading:
		ln := canvas.NewLine(w, l)
		ln.Gap(canvas.Gutter)
		ln.Put(l.Theme.Muted, l.Glyphs.Ellipsis+" reading the ledger")
		return ln.End()
	}
	ev := &r.Event
	ln := l.Begin(w, at, len(e.Marks) > 0 && e.Marks[r.ID()], e.Focus)
	fold := ""
	if r.Fold > 1 {
		fold = l.Glyphs.Times + canvas.Thousands(r.Fold)
	}
	for i, cw := range widths {
		if cw == 0 {
			continue
		}
		switch i {
		case eventTime:
			when := ""
			if l.Times == canvas.Ages {
				when = model.Age(l.Now.Sub(ev.TS))
			} else {
				when = l.ClockIn(ev.TS, cw)
			}
			ln.Cell(l.Theme.Muted, when, cw, l.Times == canvas.Ages)
		case eventKind:
			ln.Cell(l.Theme.KindStyle(string(ev.Kind)), clean.Line(string(ev.Kind)), cw, false)
		case eventState:
			if ev.State == "" && fold != "" {
				ln.Cell(l.Theme.Accent, fold, cw, false)
				fold = "" // said
			} else {
				ln.Cell(l.Theme.StateStyle(ev.State), clean.Line(ev.State), cw, false)
			}
		case eventProducer:
			ln.Marked(l.Theme.Text, l.Theme.Match, clean.Line(ev.Producer), e.Words, cw)
		case eventTopic:
			ln.Marked(l.Theme.Muted, l.Theme.Match, clean.Line(ev.Topic), e.Words, cw)
		case eventText:
			if fold != "" {
				ln.Put(l.Theme.Accent, fold)
				ln.Gap(1)
			}
			cw = ln.Room()
			ln.Marked(l.Theme.Text, l.Theme.Match, summary.Of(*ev), e.Words, cw)
		}
		ln.Gap(1)
	}
	return ln.End()
}

// more is what stands behind the title.
func (e *Events) more() string {
	if e.Filter == "" {
		return ""
	}
	return " /" + clean.Line(e.Filter)
}

func (e *Events) status(l *canvas.Look) string {
	switch {
	case e.Paused && e.Unseen > 0:
		return "paused, +" + canvas.Thousands(e.Unseen)
	case e.Paused:
		return "paused"
	}
	return "following"
}

func noEvents(l *canvas.Look, e Events, in canvas.Size) []string {
	if e.Filter != "" {
		return l.Empty(in, "No event matches "+clean.Line(e.Filter)+". Esc clears the filter.")
	}
	return l.Empty(in, "Every event of the workspace will stand here, as it happens. Put one in:",
		`binnacle ledger emit build/log '{"text":"hello"}' --kind note`)
}
