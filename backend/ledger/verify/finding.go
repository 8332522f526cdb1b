package verify

import (
	"encoding/json"
	"time"

	"binnacle/model"
)

// What names the kind of a divergence.
type What string

// The divergences that verify tells apart.
const (
	WhatPayload  What = "payload"  // an event's payload is not what was hashed
	WhatEnvelope What = "envelope" // another field of an event is not what was hashed
	WhatOrder    What = "order"    // events do not stand in the order in which they were written
	WhatMissing  What = "missing"  // events that were there are gone
	WhatLink     What = "link"     // an event does not continue the one before it
	WhatHistory  What = "history"  // an event takes its record a step that can't be
	WhatHead     What = "head"     // the head row is not the newest event
	WhatCount    What = "count"    // a plane count is not what the events add up to
	WhatSpan     What = "span"     // a span's counts by producer or kind are not what its events add up to
	WhatChecks   What = "checks"   // the table checks does not cover the events
	WhatSchema   What = "schema"   // the tables, indexes and the like, or the table meta, are not as this version makes them
	WhatSealed   What = "sealed"   // the file of a segment is missing, or is not what was sealed
	WhatRecord   What = "record"   // a signal, work record or directive is not what its events add up to
)

// Finding is the first divergence.
type Finding struct {
	Seq     int64      `json:"seq"` // the event where it shows; of a count, the newest event; of the schema, 0
	What    What       `json:"what"`
	Kind    model.Kind `json:"kind,omitempty"` // of a record
	Key     string     `json:"key,omitempty"`  // of a record; plane/name of a count
	Message string     `json:"message"`
}

// Err is the finding as an error.
func (f *Finding) Err() error {
	if f == nil {
		return nil
	}
	hint := "nothing was changed; compare with a backup, or rebuild the derived tables if the events are good"
	if f.What == WhatSealed {
		hint = "nothing was changed; bring the segment's file back into the archive, or restore a backup"
	}
	if f.What == WhatSchema {
		hint = "nothing was changed; binnacle ledger rebuild makes our tables and indexes as they were and takes foreign triggers and indexes off them; " +
			"a table or a view that somebody added is theirs to drop, in the sqlite3 shell"
	}
	return model.Errorf(model.CodeCorrupt, "%s", f.Message).WithHint("%s", hint)
}

// Result is what Run found.
type Result struct {
	OK      bool          `json:"ok"`
	From    int64         `json:"from"` // first event that was hashed
	To      int64         `json:"to"`   // last event that was found good
	Events  int64         `json:"events"`
	Derived bool          `json:"derived"` // counts and records were compared, too
	Finding *Finding      `json:"finding,omitempty"`
	Sealed  int64         `json:"sealed,omitempty"` // how many of the events were read from segments
	Strays  []string      `json:"strays,omitempty"` // files in the archive that are none of the ledger's segments
	Elapsed time.Duration `json:"-"`
}

// MarshalJSON writes the time it took in seconds.
func (v Result) MarshalJSON() ([]byte, error) {
	type plain Result
	return json.Marshal(struct {
		plain
		Seconds float64 `json:"seconds"`
	}{plain(v), v.Elapsed.Seconds()})
}
