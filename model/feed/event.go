package feed

import (
	"encoding/json"
	"strings"

	"binnacle/model"
)

// Event is one event as the feed serves it. It is made by Of, shared by all who
// read it, and never changed.
type Event struct {
	ID    model.Cursor // the place after it
	TS    model.Time
	Kind  string // a coordination fact's name (session.started), else <kind>.<state> or <kind>
	Topic string // of what is not a coordination fact
	Key   string
	State string
	By    string // who wrote it, as the writer said
	Cause int64  // the sequence number of what caused it, 0 for none
	// Fact holds the members of a coordination fact, Untrusted those that people
	// or agents named, and the fields above that are not one word.
	Fact      json.RawMessage
	Untrusted json.RawMessage

	paths []string // what a fact is about
	task  string   // the digest of the task of a session's fact
	text  []byte   // the event's JSON
}

// wire is an Event's JSON.
type wire struct {
	ID        model.Cursor    `json:"id"`
	Seq       int64           `json:"seq"`
	TS        model.Time      `json:"ts"`
	Kind      string          `json:"kind"`
	Topic     string          `json:"topic,omitempty"`
	Key       string          `json:"key,omitempty"`
	State     string          `json:"state,omitempty"`
	By        string          `json:"by,omitempty"`
	Cause     int64           `json:"causation,omitempty"`
	Fact      json.RawMessage `json:"fact,omitempty"`
	Untrusted json.RawMessage `json:"untrusted,omitempty"`
}

// Of makes what the feed serves of an event of the ledger's epoch.
func Of(e *model.Event, epoch string) *Event {
	out := &Event{ID: model.Cursor{Epoch: epoch, Seq: e.Seq}, TS: e.TS, Cause: e.Causation}
	outside := map[string]json.RawMessage{}
	if e.Kind == model.KindCoord {
		out.Kind = e.Topic
		out.read(e.Payload, outside)
	} else {
		out.Kind = string(e.Kind)
		out.Topic = word(outside, "topic", e.Topic)
		if e.State != "" && isState(e.State) {
			out.Kind += "." + e.State
		}
	}
	out.Key, out.By = word(outside, "key", e.Key), word(outside, "by", e.Producer)
	if out.State = e.State; !isState(e.State) {
		out.State = word(outside, "state", e.State)
	}
	if len(outside) > 0 {
		out.Untrusted = marshal(outside)
	}
	out.text = marshal(wire{
		out.ID, e.Seq, out.TS, out.Kind, out.Topic, out.Key, out.State, out.By, out.Cause, out.Fact, out.Untrusted,
	})
	return out
}

// read takes a fact apart. A payload that is not a fact's (an import of another
// hand) is left out.
func (out *Event) read(payload []byte, outside map[string]json.RawMessage) {
	var members map[string]json.RawMessage
	if json.Unmarshal(payload, &members) != nil {
		return
	}
	var inner map[string]json.RawMessage
	if json.Unmarshal(members["untrusted"], &inner) == nil {
		for name, v := range inner {
			outside[name] = v
		}
		var path string
		if json.Unmarshal(inner["path"], &path) == nil && path != "" {
			out.paths = append(out.paths, path)
		}
		var paths []string
		if json.Unmarshal(inner["paths"], &paths) == nil {
			out.paths = append(out.paths, paths...)
		}
	}
	_ = json.Unmarshal(members["task"], &out.task) // none where it is none
	delete(members, "untrusted")
	if len(members) > 0 {
		out.Fact = marshal(members)
	}
}

// word keeps what is one word as it is; any other text goes to what is outside.
func word(outside map[string]json.RawMessage, name, s string) string {
	if s == "" || model.IsWord(s) {
		return s
	}
	outside[name] = marshal(s)
	return ""
}

// isState says whether s is written as the states of records are.
func isState(s string) bool {
	return strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}

// marshal is for values that have a JSON.
func marshal(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		return []byte(`null`)
	}
	return raw
}

// MarshalJSON returns the event's JSON, which was made once.
func (e *Event) MarshalJSON() ([]byte, error) { return e.text, nil }

// UnmarshalJSON reads what MarshalJSON wrote, on the far side of a wire.
func (e *Event) UnmarshalJSON(b []byte) error {
	var w wire
	if err := json.Unmarshal(b, &w); err != nil {
		return err
	}
	*e = Event{
		ID: w.ID, TS: w.TS, Kind: w.Kind, Topic: w.Topic, Key: w.Key, State: w.State, By: w.By, Cause: w.Cause,
		Fact: w.Fact, Untrusted: w.Untrusted, text: append([]byte(nil), b...),
	}
	return nil
}

// Size is how many bytes the event's JSON has.
func (e *Event) Size() int { return len(e.text) }

// Paths are what a coordination fact is about; they are somebody's text.
func (e *Event) Paths() []string { return e.paths }
