package document

import (
	"strconv"
	"strings"
	"time"

	"binnacle/model"
	"binnacle/model/fleetmap"
	"binnacle/model/session"
	"binnacle/views/canvas"
)

// session writes a row of the fleet map in full. Ages are by this machine's
// clock: the clocks of two machines are never compared.
func (p *sheet) session(v *fleetmap.Picture, s *fleetmap.Session) {
	t := &p.l.Theme
	p.field("state", p.l.SessionTone(s.State), p.l.Shape(s.State)+" "+s.State)
	p.field("why", t.Warn, s.Reason)
	p.field("about", t.Text, s.Title)
	p.field("asks", t.Warn, s.Asks)
	p.field("machine", t.Text, s.Machine)
	p.field("actor", t.Text, s.Actor)
	p.field("tool", t.Text, s.Agent)
	p.field("last event", t.Text, s.Event)
	if s.State == session.Seen {
		p.field("work tree", t.Text, s.View)
		p.field("hooks", t.Text, "binnacle fleet hooks install "+s.Agent)
		return
	}
	p.number("events", s.EventSeq)
	if s.Session != "" {
		p.age("last heard", v.Since(s.RowAge, p.l.Now))
	}
	p.field("context", p.l.ContextTone(s.Ctx), contextSays(s.Ctx))
	p.field("last write", t.Text, s.LastWrite)
	if s.LastWrite != "" {
		p.age("written", v.Since(s.WrittenAge(), p.l.Now))
	}
	p.field("change", t.Text, s.Change)
	p.field("base", t.Muted, s.Base)
	switch {
	case s.Behind == nil:
	case *s.Behind:
		p.field("behind", t.Warn, "yes: trunk moved past its base")
	default:
		p.field("behind", t.OK, "no")
	}
	p.field("work tree", t.Text, s.View)
	if s.Place != nil {
		p.field("branch", t.Text, s.Place.Branch)
		p.field("runs in", t.Text, s.Place.Where())
		if s.Place.Where() != s.Place.TTY {
			p.field("terminal", t.Text, s.Place.TTY)
		}
		p.field("transcript", t.Text, s.Place.Transcript)
	}
	if len(s.Paths) > 0 {
		p.head("Paths")
		for _, path := range s.Paths {
			p.prose(t.Text, path)
		}
	}
	key := fleetmap.KeyOf(*s)
	first := true
	for _, c := range v.Collisions {
		other := c.A
		if c.A == key {
			other = c.B
		} else if c.B != key {
			continue
		}
		if first {
			p.head("Collisions")
			first = false
		}
		p.prose(t.Danger, p.l.Glyphs.Alert+" "+other+" is on "+c.Path+", too")
	}
}

// machine writes a machine of the fleet map in full.
func (p *sheet) machine(v *fleetmap.Picture, m *fleetmap.Machine) {
	t := &p.l.Theme
	if m.Self {
		p.field("", t.Accent, "this machine")
	}
	p.field("agent", t.Text, m.Agent)
	signed := "no"
	if m.Signed {
		signed = "yes, by its agent's key in the registry"
	}
	p.field("signed", t.Text, signed)
	if !m.Readable {
		p.field("readable", t.Danger, "no")
	}
	p.field("refused", t.Warn, strings.TrimSpace(string(m.Code)+" "+m.Why))
	p.field("sessions", t.Text, strconv.Itoa(m.Fresh)+" fresh")
	p.number("left out", m.Dropped)
	p.age("summary", v.Since(m.Age, p.l.Now))
	if d := m.Skew; d > time.Minute || d < -time.Minute {
		say := "about " + model.Age(max(d, -d)) + " ahead of ours"
		if d < 0 {
			say = "about " + model.Age(-d) + " behind ours"
		}
		p.field("its clock", t.Warn, say+"; ages do not depend on it")
	}
}

func (p *sheet) age(label string, d time.Duration) {
	p.field(label, p.l.Theme.Text, model.Ago(d))
}

func contextSays(c session.ContextUse) string {
	switch {
	case c.Used <= 0:
		return ""
	case c.Max <= 0:
		return canvas.Thousands(c.Used) + " tokens"
	}
	return canvas.Thousands(c.Used) + " of " + canvas.Thousands(c.Max) + " tokens, " + strconv.FormatInt(c.Used*100/c.Max, 10) + "%"
}
