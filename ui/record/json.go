package record

import (
	"encoding/json"
	"strings"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/model/desk"
	"binnacle/model/directive"
)

// LaneJSON writes a lane as it is on screen: what it holds, and its open
// directives in the order in which they would be taken. CodeNotFound says that
// the snapshot has no such lane.
func LaneJSON(s *desk.Snapshot, name string) (string, error) {
	for _, l := range s.Lanes {
		if l.Name != name {
			continue
		}
		return indented(struct {
			Lane       string                `json:"lane"`
			Pending    map[string]int64      `json:"pending"`
			Taken      int64                 `json:"taken"`
			Deferred   int64                 `json:"deferred"`
			Parked     int64                 `json:"parked"`
			Done       int64                 `json:"done"`
			Dropped    int64                 `json:"dropped"`
			Directives []directive.Directive `json:"directives"`
			More       int64                 `json:"more"`
		}{
			l.Name,
			map[string]int64{"P0": l.Pending[0], "P1": l.Pending[1], "P2": l.Pending[2]},
			l.Taken, l.Deferred, l.Parked, l.Done, l.Dropped, append([]directive.Directive{}, l.Directives...), l.More,
		})
	}
	return "", model.Errorf(model.CodeNotFound, "the lane %s is gone", clean.Line(name))
}

// JSON writes what a detail is about: the event, or the record.
func JSON(d desk.Detail) (string, error) {
	var v any
	switch {
	case d.Event != nil:
		line := d.Event.AppendJSON(nil)
		return string(clean.AppendJSON(nil, line)) + "\n", nil
	case d.Signal != nil:
		v = d.Signal
	case d.Work != nil:
		v = d.Work
	case d.Directive != nil:
		v = d.Directive
	case d.Session != nil:
		v = d.Session
	case d.Machine != nil:
		v = d.Machine
	}
	return indented(v)
}

// indented writes JSON for people to read, safe to print.
func indented(v any) (string, error) {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return "", err
	}
	return string(clean.AppendJSON(nil, []byte(b.String()))), nil
}
