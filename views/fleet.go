package views

import (
	"strconv"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/fleetmap"
	"binnacle/model/session"
	"binnacle/themes"
	"binnacle/views/text"
)

// Fleet is the fleet pane: every machine of the last fetch with its sessions.
type Fleet struct {
	Chrome
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

func fleetColumns() []column {
	return []column{
		fleetMachine: {least: 8, most: 14},
		fleetActor:   {least: 8, most: 14},
		fleetTool:    {least: 6, most: 11, rank: 4},
		fleetSession: {least: 8, most: 8, rank: 5},
		fleetState:   {least: 11, most: 11},
		fleetChange:  {least: 6, most: 12, rank: 5},
		fleetPaths:   {least: 6, rank: 7},
		fleetContext: {least: 4, most: 4, rank: 6, right: true},
		fleetAge:     {least: 4, most: 4, rank: 2, right: true},
		fleetMark:    {least: 1, most: 1},
	}
}

// Draw draws the fleet pane.
func (p Fleet) Draw(s Size, look Look) string {
	l := &look
	in := inner(s)
	if p.View == nil {
		lines := l.empty(in, "Who works on what, on every machine of the repository, will stand here. It is read from Git refs: "+
			"this workspace is in no Git repository.")
		return l.pane(p.Chrome, "5", "Fleet", "", lines, s, [2]int{})
	}
	chrome := p.Chrome
	if p.View.Fault != "" {
		chrome.Fault = p.View.Fault
	}
	rows := p.Rows()
	at := find(p.At, len(rows), func(i int) ID { return rows[i].ID() })
	top := Window(len(rows), at, p.Top, in.H)
	widths := arrange(fleetColumns(), in.W-gutter)
	colliding := p.View.Colliding()
	lines := make([]string, 0, in.H)
	for i := top; i < min(top+in.H, len(rows)); i++ {
		lines = append(lines, l.fleetLine(&p, rows[i], i == at, colliding, in.W, widths))
	}
	if len(rows) == len(p.View.Landings) && len(lines) < in.H { // nobody is there: say why
		lines = append(lines, l.noFleet(p.View, Size{in.W, in.H - len(lines)})...)
	}
	from, to := thumb(int64(len(rows)), int64(top), in.H)
	return l.pane(chrome, "5", "Fleet", p.status(l, len(rows)-in.H), lines, s, [2]int{from, to})
}

// status says how old the map is: it is never more than the last fetch. hidden
// rows, above or below what is drawn, are counted.
func (p Fleet) status(l *Look, hidden int) string {
	say := p.freshness(l)
	if hidden > 0 {
		say = thousands(int64(hidden)) + " more " + l.Glyphs.Bullet + " " + say
	}
	return say
}

func (p Fleet) freshness(l *Look) string {
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
		say += ", " + count(int64(v.Map.LeftOut), "machine", "machines") + " left out"
	}
	if n := len(v.Collisions); n > 0 {
		word := "collisions"
		if v.MoreCollisions {
			word = "collisions and more"
		}
		say = count(int64(n), "collision", word) + " " + l.Glyphs.Bullet + " " + say
	}
	return say
}

// noFleet says why nothing stands there.
func (l *Look) noFleet(v *fleetmap.Picture, in Size) []string {
	if v.Map.FetchedAt == 0 {
		return l.empty(in, "The remote's live refs were not fetched yet, so this is not the fleet. Fetch them:", "binnacle fleet status")
	}
	return l.empty(in, "No machine says anything. An agent's hooks make it report:", "binnacle fleet hooks install claude-code")
}

// landingCells is a landing and when it was.
func (l *Look) landingCells(ln *line, e *model.Event) {
	ln.put(l.Theme.Muted, "landed ")
	when := l.when(e.TS) + " "
	ln.put(l.Theme.Coord, text.CutTail(Summary(*e), max(ln.room()-text.Width(when)-1, 0), l.Glyphs.Ellipsis))
	ln.right(l.Theme.Muted, when)
}

