package fleetmap

import (
	"sort"
	"strconv"
	"time"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/session"
)

// SeenMachine is one machine's summary, judged.
type SeenMachine struct {
	Name     string
	Live     Live          // cleaned; empty when it is not readable
	First    model.Reading // when this machine first had the summary's bytes
	Readable bool
	Code     model.Code // "" when its rows may be listed
	Why      string
	Signed   bool
	Skew     time.Duration
}

// LocalSession is a session of this machine, from its own records: also stale
// and ended ones, for they explain a held change.
type LocalSession struct {
	State string
	Row   LiveRow        // cleaned; Age is since its last report, by this machine's clock
	Place *session.Place // nil: nothing tells
}

// Input is what a map is made of.
type Input struct {
	Repo      string
	Self      string // this machine's name
	Now       model.Reading
	Window    time.Duration
	Fetched   *model.Reading // the last whole fetch of the configured remote, nil: never
	Truncated bool           // the remote has more machines than were read
	LeftOut   int            // how many more
	Alarm     string         // about trunk's keys
	Machines  []SeenMachine  // sorted by name
	Local     []LocalSession
	Changes   []Change // sorted by id
	// Behind says whether trunk moved past the base of a session's change, nil
	// when the cache can't say. A nil func says nil.
	Behind func(change, base string) *bool
	Note   string
	// Unreported are the agent programs on this machine that report nothing.
	Unreported []SeenProgram
}

// SeenProgram is an agent program that runs in a work tree of the repository, and
// of which no hook was heard.
type SeenProgram struct {
	Tool   string
	PID    int
	Folder string // the work tree
}

// Join makes the map. Without a fetch of the configured remote it lists
// nothing and says why: a map of this machine alone would look like the
// fleet's.
func Join(in Input) Map {
	m := Map{Repo: in.Repo, Machine: in.Self, Note: in.Note}
	if in.Fetched == nil {
		m.Blocked = model.CodeNotFetched
		return m
	}
	m.FetchedAt, m.FetchAge = in.Fetched.Wall, Elapsed(*in.Fetched, in.Now)
	m.Behind, m.Truncated = Behind(*in.Fetched, in.Now, in.Window), in.Truncated
	m.LeftOut, m.Alarm = in.LeftOut, in.Alarm
	total := len(in.Local)
	for i := range in.Machines {
		total += len(in.Machines[i].Live.Rows)
	}
	m.Machines = make([]Machine, 0, len(in.Machines)+1)
	m.Sessions = make([]Session, 0, total)
	local := false
	for i := range in.Machines {
		s := &in.Machines[i]
		if !local && s.Name >= in.Self {
			m.addSelf(&in, s)
			local = true
		}
		if s.Name != in.Self {
			m.addMachine(&in, s)
		}
	}
	if !local {
		m.addSelf(&in, nil)
	}
	m.addActors()
	m.addChanges(&in)
	return m
}

// JoinLocal makes the map of this machine's own sessions where no other's can be
// known, with the reason.
func JoinLocal(in Input, why string) Map {
	m := Map{Repo: in.Repo, Machine: in.Self, Unshared: why}
	m.addSelf(&in, nil)
	m.addActors()
	return m
}

func (m *Map) addMachine(in *Input, s *SeenMachine) {
	out := Machine{
		Machine: s.Name, Agent: s.Live.Agent, Readable: s.Readable, Code: s.Code, Why: s.Why, Signed: s.Signed,
		Age: Elapsed(s.First, in.Now), Dropped: s.Live.Dropped, Skew: s.Skew,
	}
	if s.Code == "" {
		for i := range s.Live.Rows {
			r := &s.Live.Rows[i]
			if r.State == session.Ended {
				continue
			}
			if age := out.Age + r.Age; r.fresh(out.Age, in.Window) {
				m.Sessions = append(m.Sessions, Session{Machine: s.Name, LiveRow: r, RowAge: age, Behind: in.behind(r)})
				out.Fresh++
			}
		}
	}
	m.Machines = append(m.Machines, out)
}

