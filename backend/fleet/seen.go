package fleet

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"binnacle/backend/coord"
	"binnacle/backend/fleet/git"
	"binnacle/backend/fleet/process"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/fleetmap"
	"binnacle/model/session"
)

// book holds the sessions of this machine: those of this workspace, from what
// hooks reported, and those of the other workspaces that share its remote.
type book struct {
	*core

	rowReads    atomic.Int64 // how often the sessions' rows were read
	folderWalks atomic.Int64 // and the machine's other workspaces' parts

	mu     sync.Mutex // guards what follows
	rows   keptRows
	agents keptAgents
	others keptSources
}

// seen is a session's telemetry: what makes no event.
type seen struct {
	key     string
	at      model.Reading
	event   string
	events  int64
	ctx     session.ContextUse
	write   string
	wroteAt model.Reading
	pid     int
	started int64 // of the process, in its own units; tells it from a later one of the same number
	parent  string
}

const seenColumns = `key, boot, up, wall, event, events, ctx_used, ctx_max, last_write, write_boot, write_up, write_wall, pid, pid_start, parent`

func scanSeen(row interface{ Scan(...any) error }, also ...any) (seen, error) {
	var s seen
	err := row.Scan(append([]any{
		&s.key, &s.at.Boot, &s.at.Up, &s.at.Wall, &s.event, &s.events, &s.ctx.Used, &s.ctx.Max, &s.write,
		&s.wroteAt.Boot, &s.wroteAt.Up, &s.wroteAt.Wall, &s.pid, &s.started, &s.parent,
	}, also...)...)
	return s, err
}

func loadSeen(r store.Reader, key string) (seen, error) {
	s, err := scanSeen(r.QueryRow(`SELECT `+seenColumns+` FROM fleet_seen WHERE key = $1`, key))
	if errors.Is(err, sql.ErrNoRows) {
		return seen{key: key}, nil
	}
	return s, err
}

func saveSeen(tx store.Tx, s seen) error {
	_, err := tx.Exec(store.Upsert("fleet_seen", strings.Split(seenColumns, ", ")...),
		s.key, s.at.Boot, int64(s.at.Up), int64(s.at.Wall), s.event, s.events, s.ctx.Used, s.ctx.Max, s.write,
		s.wroteAt.Boot, int64(s.wroteAt.Up), int64(s.wroteAt.Wall), s.pid, s.started, s.parent)
	if err != nil {
		return err
	}
	return coord.Moved(tx)
}

// note takes a report in.
func (s *seen) note(r session.Report, at model.Reading, pid int, started int64) {
	s.at, s.event = at, r.Event
	s.events++
	if r.Ctx.Used > 0 {
		s.ctx.Used = r.Ctx.Used
	}
	if r.Ctx.Max > 0 {
		s.ctx.Max = r.Ctx.Max
	}
	if n := len(r.Writes); n > 0 {
		s.write, s.wroteAt = r.Writes[n-1], at
		if len(r.Paths) > 0 {
			s.write = r.Paths[len(r.Paths)-1]
		}
	}
	if pid > 0 && r.Subagent == "" {
		s.pid, s.started = pid, started
	}
}

// Session is one session of this machine with its telemetry.
type Session struct {
	session.Session
	Seen   model.Reading // its last report
	Event  string        // the tool's name for it
	Events int64
	Ctx    session.ContextUse
	Write  string // the path that it wrote last
	Wrote  model.Reading
	PID    int
	Alive  bool // its process is known to run now
	start  int64
	space  string       // the pid namespace of PID
	told   told         // where it runs, and what it is about
	lease  *model.Lease // of a session that somebody declared: it has no process
}

// maxLocal bounds how many sessions are looked at.
const maxLocal = 1000

// Sessions lists this workspace's sessions, those that are open first, the
// newest report first in each.
func (f *book) Sessions(ctx context.Context) ([]Session, error) {
	rows, err := f.readRows(ctx)
	return f.judged(rows, f.now()), err
}

// readRows reads the sessions' rows in a read of its own.
func (f *book) readRows(ctx context.Context) (rows Rows, err error) {
	if f.opts.Store == nil {
		return Rows{}, nil
	}
	err = f.opts.Store.Read(ctx, func(r store.Reader) error {
		rows, err = f.ReadRows(r)
		return err
	})
	return rows, err
}

