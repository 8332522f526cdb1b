package coord

import (
	"binnacle/backend/clock"
	"binnacle/backend/store"
	"binnacle/model"
	"binnacle/model/redact"
)

// Options are what a Coord needs besides its store.
type Options struct {
	Clock    model.Clock      // nil: the machine's clock
	Redactor *redact.Redactor // finds secrets; nil: texts are kept as they come
	Producer string           // who writes when a request names nobody; "" is model.Self
}

// Coord is the engine over one store. Its methods may be called from any number
// of goroutines.
type Coord struct {
	store    store.Store
	clock    model.Clock
	redactor *redact.Redactor
	producer string
}

// Open makes the engine. It neither reads nor writes; the store stays the
// caller's.
func Open(s store.Store, o Options) *Coord {
	c := &Coord{store: s, clock: o.Clock, redactor: o.Redactor, producer: o.Producer}
	if c.clock == nil {
		c.clock = clock.Machine()
	}
	if c.producer == "" {
		c.producer = model.Self
	}
	return c
}

// Part is what the engine keeps in the database: sessions, which follow from the
// ledger's facts; when a declared session was last heard of, which is telemetry;
// and marks.
func Part() store.Part {
	return store.Part{
		Records: []store.Projection{Sessions},
		Tables: []store.Table{
			{Name: "coord_signs", Make: []string{
				`CREATE TABLE coord_signs (
					key TEXT PRIMARY KEY, boot TEXT NOT NULL, up INTEGER NOT NULL, wall INTEGER NOT NULL, act TEXT NOT NULL, acts INTEGER NOT NULL,
					span INTEGER NOT NULL, lease_until INTEGER NOT NULL, lease_boot TEXT, lease_awake INTEGER
				)`,
				`CREATE INDEX coord_signs_lease ON coord_signs (lease_boot, lease_awake, lease_until) WHERE span > 0`,
			}},
			{Name: "coord_marks", Make: []string{`CREATE TABLE coord_marks (name TEXT PRIMARY KEY, value TEXT NOT NULL)`}},
		},
	}
}