// addSelf lists this machine from its own records. What the remote has of it
// is only an older copy of them.
func (m *Map) addSelf(in *Input, s *SeenMachine) {
	published := s != nil && s.Name == in.Self
	out := Machine{Machine: in.Self, Self: true, Readable: true}
	if published {
		out.Agent, out.Signed, out.Dropped = s.Live.Agent, s.Signed, s.Live.Dropped
	}
	for i := range in.Local {
		l := &in.Local[i]
		if l.State == session.Ended || !l.Row.fresh(0, in.Window) {
			continue
		}
		m.Sessions = append(m.Sessions, Session{Machine: in.Self, LiveRow: &l.Row, RowAge: l.Row.Age, Behind: in.behind(&l.Row), Place: l.Place})
		out.Fresh++
	}
	for _, p := range in.Unreported {
		row := &LiveRow{Session: "pid " + strconv.Itoa(p.PID), Agent: p.Tool, State: session.Seen, View: clean.Line(p.Folder)}
		m.Sessions = append(m.Sessions, Session{Machine: in.Self, LiveRow: row, Reason: "not reporting: no hook of process " + strconv.Itoa(p.PID) + " was heard"})
	}
	if published || out.Fresh > 0 || len(in.Unreported) > 0 {
		m.Machines = append(m.Machines, out)
	}
}

// fresh says whether a row that this machine has had for a while still counts:
// by when its process was last seen to run, where its machine says so, else by
// its last report.
func (r *LiveRow) fresh(had, window time.Duration) bool {
	if r.Alive {
		return Fresh(had+r.AliveAge, window)
	}
	return Fresh(had+r.Age, window)
}

func (in *Input) behind(r *LiveRow) *bool {
	if in.Behind == nil || r.Change == "" || r.Base == "" {
		return nil
	}
	return in.Behind(r.Change, r.Base)
}

func (m *Map) addActors() {
	at := map[string]int{}
	last, n := "", 0 // sessions of one actor often stand together
	for i := range m.Sessions {
		s := &m.Sessions[i]
		if s.Actor == "" {
			continue
		}
		if s.Actor != last {
			var ok bool
			if n, ok = at[s.Actor]; !ok {
				n = len(m.Actors)
				at[s.Actor] = n
				m.Actors = append(m.Actors, Actor{Actor: s.Actor, Age: s.RowAge})
			}
			last = s.Actor
		}
		a := &m.Actors[n]
		a.Age = min(a.Age, s.RowAge)
		// Sessions stand by machine, so a repetition is next to the first.
		if k := len(a.Machines); k == 0 || a.Machines[k-1] != s.Machine {
			a.Machines = append(a.Machines, s.Machine)
		}
	}
	sort.Slice(m.Actors, func(i, j int) bool { return m.Actors[i].Actor < m.Actors[j].Actor })
}

// addChanges gives each held change that no fresh session accounts for an
// entry of its own. It is never shown as idle: nobody said so.
func (m *Map) addChanges(in *Input) {
	if len(in.Changes) == 0 {
		return
	}
	fresh := map[string]bool{}
	for i := range m.Sessions {
		fresh[m.Sessions[i].Change] = true
	}
	for i := range in.Changes {
		c := &in.Changes[i]
		if c.State != ChangeHeld || fresh[c.ID] {
			continue
		}
		state, reason := in.judge(c)
		if state == "" {
			continue
		}
		row := &LiveRow{Actor: clean.Line(c.Holder.Actor), Change: c.ID, Base: c.Base, State: state, View: clean.Line(c.View.Path)}
		machine := c.View.Machine
		if machine == "" {
			machine = c.Holder.Machine
		}
		m.Sessions = append(m.Sessions, Session{Machine: clean.Line(machine), LiveRow: row, Behind: in.behind(row), Reason: reason})
	}
}

// judge says what is known of a held change without a fresh session; an empty
// state is: its session here ended, so nothing is to be shown.
func (in *Input) judge(c *Change) (state, reason string) {
	if c.View.Machine != in.Self {
		return session.Unknown, "its view is on another machine, from which no fresh row names it"
	}
	named, open, last := false, false, time.Duration(0)
	for i := range in.Local {
		l := &in.Local[i]
		if l.Row.Change != c.ID {
			continue
		}
		named = true
		if l.State != session.Ended && (!open || l.Row.Age < last) {
			open, last = true, l.Row.Age
		}
	}
	switch {
	case !named:
		return session.Untracked, "no session here names it: its session ran without hooks"
	case open:
		return session.Unknown, "its session here has not reported for " + model.Age(last)
	default:
		return "", ""
	}
}