func scanSessions(r store.Reader, where string, out *[]Session) error {
	columns := "coalesce(p.pid, 0), coalesce(p.pid_start, 0), coalesce(p.space, ''), coalesce(l.place, ''), t." + strings.ReplaceAll(seenColumns, ", ", ", t.") + ", s." + strings.ReplaceAll(coord.Sessions.Columns(), ", ", ", s.")
	rows, err := r.Query(`SELECT `+columns+` FROM sessions s JOIN fleet_seen t ON t.key = s.key
		LEFT JOIN fleet_process p ON p.key = s.key LEFT JOIN fleet_place l ON l.key = s.key WHERE `+where+`
		ORDER BY s.since DESC, s.key LIMIT $1`, maxLocal)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var t seen
		var p procRow
		var place string
		s, err := coord.Sessions.ScanRow(scanFunc(func(dest ...any) error {
			var err error
			t, err = scanSeen(scanFunc(func(more ...any) error {
				return rows.Scan(append([]any{&p.pid, &p.started, &p.space, &place}, more...)...)
			}), dest...)
			return err
		}))
		if err != nil {
			return err
		}
		*out = append(*out, Session{
			Session: s, Seen: t.at, Event: t.event, Events: t.events, Ctx: t.ctx, Write: t.write, Wrote: t.wroteAt,
			PID: p.pid, start: p.started, space: p.space, told: parsePlace(place),
		})
	}
	return rows.Err()
}

// scanFunc lets one scanner take its columns out of another's row.
type scanFunc func(dest ...any) error

func (s scanFunc) Scan(dest ...any) error { return s(dest...) }

// row is the session as a summary has it, its ages as of now.
func (s Session) row(now model.Reading) fleetmap.LiveRow {
	r := fleetmap.LiveRow{
		Session: s.ID, Actor: s.Actor, Agent: s.Tool, Change: s.Change, Base: s.Base, State: s.State, Event: s.Event,
		EventSeq: s.Events, Age: fleetmap.Elapsed(s.Seen, now), Ctx: s.Ctx, LastWrite: s.Write, Paths: s.Paths, View: s.View,
	}
	if s.Write != "" {
		r.WriteAge = fleetmap.Elapsed(s.Wrote, now)
	}
	r.Alive, r.Title = s.Alive, s.told.Title
	if s.State == session.Waiting {
		r.Asks = s.told.Asks
	}
	return r
}

// localSessions are this machine's sessions as the map joins them: of this
// workspace, and of the other workspaces that share the remote.
func (f *book) localSessions(rows Rows, r *git.Remote, now model.Reading) ([]fleetmap.LocalSession, error) {
	list := f.judged(rows, now)
	out := make([]fleetmap.LocalSession, 0, len(list))
	for _, s := range list {
		if s.Parent == "" {
			l := fleetmap.LocalSession{State: s.State, Row: cleanRow(s.row(now))}
			if s.told.Place != (session.Place{}) {
				place := s.told.Place
				l.Place = &place
			}
			if (f.judges(&s, now) || s.lease != nil) && !s.Alive {
				l.State = session.Ended // its process is gone, or its lease is over, though nobody wrote it down yet
			}
			out = append(out, l)
		}
	}
	if r == nil {
		return out, nil // other workspaces are known by the remote that they share
	}
	others, err := f.otherRows(r, now)
	for _, row := range others {
		out = append(out, fleetmap.LocalSession{State: row.State, Row: cleanRow(row)})
	}
	return out, err
}

func cleanRow(r fleetmap.LiveRow) fleetmap.LiveRow {
	return fleetmap.Live{Rows: []fleetmap.LiveRow{r}}.Cleaned().Rows[0]
}

// SweepGone ends the sessions whose process is gone, or whose boot is over;
// tools that are killed say nothing. It returns how many.
func (f *book) SweepGone(ctx context.Context) (int, error) {
	list, err := f.Sessions(ctx)
	if err != nil {
		return 0, err
	}
	now := f.now()
	reason := map[string]string{}
	for _, s := range list {
		switch {
		case s.State == session.Ended, s.lease != nil, s.Machine != f.Machine(), s.space != process.Space() && s.PID > 0:
		case s.Seen.Boot != now.Boot:
			reason[s.Key] = "rebooted"
		case s.PID > 0 && !s.Alive:
			reason[s.Key] = "process_gone"
		}
	}
	if len(reason) == 0 {
		return 0, nil
	}
	ended := 0
	err = f.opts.Store.Write(ctx, func(tx store.Tx) error {
		ended = 0
		for _, key := range slices.Sorted(maps.Keys(reason)) {
			s, err := coord.LoadSession(tx, key)
			if err != nil {
				return err
			}
			landed, err := landedAs(tx, s.Change)
			if err != nil {
				return err
			}
			if d, ok := s.End(reason[key], landed); ok {
				ended++
				if err := coord.Tell(tx, &s, f.producer(s.Tool), d); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err == nil && ended > 0 {
		f.poke(true)
	}
	return ended, err
}