func (l *Look) fleetLine(p *Fleet, r FleetRow, at bool, colliding map[string]fleetmap.Collision, w int, widths []int) string {
	ln := l.begin(w, at, false, p.Focus)
	if r.Landing != nil {
		l.landingCells(&ln, r.Landing)
		return ln.end()
	}
	if r.Session == nil {
		l.machineCells(&ln, p.View, r.Machine, widths)
		return ln.end()
	}
	s := r.Session
	_, collides := colliding[fleetmap.KeyOf(*s)]
	for i, cw := range widths {
		if cw == 0 {
			continue
		}
		switch i {
		case fleetMachine:
			ln.cell(l.Theme.Muted, clean.Line(s.Machine), cw, false)
		case fleetActor:
			ln.cell(l.Theme.Text, l.orDash(clean.Line(s.Actor)), cw, false)
		case fleetTool:
			ln.cell(l.Theme.Muted, l.orDash(clean.Line(s.Agent)), cw, false)
		case fleetSession: // two sessions of one tool on one machine differ by it alone
			ln.cell(l.Theme.Accent, l.orDash(clean.Line(cut(s.Session, 8))), cw, false)
		case fleetState:
			ln.cell(l.sessionTone(s.State), l.shape(s.State)+" "+clean.Line(s.State), cw, false)
		case fleetChange:
			ln.cell(l.behindTone(s.Behind), l.orDash(l.changeText(s)), cw, false)
		case fleetPaths:
			say := strings.Join(s.Paths, " ")
			if s.Reason != "" {
				say = s.Reason
			}
			ln.cell(l.Theme.Muted, clean.Line(cut(say, maxShown)), cw, false)
		case fleetContext:
			ln.cell(l.contextTone(s.Ctx), l.contextText(s.Ctx), cw, true)
		case fleetAge:
			say := l.Glyphs.Dash
			if s.Session != "" && s.State != session.Seen {
				say = model.Age(p.View.Since(s.RowAge, l.Now))
			}
			ln.cell(l.Theme.Muted, say, cw, true)
		case fleetMark:
			if collides {
				ln.put(l.Theme.Danger, l.Glyphs.Alert)
			}
		}
		ln.gap(1)
	}
	return ln.end()
}

// machineCells is a machine that lists no session, and why.
func (l *Look) machineCells(ln *line, v *fleetmap.Picture, m *fleetmap.Machine, widths []int) {
	name := widths[fleetMachine]
	if name == 0 {
		name = 8
	}
	ln.cell(l.Theme.Muted, clean.Line(m.Machine), name, false)
	ln.gap(1)
	say, tone := "no session", l.Theme.Muted
	if m.Code != "" {
		say, tone = string(m.Code)+": "+m.Why, l.Theme.Warn
	}
	if m.Self {
		say = "this machine, " + say
	}
	ln.put(tone, clean.Line(cut(say, maxShown)))
	ln.right(l.Theme.Muted, model.Age(v.Since(m.Age, l.Now))+" ")
}

func (l *Look) orDash(s string) string {
	if s == "" {
		return l.Glyphs.Dash
	}
	return s
}

// shape is a session's state as a shape, for whoever sees no colour.
func (l *Look) shape(state string) string {
	switch state {
	case session.Working:
		return l.Glyphs.Live
	case session.Idle:
		return l.Glyphs.ReadOnly
	case session.Waiting:
		return l.Glyphs.Alert
	case session.Starting:
		return l.Glyphs.Bullet
	case session.Untracked, session.Unknown, session.Seen:
		return "?"
	}
	return l.Glyphs.Dash
}

func (l *Look) sessionTone(state string) themes.Style {
	switch state {
	case session.Waiting, session.Unknown, session.Untracked, session.Seen:
		return l.Theme.Warn
	}
	return l.Theme.StateStyle(state)
}

func (l *Look) behindTone(behind *bool) themes.Style {
	if behind != nil && *behind {
		return l.Theme.Warn
	}
	return l.Theme.Text
}

// changeText is the change, with a mark where trunk moved past its base.
func (l *Look) changeText(s *fleetmap.Session) string {
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
func (l *Look) contextText(c session.ContextUse) string {
	switch {
	case c.Used <= 0:
		return ""
	case c.Max <= 0:
		return short(c.Used)
	}
	return strconv.FormatInt(min(c.Used*100/c.Max, 999), 10) + "%"
}

func (l *Look) contextTone(c session.ContextUse) themes.Style {
	if c.Max > 0 && c.Used*100/c.Max >= 80 {
		return l.Theme.Warn
	}
	return l.Theme.Muted
}
