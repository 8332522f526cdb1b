package fleetmap

import (
	"slices"
	"time"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/session"
)

// ParseLive reads a summary that another machine wrote. Refusals are of
// CodeOversized or CodeMalformed. Unknown members are passed over, but must
// keep the rules, too: names of [a-z_]+ without repetition, at most
// MaxLiveDepth levels, numbers that JSON carries exactly, nothing behind the
// end. Texts are returned as they are: Cleaned makes them fit for display.
func ParseLive(raw []byte) (Live, error) {
	if len(raw) > MaxLiveBytes {
		return Live{}, model.Errorf(model.CodeOversized, "live.json has %d bytes; at most %d are read", len(raw), MaxLiveBytes)
	}
	s := newStrict(raw, MaxLiveDepth)
	var l Live
	var schema string
	seen := 0
	s.object("live.json", func(name string) {
		switch name {
		case "schema":
			schema = s.text(name, false)
		case "repo":
			l.Repo = s.text(name, false)
			seen |= 1
		case "machine":
			l.Machine = s.text(name, false)
			seen |= 2
		case "agent":
			l.Agent = s.text(name, true)
		case "boot":
			l.Boot = s.text(name, true)
		case "seq":
			l.Seq = s.count(name, false)
			seen |= 4
		case "written_at":
			l.WrittenAt = s.time(name)
		case "dropped":
			l.Dropped = s.count(name, true)
		case "ledger":
			l.Ledger = s.ledger()
		case "rows":
			l.Rows = s.rows()
			seen |= 8
		default:
			s.skip()
		}
	})
	s.end()
	switch {
	case s.err != nil:
		return Live{}, s.err
	case schema != LiveSchema:
		return Live{}, model.Errorf(model.CodeMalformed, "the schema is %q, not %s", clean.Line(model.CutBytes(schema, 40)), LiveSchema)
	case seen != 15:
		return Live{}, model.Errorf(model.CodeMalformed, "live.json lacks one of repo, machine, seq and rows")
	case len(l.Rows) > MaxLiveRows:
		return Live{}, model.Errorf(model.CodeMalformed, "live.json has %d rows; at most %d are read", len(l.Rows), MaxLiveRows)
	}
	l.Rows = eachOnce(l.Rows)
	return l, nil
}

// eachOnce keeps one row of each session: the newest ones stand first.
func eachOnce(rows []LiveRow) []LiveRow {
	type id struct{ agent, session string }
	seen := make(map[id]bool, len(rows))
	return slices.DeleteFunc(rows, func(r LiveRow) bool {
		key := id{r.Agent, r.Session}
		again := seen[key]
		seen[key] = true
		return again
	})
}

func (s *strict) time(name string) model.Time {
	text := s.text(name, true)
	if text == "" {
		return 0
	}
	t, err := model.ParseTime(text)
	if err != nil {
		s.fail("%s is not a time", name)
	}
	return t
}

func (s *strict) ledger() LedgerHead {
	var h LedgerHead
	if s.dec.PeekKind() == 'n' {
		s.token()
		return h
	}
	s.object("ledger", func(name string) {
		switch name {
		case "seq":
			h.Seq = s.count(name, false)
		case "hash":
			h.Hash = s.text(name, true)
		case "epoch":
			h.Epoch = s.text(name, true)
		default:
			s.skip()
		}
	})
	if s.err == nil && h.Hash != "" && (len(h.Hash) != 64 || !HexID(h.Hash)) {
		s.fail("the ledger's hash is not 64 hex digits")
	}
	return h
}

func (s *strict) rows() []LiveRow {
	rows := make([]LiveRow, 0, 8)
	s.array("rows", func() {
		rows = append(rows, s.row())
		if len(rows) > MaxLiveRows {
			s.fail("live.json has more than %d rows", MaxLiveRows)
		}
	})
	return rows
}

func (s *strict) row() LiveRow {
	var r LiveRow
	aged := false
	s.object("a row", func(name string) {
		switch name {
		case "session":
			r.Session = s.text(name, false)
		case "actor":
			r.Actor = s.text(name, true)
		case "agent":
			r.Agent = s.text(name, true)
		case "change":
			r.Change = s.text(name, true)
		case "base":
			r.Base = s.text(name, true)
		case "state":
			r.State = s.text(name, false)
		case "event":
			r.Event = s.text(name, true)
		case "title":
			r.Title = s.text(name, true)
		case "asks":
			r.Asks = s.text(name, true)
		case "event_seq":
			r.EventSeq = s.count(name, true)
		case "age_ms":
			r.Age, aged = s.millis(name, false), true
		case "alive_ms":
			if s.dec.PeekKind() == 'n' {
				s.token()
				break
			}
			r.AliveAge, r.Alive = s.millis(name, false), true
		case "ctx":
			r.Ctx = s.context()
		case "last_write":
			r.LastWrite = s.text(name, true)
		case "write_age_ms":
			r.WriteAge = s.millis(name, true)
		case "paths":
			s.array("paths", func() {
				if p := s.text("a path", false); len(r.Paths) < MaxLivePaths {
					r.Paths = append(r.Paths, p)
				}
			})
		case "view":
			r.View = s.text(name, true)
		default:
			s.skip()
		}
	})
	switch {
	case s.err != nil:
	case r.Session == "":
		s.fail("a row has no session")
	case !aged:
		s.fail("a row has no age_ms")
	case !strictName(r.State) || len(r.State) > model.MaxState:
		s.fail("a row's state is not a word")
	case r.Base != "" && !HexID(r.Base):
		s.fail("a row's base is not a commit's name")
	case r.Change != "" && !label(r.Change, true):
		s.fail("a row's change is not a change id")
	}
	return r
}

func (s *strict) context() session.ContextUse {
	var c session.ContextUse
	if s.dec.PeekKind() == 'n' {
		s.token()
		return c
	}
	s.object("ctx", func(name string) {
		switch name {
		case "used":
			c.Used = s.count(name, true)
		case "max":
			c.Max = s.count(name, true)
		default:
			s.skip()
		}
	})
	return c.Plausible()
}

// maxAge bounds an age so that sums of ages can't overflow: ten years.
const maxAge = 10 * 365 * 24 * time.Hour

func (s *strict) millis(name string, optional bool) time.Duration {
	n := s.count(name, optional)
	if n > maxAge.Milliseconds() {
		s.fail("%s is longer than ten years", name)
		return 0
	}
	return time.Duration(n) * time.Millisecond
}
