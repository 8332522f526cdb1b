package fleet

import (
	"cmp"
	"slices"

	"binnacle/backend/coord"
	"binnacle/backend/fleet/process"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/session"
)

// Rows are this workspace's sessions at the instant of one read, those that are
// open first, the newest report first in each. The zero value has none.
type Rows struct{ list []Session }

// keptRows are the rows as they were read last; "" is no mark.
type keptRows struct {
	mark string
	rows Rows
}

// ReadRows reads the sessions' rows at the reader's instant. Where nothing
// changed them since they were read last it costs a look at one mark.
func (f *book) ReadRows(r store.Reader) (Rows, error) {
	mark, err := coord.Mark(r)
	if err != nil {
		return Rows{}, err
	}
	f.mu.Lock()
	kept := f.rows
	f.mu.Unlock()
	if mark != "" && kept.mark == mark {
		return kept.rows, nil
	}
	f.rowReads.Add(1)
	var rows Rows
	for i, where := range []string{`s.state <> 'ended'`, `s.state = 'ended'`} {
		from := len(rows.list)
		if err := scanSessions(r, where, &rows.list); err != nil {
			return Rows{}, err
		}
		declared, err := coord.ReadDeclared(r, i == 0, maxLocal)
		if err != nil {
			return Rows{}, err
		}
		for _, d := range declared {
			rows.list = append(rows.list, Session{Session: d.Session, Seen: d.Seen, Event: d.Act, Events: d.Acts, lease: &d.Lease})
		}
		if len(declared) > 0 {
			slices.SortStableFunc(rows.list[from:], func(a, b Session) int { return cmp.Compare(b.Since, a.Since) })
		}
	}
	f.mu.Lock()
	f.rows = keptRows{mark, rows}
	f.mu.Unlock()
	return rows, nil
}

// RowReads counts how often the rows themselves were read.
func (f *book) RowReads() int64 { return f.rowReads.Load() }

// judged are the sessions with what is known of their processes now.
func (f *book) judged(rows Rows, now model.Reading) []Session {
	out := append([]Session(nil), rows.list...)
	for i := range out {
		s := &out[i]
		switch {
		case s.State == session.Ended:
		case s.lease != nil:
			s.Alive = !s.lease.Over(now)
		default:
			s.Alive = f.judges(s, now) && process.Same(s.PID, s.start)
		}
	}
	return out
}

// Part is what the fleet's engine keeps in the database, none of which follows
// from the ledger's facts. fleet_seen, fleet_process,
// fleet_place and fleet_unknown are telemetry; fleet_marks are places in other logs.
func Part() store.Part {
	return store.Part{
		Tables: []store.Table{
			{Name: "fleet_seen", Make: []string{`CREATE TABLE fleet_seen (
				key TEXT PRIMARY KEY, boot TEXT NOT NULL, up INTEGER NOT NULL, wall INTEGER NOT NULL, event TEXT NOT NULL,
				events INTEGER NOT NULL, ctx_used INTEGER NOT NULL, ctx_max INTEGER NOT NULL, last_write TEXT NOT NULL,
				write_boot TEXT NOT NULL, write_up INTEGER NOT NULL, write_wall INTEGER NOT NULL,
				pid INTEGER NOT NULL, pid_start INTEGER NOT NULL, parent TEXT NOT NULL
			)`}},
			// The process behind a session's newest report, and the plugin's number of it.
			{Name: "fleet_process", Make: []string{`CREATE TABLE fleet_process (
				key TEXT PRIMARY KEY, pid INTEGER NOT NULL, pid_start INTEGER NOT NULL, space TEXT NOT NULL, n INTEGER NOT NULL
			)`}},
			// Where a session runs and what it is about, as JSON: for this machine alone.
			{Name: "fleet_place", Make: []string{`CREATE TABLE fleet_place (key TEXT PRIMARY KEY, place TEXT NOT NULL)`}},
			{Name: "fleet_unknown", Make: []string{`CREATE TABLE fleet_unknown (
				tool TEXT NOT NULL, event TEXT NOT NULL, count INTEGER NOT NULL, seen INTEGER NOT NULL, members TEXT NOT NULL,
				PRIMARY KEY (tool, event)
			)`}},
			{Name: "fleet_marks", Make: []string{`CREATE TABLE fleet_marks (name TEXT PRIMARY KEY, value TEXT NOT NULL)`}},
		},
	}
}
