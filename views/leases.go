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
	"binnacle/views/text"
)

// Leases is the leases pane: what is held and for how long, taken directives
// and claimed work together, the next to lapse first.
type Leases struct {
	Chrome
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

func leaseColumns() []column {
	return []column{
		leaseKey:     {least: 6, most: 16},
		leaseHolder:  {least: 8},
		leaseLane:    {least: 7, most: 12, rank: 5},
		leaseBar:     {least: 5, most: 14, rank: 4},
		leaseLeft:    {least: 12, most: 12, right: true},
		leaseAttempt: {least: 4, most: 5, rank: 3},
		leaseAlert:   {least: 1, most: 1},
	}
}

// Draw draws the leases pane.
func (p Leases) Draw(s Size, look Look) string {
	l := &look
	in := inner(s)
	rows := p.Rows()
	if len(rows) == 0 {
		lines := l.empty(in, "Nothing is held. Taken directives and claimed work will stand here with what is left of their leases:",
			"binnacle queue next")
		return l.pane(p.Chrome, "4", "Leases", "", lines, s, [2]int{})
	}
	status := thousands(int64(len(rows))+p.More) + " held"
	at := find(p.At, len(rows), func(i int) ID { return rows[i].ID() })
	h := in.H
	if p.More > 0 && h > 1 {
		h-- // for the line that counts what is left out
	}
	top := Window(len(rows), at, p.Top, h)
	widths := arrange(leaseColumns(), in.W-gutter)
	lines := make([]string, 0, in.H)
	for i := top; i < min(top+h, len(rows)); i++ {
		lines = append(lines, l.leaseLine(rows[i], i == at, p.Cursor, p.Focus, in.W, widths))
	}
	if p.More > 0 && len(lines) < in.H {
		ln := newLine(in.W, l)
		ln.gap(gutter)
		ln.put(l.Theme.Muted, l.Glyphs.Ellipsis+" "+thousands(p.More)+" more")
		lines = append(lines, ln.end())
	}
	from, to := thumb(int64(len(rows)), int64(top), h)
	return l.pane(p.Chrome, "4", "Leases", status, lines, s, [2]int{from, to})
}

func (l *Look) leaseLine(r LeaseRow, at bool, c Cursor, focus bool, w int, widths []int) string {
	ln := l.begin(w, at, len(c.Marks) > 0 && c.Marks[r.ID()], focus)
	key, holder, lane := "", "", "work"
	if r.Directive != nil {
		key, holder, lane = "#"+strconv.FormatInt(r.Directive.ID, 10), r.Directive.TakenBy, r.Directive.Lane
	} else {
		key, holder = r.Work.Key, r.Work.Executor
	}
	lease, length := r.term()
	soon := model.AboutToLapse(lease, length, l.reading())
	for i, cw := range widths {
		if cw == 0 {
			continue
		}
		switch i {
		case leaseKey:
			ln.cell(l.Theme.Text, clean.Line(key), cw, false)
		case leaseHolder:
			ln.cell(l.Theme.Accent, clean.Line(holder), cw, false)
		case leaseLane:
			ln.cell(l.Theme.Muted, clean.Line(lane), cw, false)
		case leaseBar:
			l.leaseBar(&ln, model.LeaseShare(lease, length, l.reading()), cw, soon)
		case leaseLeft:
			tone, say := l.Theme.Text, l.left(lease)
			if say != "lapsed" {
				if l.Times == Clocks {
					say = "to " + l.clock(lease.Ends(l.reading()))
				} else {
					say += " left"
				}
			}
			if soon {
				tone = l.Theme.Danger
			}
			ln.cell(tone, say, cw, true)
		case leaseAttempt:
			say := l.Glyphs.Dash
			if n := r.attempt(); n > 0 {
				say = ordinal(n)
			}
			ln.cell(l.attemptTone(r.attempt()), say, cw, false)
		case leaseAlert:
			if soon {
				ln.put(l.Theme.Danger, l.Glyphs.Alert)
			}
		}
		ln.gap(1)
	}
	return ln.end()
}

func (l *Look) leaseBar(ln *line, share float64, w int, soon bool) {
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
	ln.raw(tone, bar[:i], i/len(full))
	ln.raw(l.Theme.BarRest, bar[i:], w-i/len(full))
}

// attemptTone lights up what was tried before.
func (l *Look) attemptTone(n int64) themes.Style {
	if n > 1 {
		return l.Theme.Warn
	}
	return l.Theme.Muted
}
