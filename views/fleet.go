package views

import (
	"strconv"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/fleetmap"
	"binnacle/model/session"
	"binnacle/themes"
	"binnacle/views/canvas"
	"binnacle/views/summary"
	"binnacle/views/text"
)

// Fleet is the fleet pane: every machine of the last fetch with its sessions.
type Fleet struct {
	canvas.Chrome
	Cursor
	View *fleetmap.Picture // nil: there is no fleet here
}

// FleetRow is one line of the fleet pane: a session (or a held change without
// one), a machine that has none to show, or a landing. Exactly one is set.
type FleetRow struct {
	Machine *fleetmap.Machine
	Session *fleetmap.Session
	Landing *model.Event
}

// ID is who the row is.
func (r FleetRow) ID() ID {
	switch {
	case r.Session != nil:
		return ID{NounSession, fleetmap.KeyOf(*r.Session)}
	case r.Landing != nil:
		return ID{NounEvent, strconv.FormatInt(r.Landing.Seq, 10)}
	}
	return ID{NounMachine, r.Machine.Machine}
}

// Rows lists the pane's rows: the sessions in the map's order, then the
// machines that list none, then the newest landings.
func (p Fleet) Rows() []FleetRow {
	if p.View == nil {
		return nil
	}
	var out []FleetRow
	busy := map[string]bool{}
	for i := range p.View.Map.Sessions {
		s := &p.View.Map.Sessions[i]
		if s.LiveRow == nil {
			continue
		}
		busy[s.Machine] = true
		out = append(out, FleetRow{Session: s})
	}
	for i := range p.View.Map.Machines {
		if m := &p.View.Map.Machines[i]; !busy[m.Machine] {
			out = append(out, FleetRow{Machine: m})
		}
	}
	for i := range p.View.Landings {
		out = append(out, FleetRow{Landing: &p.View.Landings[i]})
	}
	return out
}

// Columns of the fleet pane.
const (
	fleetMachine = iota
	fleetActor
	fleetTool
	fleetSession
	fleetState
	fleetChange
	fleetPaths
	fleetContext
	fleetAge
	fleetMark
)

func fleetColumns() []canvas.Column {
	return []canvas.Column{
		fleetMachine: {Least: 8, Most: 14},
		fleetActor:   {Least: 8, Most: 14},
		fleetTool:    {Least: 6, Most: 11, Rank: 4},
		fleetSession: {Least: 8, Most: 8, Rank: 5},
		fleetState:   {Least: 11, Most: 11},
		fleetChange:  {Least: 6, Most: 12, Rank: 5},
		fleetPaths:   {Least: 6, Rank: 7},
		fleetContext: {Least: 4, Most: 4, Rank: 6, Right: true},
		fleetAge:     {Least: 4, Most: 4, Rank: 2, Right: true},
		fleetMark:    {Least: 1, Most: 1},
	}
}

// Draw draws the fleet pane.
func (p Fleet) Draw(s canvas.Size, look canvas.Look) string {
	l := &look
	in := canvas.Inner(s)
	if p.View == nil {
		lines := l.Empty(in, "Who works on what, on every machine of the repository, will stand here. It is read from Git refs: "+
			"this workspace is in no Git repository.")
		return PaneFleet.box(l, p.Chrome, "", "", lines, s, [2]int{})
	}
	chrome := p.Chrome
	if p.View.Fault != "" {
		chrome.Fault = p.View.Fault
	}
	rows := p.Rows()
	at := find(p.At, len(rows), func(i int) ID { return rows[i].ID() })
	top := canvas.Window(len(rows), at, p.Top, in.H)
	widths := canvas.Widths(fleetColumns(), in.W-canvas.Gutter)
	colliding := p.View.Colliding()
	lines := make([]string, 0, in.H)
	for i := top; i < min(top+in.H, len(rows)); i++ {
		lines = append(lines, fleetLine(l, &p, rows[i], i == at, colliding, in.W, widths))
	}
	if len(rows) == len(p.View.Landings) && len(lines) < in.H { // nobody is there: say why
		lines = append(lines, noFleet(l, p.View, canvas.Size{W: in.W, H: in.H - len(lines)})...)
	}
	from, to := canvas.Thumb(int64(len(rows)), int64(top), in.H)
	return PaneFleet.box(l, chrome, "", p.status(l, len(rows)-in.H), lines, s, [2]int{from, to})
}

// status says how old the map is: it is never more than the last fetch. hidden
// rows, above or below what is drawn, are counted.
func (p Fleet) status(l *canvas.Look, hidden int) string {
	say := p.freshness(l)
	if hidden > 0 {
		say = canvas.Thousands(int64(hidden)) + " more " + l.Glyphs.Bullet + " " + say
	}
	return say
}

func (p Fleet) freshness(l *canvas.Look) string {
	v := p.View
	if v.Map.FetchedAt == 0 {
		return "never fetched"
	}
	age := v.Since(v.Map.FetchAge, l.Now)
	say := "fetched " + model.Ago(age)
	if v.Map.Behind != nil && *v.Map.Behind {
		say += ", behind"
	}
	if v.Map.Truncated {
		say += ", " + canvas.Count(int64(v.Map.LeftOut), "machine", "machines") + " left out"
	}
	if n := len(v.Collisions); n > 0 {
		word := "collisions"
		if v.MoreCollisions {
			word = "collisions and more"
		}
		say = canvas.Count(int64(n), "collision", word) + " " + l.Glyphs.Bullet + " " + say
	}
	return say
}

