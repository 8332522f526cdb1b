package views

import (
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/model/directive"
	"binnacle/themes"
	"binnacle/views/canvas"
	"binnacle/views/text"
)

// Planes is the planes pane: how many of everything. Opened, the open signals
// stand below, and the cursor is in them.
type Planes struct {
	canvas.Chrome
	Cursor
	Counts  model.Counts
	Lanes   []desk.Lane // for the queue's totals
	Signals []model.Signal
	Open    bool // show the signals; a pane with room for them does so anyway
}

// Rows lists the rows that the cursor can stand on: the open signals.
func (p Planes) Rows() []Ref { return SignalRefs(p.Signals) }

// item is one count of a plane's line.
type item struct {
	n    int64
	name string
	tone themes.Style
}

// planeLabel is how wide the planes' names are.
const planeLabel = 6

// Draw draws the planes pane.
func (p Planes) Draw(s canvas.Size, look canvas.Look) string {
	l := &look
	in := canvas.Inner(s)
	counts := p.counts(l, in.W)
	kept, room := p.share(len(counts), in.H)
	lines := counts[:min(kept, len(counts))]
	bar := [2]int{}
	if room > 0 {
		if kept > 0 {
			lines = append(lines, text.Spaces(in.W))
		}
		rows, from, to := signalLines(l, p.Signals, p.Cursor, p.Focus, canvas.Size{W: in.W, H: room})
		if to > 0 {
			bar = [2]int{len(lines) + from, len(lines) + to}
		}
		lines = append(lines, rows...)
	}
	return PanePlanes.box(l, p.Chrome, "", p.status(l, kept < len(counts)), lines, s, bar)
}

// SignalRows is how many rows of signals a pane of this size draws: an act may
// have no other target.
func (p Planes) SignalRows(s canvas.Size, look canvas.Look) int {
	in := canvas.Inner(s)
	_, room := p.share(len(p.counts(&look, in.W)), in.H)
	return min(room, len(p.Signals))
}

// counts are the lines of the four planes.
func (p Planes) counts(l *canvas.Look, w int) []string {
	var lines []string
	for _, plane := range []string{model.PlaneRecord, model.PlaneSignal, model.PlaneWork} {
		lines = planeLines(l, lines, plane, planeItems(l, p.Counts, plane), w)
	}
	return planeLines(l, lines, model.PlaneQueue, queueItems(l, p.Lanes), w)
}

// share divides h lines between the counts and the signals: kept lines of
// counts and, one line apart, room for signals. Open, the pane belongs to the
// signals: the counts give way until up to three are in sight.
func (p Planes) share(counts, h int) (kept, room int) {
	kept, room = min(counts, h), max(h-counts-1, 0)
	want := min(len(p.Signals), 2) // less than two tells nothing, unless there is no more
	if p.Open {
		want = min(len(p.Signals), 3)
	}
	switch {
	case len(p.Signals) == 0 && (!p.Open || room < 2):
		return kept, 0
	case room >= want:
		return kept, room
	case !p.Open:
		return kept, 0
	}
	room = min(want, h)
	return max(h-room-1, 0), room
}

// status counts the signals that are open, drawn or not.
func (p Planes) status(l *canvas.Look, cut bool) string {
	n := p.Counts.Get(model.PlaneSignal, model.SignalPending) + p.Counts.Get(model.PlaneSignal, model.SignalClaimed)
	say := ""
	if n = max(n, int64(len(p.Signals))); n > 0 {
		say = canvas.Count(n, "signal open", "signals open")
	}
	if cut {
		say = strings.TrimSpace(say + " " + l.Glyphs.Ellipsis)
	}
	return say
}

func planeItems(l *canvas.Look, c model.Counts, plane string) []item {
	names := c.Names(plane)
	out := make([]item, 0, len(names))
	for _, name := range names {
		it := item{n: c.Get(plane, name), name: clean.Line(name)}
		switch {
		case plane == model.PlaneRecord && name == "total":
			it.tone = l.Theme.Strong
		case plane == model.PlaneRecord:
			it.tone = l.Theme.KindStyle(name)
			if it.n == 0 {
				continue // kinds that nobody used say nothing
			}
		default:
			it.tone = l.Theme.StateStyle(name)
		}
		out = append(out, it)
	}
	return out
}

func queueItems(l *canvas.Look, lanes []desk.Lane) []item {
	var t desk.Lane
	for i := range lanes {
		for p := range t.Pending {
			t.Pending[p] += lanes[i].Pending[p]
		}
		t.Taken += lanes[i].Taken
		t.Deferred += lanes[i].Deferred
		t.Parked += lanes[i].Parked
		t.Done += lanes[i].Done
		t.Dropped += lanes[i].Dropped
	}
	out := []item{
		{t.Pending[0] + t.Pending[1] + t.Pending[2], directive.StatusPending, l.Theme.Info},
		{t.Taken, directive.StatusTaken, l.Theme.Accent},
		{t.Deferred, directive.StatusDeferred, l.Theme.Muted},
		{t.Parked, directive.StatusParked, l.Theme.Warn},
		{t.Done, directive.StatusDone, l.Theme.OK},
	}
	if t.Dropped > 0 {
		out = append(out, item{t.Dropped, directive.StatusDropped, l.Theme.Muted})
	}
	return out
}

// planeLines appends one plane: its name, then as many counts a line as fit,
// in fields of one width so that the numbers of all planes stand in columns.
func planeLines(l *canvas.Look, out []string, plane string, items []item, w int) []string {
	const number, name, reach = 7, 7, 2 // a long name may reach into the next field
	const field = number + 1 + name
	head := canvas.Gutter - 1
	per := max((w-head-planeLabel)/field, 1)
	for i := 0; i < len(items) || i == 0; i += per {
		ln := canvas.NewLine(w, l)
		ln.Gap(head)
		if i == 0 {
			ln.Cell(l.Theme.Muted, plane, planeLabel, false)
		} else {
			ln.Gap(planeLabel)
		}
		over := 0 // by how much the last name reached into this field
		for _, it := range items[i:min(i+per, len(items))] {
			num := canvas.Thousands(it.n)
			if len(num) >= number-over { // a gap stays before it
				num = canvas.Short(it.n)
			}
			tone := it.tone
			if it.n == 0 {
				tone = l.Theme.Muted
			}
			if ln.Room() < number-over {
				break
			}
			ln.Cell(tone, num, number-over, true)
			ln.Gap(1)
			nw := text.Width(it.name)
			ln.Cell(l.Theme.Muted, it.name, min(max(nw, name), name+reach), false)
			over = min(max(nw-name, 0), reach)
		}
		out = append(out, ln.End())
	}
	return out
}
