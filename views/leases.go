package views

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/directive"
	"binnacle/themes"
	"binnacle/views/canvas"
	"binnacle/views/text"
)

// Leases is the leases pane: what is held and for how long, taken directives
// and claimed work together, the next to lapse first.
type Leases struct {
	canvas.Chrome
	Cursor
	Taken  []directive.Directive
	Work   []model.Work
	More   int64         // leases that the lists leave out
	Clocks model.Reading // when the lists were read: the rows' order is of then
}

// LeaseRow is one line of the leases pane. Exactly one of the records is set.
type LeaseRow struct {
	Directive *directive.Directive
	Work      *model.Work
}

// WorkID is who a work record's row is.
func WorkID(key string) ID { return ID{NounWork, key} }

// ID is who the row is.
func (r LeaseRow) ID() ID {
	if r.Directive != nil {
		return DirectiveID(r.Directive.ID)
	}
	return WorkID(r.Work.Key)
}

// Ref is the row's record as it was on screen.
func (r LeaseRow) Ref() Ref {
	if r.Directive != nil {
		return Ref{r.ID(), r.Directive.Rev, r.Directive.Status}
	}
	return Ref{r.ID(), r.Work.Rev, r.Work.State}
}

func (r LeaseRow) term() (model.Lease, time.Duration) {
	if r.Directive != nil {
		return r.Directive.Term(), r.Directive.LeaseLength()
	}
	return r.Work.Term(), r.Work.LeaseLength()
}

func (r LeaseRow) attempt() int64 {
	if r.Directive != nil {
		return r.Directive.Attempt
	}
	return r.Work.Attempt
}

// Rows lists the pane's lines, the next to lapse first.
func (p Leases) Rows() []LeaseRow {
	out := make([]LeaseRow, 0, len(p.Taken)+len(p.Work))
	for i := range p.Taken {
		out = append(out, LeaseRow{Directive: &p.Taken[i]})
	}
	for i := range p.Work {
		out = append(out, LeaseRow{Work: &p.Work[i]})
	}
	slices.SortStableFunc(out, func(a, b LeaseRow) int {
		x, y := a.ID(), b.ID()
		s, _ := a.term()
		t, _ := b.term()
		return cmp.Or(cmp.Compare(s.Ends(p.Clocks), t.Ends(p.Clocks)), cmp.Compare(x.Noun, y.Noun), cmp.Compare(x.Key, y.Key))
	})
	return out
}

// Columns of the leases pane.
const (
	leaseKey = iota
	leaseHolder
	leaseLane
	leaseBar
	leaseLeft
	leaseAttempt
	leaseAlert // a mark beside what is about to lapse
)

func leaseColumns() []canvas.Column {
	return []canvas.Column{
		leaseKey:     {Least: 6, Most: 16},
		leaseHolder:  {Least: 8},
		leaseLane:    {Least: 7, Most: 12, Rank: 5},
		leaseBar:     {Least: 5, Most: 14, Rank: 4},
		leaseLeft:    {Least: 12, Most: 12, Right: true},
		leaseAttempt: {Least: 4, Most: 5, Rank: 3},
		leaseAlert:   {Least: 1, Most: 1},
	}
}

// Draw draws the leases pane.
func (p Leases) Draw(s canvas.Size, look canvas.Look) string {
	l := &look
	in := canvas.Inner(s)
	rows := p.Rows()
	if len(rows) == 0 {
		lines := l.Empty(in, "Nothing is held. Taken directives and claimed work will stand here with what is left of their leases:",
			"binnacle queue next")
		return PaneLeases.box(l, p.Chrome, "", "", lines, s, [2]int{})
	}
	status := canvas.Thousands(int64(len(rows))+p.More) + " held"
	at := find(p.At, len(rows), func(i int) ID { return rows[i].ID() })
	h := in.H
	if p.More > 0 && h > 1 {
		h-- // for the line that counts what is left out
	}
	top := canvas.Window(len(rows), at, p.Top, h)
	widths := canvas.Widths(leaseColumns(), in.W-canvas.Gutter)
	lines := make([]string, 0, in.H)
	for i := top; i < min(top+h, len(rows)); i++ {
		lines = append(lines, leaseLine(l, rows[i], i == at, p.Cursor, p.Focus, in.W, widths))
	}
	if p.More > 0 && len(lines) < in.H {
		ln := canvas.NewLine(in.W, l)
		ln.Gap(canvas.Gutter)
		ln.Put(l.Theme.Muted, l.Glyphs.Ellipsis+" "+canvas.Thousands(p.More)+" more")
		lines = append(lines, ln.End())
	}
	from, to := canvas.Thumb(int64(len(rows)), int64(top), h)
	return PaneLeases.box(l, p.Chrome, "", status, lines, s, [2]int{from, to})
}

func leaseLine(l *canvas.Look, r LeaseRow, at bool, c Cursor, focus bool, w int, widths []int) string {
	ln := l.Begin(w, at, len(c.Marks) > 0 && c.Marks[r.ID()], focus)
	key, holder, lane := "", "", "work"
	if r.Directive != nil {
		key, holder, lane = "#"+strconv.FormatInt(r.Directive.ID, 10), r.Directive.TakenBy, r.Directive.Lane
	} else {
		key, holder = r.Work.Key, r.Work.Executor
	}
	lease, length := r.term()
	soon := model.AboutToLapse(lease, length, l.Reading())
	for i, cw := range widths {
		if cw == 0 {
			continue
		}
		switch i {
		case leaseKey:
			ln.Cell(l.Theme.Text, clean.Line(key), cw, false)
		case leaseHolder:
			ln.Cell(l.Theme.Accent, clean.Line(holder), cw, false)
		case leaseLane:
			ln.Cell(l.Theme.Muted, clean.Line(lane), cw, false)
		case leaseBar:
			drawLeaseBar(l, &ln, model.LeaseShare(lease, length, l.Reading()), cw, soon)
		case leaseLeft:
			tone, say := l.Theme.Text, l.Left(lease)
			if say != "lapsed" {
				if l.Times == canvas.Clocks {
					say = "to " + l.Clock(lease.Ends(l.Reading()))
				} else {
					say += " left"
				}
			}
			if soon {
				tone = l.Theme.Danger
			}
			ln.Cell(tone, say, cw, true)
		case leaseAttempt:
			say := l.Glyphs.Dash
			if n := r.attempt(); n > 0 {
				say = canvas.Ordinal(n)
			}
			ln.Cell(attemptTone(l, r.attempt()), say, cw, false)
		case leaseAlert:
			if soon {
				ln.Put(l.Theme.Danger, l.Glyphs.Alert)
			}
		}
		ln.Gap(1)
	}
	return ln.End()
}

func drawLeaseBar(l *canvas.Look, ln *canvas.Line, share float64, w int, soon bool) {
	tone := l.Theme.Bar
	if soon {
		tone = l.Theme.BarLow
	}
	bar := text.Bar(share, w, l.Glyphs.ASCII)
	full := "█"
	if l.Glyphs.ASCII {
		full = "#"
	}
	i := strings.LastIndex(bar, full)
	if i >= 0 {
		i += len(full)
	} else {
		i = 0
	}
	ln.Raw(tone, bar[:i], i/len(full))
	ln.Raw(l.Theme.BarRest, bar[i:], w-i/len(full))
}

// attemptTone lights up what was tried before.
func attemptTone(l *canvas.Look, n int64) themes.Style {
	if n > 1 {
		return l.Theme.Warn
	}
	return l.Theme.Muted
}