// noFleet says why nothing stands there.
func noFleet(l *canvas.Look, v *fleetmap.Picture, in canvas.Size) []string {
	if v.Map.FetchedAt == 0 {
		return l.Empty(in, "The remote's live refs were not fetched yet, so this is not the fleet. Fetch them:", "binnacle fleet status")
	}
	return l.Empty(in, "No machine says anything. An agent's hooks make it report:", "binnacle fleet hooks install claude-code")
}

// landingCells is a landing and when it was.
func landingCells(l *canvas.Look, ln *canvas.Line, e *model.Event) {
	ln.Put(l.Theme.Muted, "landed ")
	when := l.When(e.TS) + " "
	ln.Put(l.Theme.Coord, text.CutTail(summary.Of(*e), max(ln.Room()-text.Width(when)-1, 0), l.Glyphs.Ellipsis))
	ln.Right(l.Theme.Muted, when)
}

func fleetLine(l *canvas.Look, p *Fleet, r FleetRow, at bool, colliding map[string]fleetmap.Collision, w int, widths []int) string {
	ln := l.Begin(w, at, false, p.Focus)
	if r.Landing != nil {
		landingCells(l, &ln, r.Landing)
		return ln.End()
	}
	if r.Session == nil {
		machineCells(l, &ln, p.View, r.Machine, widths)
		return ln.End()
	}
	s := r.Session
	_, collides := colliding[fleetmap.KeyOf(*s)]
	for i, cw := range widths {
		if cw == 0 {
			continue
		}
		switch i {
		case fleetMachine:
			ln.Cell(l.Theme.Muted, clean.Line(s.Machine), cw, false)
		case fleetActor:
			ln.Cell(l.Theme.Text, orDash(l, clean.Line(s.Actor)), cw, false)
		case fleetTool:
			ln.Cell(l.Theme.Muted, orDash(l, clean.Line(s.Agent)), cw, false)
		case fleetSession: // two sessions of one tool on one machine differ by it alone
			ln.Cell(l.Theme.Accent, orDash(l, clean.Line(text.Clip(s.Session, 8))), cw, false)
		case fleetState:
			ln.Cell(l.SessionTone(s.State), l.Shape(s.State)+" "+clean.Line(s.State), cw, false)
		case fleetChange:
			ln.Cell(behindTone(l, s.Behind), orDash(l, changeText(l, s)), cw, false)
		case fleetPaths:
			say := strings.Join(s.Paths, " ")
			if s.Reason != "" {
				say = s.Reason
			}
			ln.Cell(l.Theme.Muted, clean.Line(text.Clip(say, text.MaxShown)), cw, false)
		case fleetContext:
			ln.Cell(l.ContextTone(s.Ctx), contextText(l, s.Ctx), cw, true)
		case fleetAge:
			say := l.Glyphs.Dash
			if s.Session != "" && s.State != session.Seen {
				say = model.Age(p.View.Since(s.RowAge, l.Now))
			}
			ln.Cell(l.Theme.Muted, say, cw, true)
		case fleetMark:
			if collides {
				ln.Put(l.Theme.Danger, l.Glyphs.Alert)
			}
		}
		ln.Gap(1)
	}
	return ln.End()
}

// machineCells is a machine that lists no session, and why.
func machineCells(l *canvas.Look, ln *canvas.Line, v *fleetmap.Picture, m *fleetmap.Machine, widths []int) {
	name := widths[fleetMachine]
	if name == 0 {
		name = 8
	}
	ln.Cell(l.Theme.Muted, clean.Line(m.Machine), name, false)
	ln.Gap(1)
	say, tone := "no session", l.Theme.Muted
	if m.Code != "" {
		say, tone = string(m.Code)+": "+m.Why, l.Theme.Warn
	}
	if m.Self {
		say = "this machine, " + say
	}
	ln.Put(tone, clean.Line(text.Clip(say, text.MaxShown)))
	ln.Right(l.Theme.Muted, model.Age(v.Since(m.Age, l.Now))+" ")
}

func orDash(l *canvas.Look, s string) string {
	if s == "" {
		return l.Glyphs.Dash
	}
	return s
}

func behindTone(l *canvas.Look, behind *bool) themes.Style {
	if behind != nil && *behind {
		return l.Theme.Warn
	}
	return l.Theme.Text
}

// changeText is the change, with a mark where trunk moved past its base.
func changeText(l *canvas.Look, s *fleetmap.Session) string {
	if s.Change == "" {
		return ""
	}
	say := clean.Line(s.Change)
	if s.Behind != nil && *s.Behind {
		say += l.Glyphs.Alert
	}
	return say
}

// contextText is how full the model's context is.
func contextText(l *canvas.Look, c session.ContextUse) string {
	switch {
	case c.Used <= 0:
		return ""
	case c.Max <= 0:
		return canvas.Short(c.Used)
	}
	return strconv.FormatInt(min(c.Used*100/c.Max, 999), 10) + "%"
}
