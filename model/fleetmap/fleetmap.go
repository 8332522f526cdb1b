package fleetmap

import (
	"encoding/json"
	"time"

	"binnacle/model"
	"binnacle/model/session"
)

// Schema names the map's form in JSON.
const Schema = "binnacle.fleet/1"

// MaxMachines is how many machines' summaries a map reads, and how many a
// host holds.
const MaxMachines = 256

// Map is who works on what, on every machine, as of the last fetch. All
// texts in it are cleaned for display.
type Map struct {
	Repo      string
	Machine   string     // this machine
	Blocked   model.Code // why the map lists nothing, "" when it does
	Unshared  string     // why only this machine's own sessions are known; "" where the others' are
	Machines  []Machine
	Actors    []Actor
	Sessions  []Session  // by machine, the newest first in each; then the held changes without one
	Behind    *bool      // true, or nil: unknown
	FetchedAt model.Time // by the wall clock of the fetch
	FetchAge  time.Duration
	Truncated bool   // the remote has more machines than are read
	LeftOut   int    // how many more; they are not gone
	Alarm     string // why no remote machine is believed: its keys changed in a way that nobody accepted; "" for none
	Note      string // what to know of it: the registry can't be read, a log was rewritten; "" for nothing
}

// Machine is one machine in the fetch.
type Machine struct {
	Machine  string
	Self     bool
	Agent    string
	Readable bool       // false: its summary has another shape than summaries have
	Code     model.Code // why it lists no sessions, "" when it may
	Why      string
	Signed   bool // by its agent's key in the registry
	Age      time.Duration
	Fresh    int           // rows that are listed
	Dropped  int64         // sessions that its summary left out
	Skew     time.Duration // how far its wall clock seems to be ahead of ours (negative: behind); for display only
}

// Actor is a person or role, and where it is at work.
type Actor struct {
	Actor    string        `json:"actor"`
	Machines []string      `json:"machines"`
	Age      time.Duration `json:"-"`
}

// Session is one fresh session, or a held change without one.
type Session struct {
	Machine string
	*LiveRow
	RowAge time.Duration  // of its last report, by this machine's clock
	Behind *bool          // trunk moved past its base; nil: this cache can't say
	Reason string         // why the state is untracked or unknown
	Place  *session.Place // where it runs; nil on other machines, and where nothing tells
}

// WrittenAge is the time since the session's last write, 0 when there was none.
func (s Session) WrittenAge() time.Duration {
	if s.LastWrite == "" {
		return 0
	}
	return s.RowAge - s.Age + s.WriteAge
}

func seconds(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }

type jsonCtx struct {
	Used *int64 `json:"used"`
	Max  *int64 `json:"max"`
}

func known(n int64) *int64 {
	if n <= 0 {
		return nil
	}
	return &n
}

func some(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// MarshalJSON writes the map as the source's table has it.
func (m Map) MarshalJSON() ([]byte, error) {
	type out struct {
		Schema    string      `json:"schema"`
		Repo      string      `json:"repo"`
		Machine   string      `json:"machine"`
		Blocked   model.Code  `json:"blocked,omitempty"`
		Unshared  string      `json:"unshared,omitempty"`
		Machines  []Machine   `json:"machines"`
		Actors    []Actor     `json:"actors"`
		Sessions  []Session   `json:"sessions"`
		Behind    *bool       `json:"behind"`
		FetchedAt model.Time  `json:"fetched_at"`
		FetchAge  *float64    `json:"fetch_age_s"`
		Truncated bool        `json:"machines_truncated"`
		LeftOut   int         `json:"machines_left_out"`
		Alarm     string      `json:"alarm,omitempty"`
		Collide   []Collision `json:"collisions"`
		Collided  int         `json:"collisions_total"`
		More      bool        `json:"collisions_more,omitempty"` // there are more than were counted
		Talks     []string    `json:"talks"`
		Note      string      `json:"note,omitempty"`
	}
	o := out{
		Schema: Schema, Repo: m.Repo, Machine: m.Machine, Blocked: m.Blocked, Unshared: m.Unshared, Machines: m.Machines,
		Actors: m.Actors, Sessions: m.Sessions, Behind: m.Behind, FetchedAt: m.FetchedAt,
		Truncated: m.Truncated, LeftOut: m.LeftOut, Alarm: m.Alarm, Talks: []string{}, Note: m.Note,
	}
	if m.FetchedAt != 0 {
		age := seconds(m.FetchAge)
		o.FetchAge = &age
	}
	list, more := CountCollisions(m.Sessions)
	o.Collided, o.More = len(list), more
	if o.Collide = list[:min(len(list), listedCollisions)]; o.Collide == nil {
		o.Collide = []Collision{}
	}
	if o.Machines == nil {
		o.Machines = []Machine{}
	}
	if o.Actors == nil {
		o.Actors = []Actor{}
	}
	if o.Sessions == nil {
		o.Sessions = []Session{}
	}
	return json.Marshal(o)
}

// MarshalJSON writes one machine of the map.
func (m Machine) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Machine  string     `json:"machine"`
		Self     bool       `json:"self"`
		Agent    *string    `json:"agent"`
		Readable bool       `json:"readable"`
		Code     model.Code `json:"code,omitempty"`
		Why      string     `json:"why,omitempty"`
		Signed   bool       `json:"signed"`
		Age      float64    `json:"age_s"`
		Fresh    int        `json:"fresh"`
		Dropped  int64      `json:"dropped"`
		Skew     float64    `json:"clock_skew_s"`
	}{
		m.Machine, m.Self, some(m.Agent), m.Readable, m.Code, m.Why, m.Signed, seconds(m.Age),
		m.Fresh, m.Dropped, seconds(m.Skew),
	})
}

// MarshalJSON writes one actor of the map.
func (a Actor) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Actor    string   `json:"actor"`
		Machines []string `json:"machines"`
		Age      float64  `json:"age_s"`
	}{a.Actor, a.Machines, seconds(a.Age)})
}

// MarshalJSON writes one session of the map.
func (s Session) MarshalJSON() ([]byte, error) {
	var wrote *float64
	if s.LastWrite != "" {
		w := seconds(s.WrittenAge())
		wrote = &w
	}
	paths := s.Paths
	if paths == nil {
		paths = []string{}
	}
	return json.Marshal(struct {
		Machine   string         `json:"machine"`
		Actor     string         `json:"actor"`
		Agent     *string        `json:"agent"`
		Session   *string        `json:"session"`
		Change    *string        `json:"change"`
		State     string         `json:"state"`
		Reason    string         `json:"reason,omitempty"`
		Event     *string        `json:"event"`
		EventSeq  int64          `json:"event_seq"`
		Ctx       jsonCtx        `json:"ctx"`
		LastWrite *string        `json:"last_write"`
		Wrote     *float64       `json:"write_age_s"`
		Age       float64        `json:"age_s"`
		Base      *string        `json:"base"`
		Behind    *bool          `json:"behind"`
		Paths     []string       `json:"paths"`
		View      *string        `json:"view"`
		Title     *string        `json:"title,omitempty"`
		Asks      *string        `json:"asks,omitempty"`
		Place     *session.Place `json:"place,omitempty"`
	}{
		s.Machine, s.Actor, some(s.Agent), some(s.Session), some(s.Change), s.State, s.Reason, some(s.Event), s.EventSeq,
		jsonCtx{known(s.Ctx.Used), known(s.Ctx.Max)},
		some(s.LastWrite), wrote, seconds(s.RowAge), some(s.Base), s.Behind, paths, some(s.View),
		some(s.Title), some(s.Asks), s.Place,
	})
}
