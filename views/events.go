package views

import (
	"strconv"

	"binnacle/model"
	"binnacle/model/clean"
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
	Chrome
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

func (l *Look) eventColumns(rows []EventRow) []column {
	when, most := 8, 8
	if l.Times == Ages {
		when, most = 4, 4
	} else {
		for i := range rows {
			if rows[i].Event.TS != 0 && !l.sameDay(rows[i].Event.TS) {
				most = 11 // a date and a time
				break
			}
		}
	}
	return []column{
		eventTime:     {least: when, most: most, rank: 3},
		eventKind:     {least: 9, most: 9, rank: 2},
		eventState:    {least: 8, most: 8, rank: 4},
		eventProducer: {least: 8, most: 16, rank: 6},
		eventTopic:    {least: 9, most: 28, rank: 5},
		eventText:     {least: 13},
	}
}

// Draw draws the events pane.
func (e Events) Draw(s Size, look Look) string {
	l := &look
	in := inner(s)
	if len(e.Rows) == 0 {
		return l.pane(e.Chrome, "1", e.title(), e.status(l), l.noEvents(e, in), s, [2]int{})
	}
	at := find(e.At, len(e.Rows), func(i int) ID { return e.Rows[i].ID() })
	top := Window(len(e.Rows), at, e.Top, in.H)
	end := min(top+in.H, len(e.Rows))
	rows := e.Rows[top:end]
	cols := l.eventColumns(rows)
	widths := arrange(cols, in.W-gutter)
	lines := make([]string, 0, len(rows))
	for i := range rows {
		lines = append(lines, l.eventLine(&e, &rows[i], top+i == at, in.W, widths))
	}
	total := max(e.Total, int64(len(e.Rows)))
	from, to := thumb(total, e.First+int64(top), in.H)
	return l.pane(e.Chrome, "1", e.title(), e.status(l), lines, s, [2]int{from, to})
}

func (l *Look) eventLine(e *Events, r *EventRow, at bool, w int, widths []int) string {
	switch {
	case r.Gap > 0:
		ln := newLine(w, l)
		ln.gap(gutter)
		ln.put(l.Theme.Stale, l.Glyphs.Ellipsis+" "+count(r.Gap, "event", "events")+" not shown")
		return ln.end()
	case r.Loading:
		ln := newLine(w, l)
		ln.gap(gutter)
		ln.put(l.Theme.Muted, l.Glyphs.Ellipsis+" reading the ledger")
		return ln.end()
	}
	ev := &r.Event
	ln := l.begin(w, at, len(e.Marks) > 0 && e.Marks[r.ID()], e.Focus)
	fold := ""
	if r.Fold > 1 {
		fold = l.Glyphs.Times + thousands(r.Fold)
	}
	for i, cw := range widths {
		if cw == 0 {
			continue
		}
		switch i {
		case eventTime:
			when := ""
			if l.Times == Ages {
				when = model.Age(l.Now.Sub(ev.TS))
			} else {
				when = l.clockIn(ev.TS, cw)
			}
			ln.cell(l.Theme.Muted, when, cw, l.Times == Ages)
		case eventKind:
			ln.cell(l.Theme.KindStyle(string(ev.Kind)), clean.Line(string(ev.Kind)), cw, false)
		case eventState:
			if ev.State == "" && fold != "" {
				ln.cell(l.Theme.Accent, fold, cw, false)
				fold = "" // said
			} else {
				ln.cell(l.Theme.StateStyle(ev.State), clean.Line(ev.State), cw, false)
			}
		case eventProducer:
			ln.marked(l.Theme.Text, l.Theme.Match, clean.Line(ev.Producer), e.Words, cw)
		case eventTopic:
			ln.marked(l.Theme.Muted, l.Theme.Match, clean.Line(ev.Topic), e.Words, cw)
		case eventText:
			if fold != "" {
				ln.put(l.Theme.Accent, fold)
				ln.gap(1)
			}
			cw = ln.room()
			ln.marked(l.Theme.Text, l.Theme.Match, Summary(*ev), e.Words, cw)
		}
		ln.gap(1)
	}
	return ln.end()
}

func (e *Events) title() string {
	if e.Filter == "" {
		return "Events"
	}
	return "Events /" + clean.Line(e.Filter)
}

func (e *Events) status(l *Look) string {
	switch {
	case e.Paused && e.Unseen > 0:
		return "paused, +" + thousands(e.Unseen)
	case e.Paused:
		return "paused"
	}
	return "following"
}

func (l *Look) noEvents(e Events, in Size) []string {
	if e.Filter != "" {
		return l.empty(in, "No event matches "+clean.Line(e.Filter)+". Esc clears the filter.")
	}
	return l.empty(in, "Every event of the workspace will stand here, as it happens. Put one in:",
		`binnacle ledger emit build/log '{"text":"hello"}' --kind note`)
}
