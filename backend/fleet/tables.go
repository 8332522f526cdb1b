package fleet

import "binnacle/backend/store"

// Part is what the fleet's engine keeps in the database: sessions, which follow
// from the ledger's facts, and tables that don't. fleet_seen, fleet_process,
// fleet_place and fleet_unknown are telemetry; fleet_marks are places in other logs.
func Part() store.Part {
	return store.Part{
		Records: []store.Projection{Sessions},
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
