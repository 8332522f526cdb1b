package plain

import (
	"bytes"
	"encoding/json"
	"time"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/model/directive"
)

// The lines as they are written, but for event's, which appendEvent writes.
// Their field names are the format's.
type (
	helloLine struct {
		Type      string `json:"type"`
		Schema    string `json:"schema"`
		Workspace string `json:"workspace"`
		Epoch     string `json:"epoch"`
		Seq       int64  `json:"seq"`
		Cursor    string `json:"cursor"`
	}
	laggedLine struct {
		Type string `json:"type"`
		desk.Gap
	}
	errorLine struct {
		Type string `json:"type"`
		*model.Error
	}
	byeLine struct {
		Type   string `json:"type"`
		Cursor string `json:"cursor"`
	}
	snapshotLine struct {
		Type string `json:"type"`
		Snapshot
		Fleet  json.RawMessage `json:"fleet"` // null where there is none
		Cursor string          `json:"cursor"`
	}
)

// Snapshot is desk.Snapshot as JSON shows it.
type Snapshot struct {
	At       model.Time                  `json:"at"`
	Seq      int64                       `json:"seq"`
	Hash     string                      `json:"hash"`
	Planes   map[string]map[string]int64 `json:"planes"`
	Lanes    []Lane                      `json:"lanes"`
	Leases   []Lease                     `json:"leases"`
	Signals  []model.Signal              `json:"signals"`
	Needs    []Need                      `json:"needs"`
	Alarms   []desk.Alarm                `json:"alarms"`
	Duties   desk.Duties                 `json:"duties"`
	Rate     float64                     `json:"events_per_second"`
	Verified desk.Verified               `json:"verified"`
}

// The parts of a Snapshot. Lists are never null.
type (
	// Lane is one lane with the directives at its front; More counts the open
	// ones that are left out.
	Lane struct {
		Name       string                `json:"lane"`
		Open       int64                 `json:"open"`
		Pending    map[string]int64      `json:"pending"`
		Taken      int64                 `json:"taken"`
		Deferred   int64                 `json:"deferred"`
		Parked     int64                 `json:"parked"`
		Done       int64                 `json:"done"`
		Dropped    int64                 `json:"dropped"`
		Directives []directive.Directive `json:"directives"`
		More       int64                 `json:"more"`
	}
	// Lease is a directive that is taken, or work that is claimed.
	Lease struct {
		Kind    string     `json:"kind"` // directive or work
		Key     string     `json:"key"`
		Holder  string     `json:"holder"`
		Lane    string     `json:"lane,omitempty"`
		Since   model.Time `json:"since"`
		Until   model.Time `json:"until"`
		Left    *int64     `json:"left_seconds"` // by the clock that measures the lease, 0 when it is over; null for no lease
		Attempt int64      `json:"attempt"`
	}
	// Need is something that asks for an operator.
	Need struct {
		Kind  desk.NeedKind `json:"kind"`
		Key   string        `json:"key"`
		State string        `json:"state,omitempty"`
		Text  string        `json:"text"`
		Since model.Time    `json:"since"`
	}
)

// SnapshotOf brings s into the form that JSON shows.
func SnapshotOf(s desk.Snapshot) Snapshot {
	out := Snapshot{
		At: s.At, Seq: s.Head.Seq, Hash: s.Head.Hash, Planes: Planes(s.Counts),
		Lanes: []Lane{}, Leases: []Lease{}, Signals: s.Signals, Needs: []Need{}, Alarms: append([]desk.Alarm{}, s.Health...),
		Duties: s.Duties, Rate: s.Rate.PerSecond,
		Verified: s.Verified,
	}
	if out.Signals == nil {
		out.Signals = []model.Signal{}
	}
	for _, l := range s.Lanes {
		lane := Lane{
			Name: l.Name, Open: l.Open(), Pending: map[string]int64{}, Taken: l.Taken, Deferred: l.Deferred,
			Parked: l.Parked, Done: l.Done, Dropped: l.Dropped, Directives: l.Directives, More: l.More,
		}
		for p, n := range l.Pending {
			lane.Pending[directive.Priority(p).String()] = n
		}
		if lane.Directives == nil {
			lane.Directives = []directive.Directive{}
		}
		out.Lanes = append(out.Lanes, lane)
	}
	for _, d := range s.Taken {
		out.Leases = append(out.Leases, Lease{
			Kind: "directive", Key: itoa(d.ID), Holder: d.TakenBy, Lane: d.Lane, Since: d.TakenAt, Until: d.LeaseUntil,
			Left: left(d.Term(), s.Clocks), Attempt: d.Attempt,
		})
	}
	for _, w := range s.Work {
		out.Leases = append(out.Leases, Lease{
			Kind: "work", Key: w.Key, Holder: w.Executor, Since: w.ClaimedAt, Until: w.LeaseUntil,
			Left: left(w.Term(), s.Clocks), Attempt: w.Attempt,
		})
	}
	for _, n := range s.Needs {
		out.Needs = append(out.Needs, Need{Kind: n.Kind, Key: n.Key, State: n.State, Text: n.Text, Since: n.Since})
	}
	return out
}

func left(l model.Lease, now model.Reading) *int64 {
	if l.Until == 0 {
		return nil
	}
	n := max(int64(l.Left(now)/time.Second), 0)
	return &n
}

// Planes lists the counts by plane and name.
func Planes(c model.Counts) map[string]map[string]int64 {
	out := map[string]map[string]int64{}
	for _, plane := range []string{model.PlaneRecord, model.PlaneSignal, model.PlaneWork, model.PlaneQueue} {
		out[plane] = c.Plane(plane)
	}
	return out
}

// appendLine appends v as one line.
func appendLine(dst []byte, v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return dst, model.Errorf(model.CodeInternal, "a line can't be written as JSON: %w", err)
	}
	return append(clean.AppendJSON(dst, bytes.TrimSuffix(b.Bytes(), []byte{'\n'})), '\n'), nil
}

// appendEvent appends an event's line without going through reflection: it is
// the one that comes thousands of times a second.
func appendEvent(dst []byte, e *model.Event, cursor model.Cursor, scratch []byte) (line, reuse []byte) {
	scratch = append(scratch[:0], `{"type":"event","cursor":"`...)
	scratch = append(scratch, cursor.String()...)
	scratch = append(scratch, `","event":`...)
	scratch = e.AppendJSON(scratch)
	scratch = append(scratch, '}')
	return append(clean.AppendJSON(dst, scratch), '\n'), scratch
}
