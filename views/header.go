package views

import (
	"strconv"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/themes"
	"binnacle/views/canvas"
	"binnacle/views/text"
)

// Header is the top line.
type Header struct {
	Workspace string // its path, as it is to be shown
	Paused    bool   // the events do not follow
	ReadOnly  bool
	Past      model.Time // the instant that is shown instead of the present; 0: the present
	Events    int64
	Verified  desk.Verified
	Gone      bool // the workspace is not where it was opened
	Rate      desk.Rate
	Queue     int64 // open directives
	Working   int   // sessions at work
	Sessions  int   // all sessions of the fleet; 0 leaves the part out
	Needs     int
	Alarms    []desk.Alarm
}

// part is one piece of the top line.
type part struct {
	rank  int // the highest leaves first
	width int
	draw  func(*canvas.Line)
}

// sparkCells is how many of the newest seconds the header's curve shows.
const sparkCells = 6

// Draw draws the top line: exactly one line of w cells.
func (h Header) Draw(w int, look canvas.Look) string {
	l := &look
	clock := l.Now.Std().In(l.Location()).Format("15:04")
	parts := h.parts(l, w)
	const apart = 3
	keep := func(worst int) int {
		total := 1 + len(clock) + 2
		for _, p := range parts {
			if p.rank <= worst {
				total += p.width + apart
			}
		}
		return total
	}
	worst := 0
	for _, p := range parts {
		worst = max(worst, p.rank)
	}
	for worst > 0 && keep(worst) > w {
		worst--
	}
	ln := canvas.NewLine(w, l)
	ln.Gap(1)
	for i, p := range parts {
		if p.rank > worst {
			continue
		}
		if i > 0 {
			ln.Gap(apart)
		}
		p.draw(&ln)
	}
	ln.Right(l.Theme.Muted, clock+" ")
	return ln.End()
}

func (h Header) parts(l *canvas.Look, w int) []part {
	var out []part
	add := func(rank int, pieces ...piece) {
		n := 0
		for _, p := range pieces {
			n += text.Width(p.s)
		}
		out = append(out, part{rank, n, func(ln *canvas.Line) {
			for _, p := range pieces {
				ln.Put(p.st, p.s)
			}
		}})
	}
	t, g := &l.Theme, &l.Glyphs
	add(0, piece{t.Strong, "binnacle"})
	for i, a := range h.Alarms {
		if i > 0 {
			break
		}
		// "clock: the clock is an hour behind" would lose the hour where it is narrow.
		words := strings.TrimPrefix(a.Text, "the "+a.Engine+" ")
		say := g.Alert + " " + clean.Line(a.Engine) + ": " + clean.Line(words)
		if n := len(h.Alarms) - 1; n > 0 {
			say += " (+" + strconv.Itoa(n) + ")"
		}
		add(1, piece{t.Danger, text.CutTail(say, min(max(w/3, 12), 48), g.Ellipsis)})
	}
	if h.Workspace != "" {
		add(9, piece{t.Muted, text.CutTail(clean.Line(h.Workspace), 40, g.Ellipsis)})
	}
	add(2, h.mode(l)...)
	events := []piece{{t.Text, canvas.Thousands(h.Events) + " events "}}
	rank := 4
	if h.Verified.State == desk.VerifyFailed {
		rank = 1 // that must not be missed, and the number can be
		if w < 80 {
			events = nil
		}
	}
	add(rank, append(events, h.verified(l, w)...)...)
	rate := []piece{{t.Text, canvas.PerSecond(h.Rate.PerSecond) + " "}}
	curve := text.Spark(h.Rate.History[desk.RateSeconds-sparkCells:], g.ASCII)
	add(7, append(rate, piece{t.Info, curve})...)
	if h.Queue > 0 {
		add(5, piece{t.Muted, "queue "}, piece{t.Text, canvas.Thousands(h.Queue)})
	} else {
		add(8, piece{t.Muted, "queue 0"})
	}
	if h.Sessions > 0 {
		add(6, piece{t.Muted, "fleet "}, piece{t.Text, strconv.Itoa(h.Working) + "/" + strconv.Itoa(h.Sessions)})
	}
	if h.Needs > 0 {
		add(3, piece{t.Warn, "needs you " + canvas.Thousands(int64(h.Needs))})
	} else {
		add(8, piece{t.Muted, "needs you 0"})
	}
	return out
}

// piece is text with its style.
type piece struct {
	st themes.Style
	s  string
}

func (h Header) mode(l *canvas.Look) []piece {
	t, g := &l.Theme, &l.Glyphs
	switch {
	case h.Gone:
		return []piece{{t.Danger, g.Bad + " gone"}}
	case h.Past != 0:
		return []piece{{t.Warn, g.Paused + " as of " + l.Clock(h.Past)}}
	case h.Paused && h.ReadOnly:
		return []piece{{t.Warn, g.Paused + " paused, read-only"}}
	case h.Paused:
		return []piece{{t.Warn, g.Paused + " paused"}}
	case h.ReadOnly:
		return []piece{{t.OK, g.Live}, {t.Text, " live, read-only"}}
	}
	return []piece{{t.OK, g.Live}, {t.Text, " live"}}
}

// verified is the mark after the events: the whole chain was checked up to
// here, or where it diverges first.
func (h Header) verified(l *canvas.Look, w int) []piece {
	t, g := &l.Theme, &l.Glyphs
	if h.Gone {
		return []piece{{t.Muted, g.Dash}} // what was verified is not there any more
	}
	switch h.Verified.State {
	case desk.VerifyOK:
		if behind := h.Events - h.Verified.Seq; behind > 0 {
			return []piece{{t.OK, g.Good}, {t.Muted, " to " + canvas.Thousands(h.Verified.Seq)}}
		}
		return []piece{{t.OK, g.Good}}
	case desk.VerifyFailed:
		say := g.Bad
		if h.Verified.At != 0 {
			say += " at " + canvas.Thousands(h.Verified.At)
		}
		if h.Verified.Finding != "" && w >= TwoColumns {
			say += ": " + text.CutTail(clean.Line(h.Verified.Finding), w/4, g.Ellipsis)
		}
		return []piece{{t.Danger, say}}
	case desk.VerifyRunning:
		say := g.Checking
		if h.Events > 0 {
			say += strconv.FormatInt(min(h.Verified.Seq*100/h.Events, 99), 10) + "%"
		}
		return []piece{{t.Muted, say}}
	}
	return []piece{{t.Muted, g.Dash}}
}
