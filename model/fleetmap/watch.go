package fleetmap

import (
	"encoding/base64"
	"encoding/json"
	"time"

	"binnacle/model"
)

// Bounds of one look at what changed.
const (
	MaxLandings     = 500
	MaxBayEvents    = 500
	MaxLandingPaths = 1000 // more are summed up as top-level names
	maxCursorBytes  = 64 << 10
)

// Landing is one first-parent commit of trunk.
type Landing struct {
	Commit string     `json:"commit"`
	Change string     `json:"change,omitempty"` // by its Bay-Change trailer
	At     model.Time `json:"at"`               // the committer's, for display
	Title  string     `json:"title"`            // as it is written: not cleaned
	Paths  []string   `json:"paths"`            // what it changed against its first parent
	Cut    bool       `json:"paths_cut,omitempty"`
}

// WatchPage is what happened after a cursor.
type WatchPage struct {
	Change        string         `json:"change,omitempty"` // whose view asked, "" outside of a view
	State         *Change        `json:"state,omitempty"`  // the change, where a view asked without a cursor
	Landings      []Landing      `json:"landings"`         // the oldest first
	Events        []BayEvent     `json:"events"`
	Invalidations []Invalidation `json:"invalidations"`
	More          bool           `json:"more"`              // the cursor goes on from here at once
	Skipped       int64          `json:"skipped,omitempty"` // older landings that a look without a cursor left out
	Cursor        string         `json:"cursor"`
	Freshness     Freshness      `json:"freshness"`
	Notes         []string       `json:"notes,omitempty"` // logs that could not be read
}

// Freshness says how old the answer may be.
type Freshness struct {
	Source    string        `json:"source"` // remote: asked just now; cache: the last fetch
	FetchedAt model.Time    `json:"fetched_at"`
	Age       time.Duration `json:"-"`
	Why       string        `json:"why,omitempty"` // why the remote was not asked
}

// MarshalJSON writes the age in seconds.
func (f Freshness) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Source    string     `json:"source"`
		FetchedAt model.Time `json:"fetched_at"`
		Age       float64    `json:"age_s"`
		Why       string     `json:"why,omitempty"`
	}{f.Source, f.FetchedAt, seconds(f.Age), f.Why})
}

// WatchCursor is where a reader of the watch has come to. It travels as an
// opaque text.
type WatchCursor struct {
	Version int               `json:"v"`
	Remote  string            `json:"r"`           // the remote's hash: another remote's cursor is of no use
	Trunk   string            `json:"t,omitempty"` // the last landing that was listed
	Logs    map[string]string `json:"l,omitempty"` // the last commit listed, by executor
	Change  string            `json:"c,omitempty"` // whose view asked
	Moved   []string          `json:"m,omitempty"` // invalidations that were told: kind NUL ref NUL now
}

// Text is the cursor's opaque form.
func (c WatchCursor) Text() string {
	c.Version = 1
	raw, err := json.Marshal(c) // maps are written in the order of their keys
	if err != nil {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(raw)
}

// ParseWatchCursor reads Text's form.
func ParseWatchCursor(text string) (WatchCursor, error) {
	bad := func() (WatchCursor, error) {
		return WatchCursor{}, model.Errorf(model.CodeUsage, "that is not a cursor of fleet watch").
			WithHint("pass the cursor as fleet watch returned it, or none to begin")
	}
	if len(text) > maxCursorBytes {
		return bad()
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return bad()
	}
	var c WatchCursor
	if err := json.Unmarshal(raw, &c); err != nil || c.Version != 1 {
		return bad()
	}
	if c.Trunk != "" && !HexID(c.Trunk) || c.Change != "" && !label(c.Change, true) {
		return bad()
	}
	for name, head := range c.Logs {
		if !label(name, false) || !HexID(head) {
			return bad()
		}
	}
	return c, nil
}
