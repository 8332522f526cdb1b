package fleetmap

import (
	"encoding/json"
	"strconv"

	"binnacle/model"
	"binnacle/model/clean"
)

// The states of a change.
const (
	ChangeOpen       = "open"
	ChangeHeld       = "held"
	ChangeSuperseded = "superseded"
	ChangeClosed     = "closed"
)

// MaxChangeBytes bounds change.json and event.json.
const MaxChangeBytes = 32768

// ChangeMachine is how changes live.
func ChangeMachine() model.Machine {
	return model.Machine{Noun: "change", Steps: []model.Step{
		model.Arrow("", "open", ChangeOpen),
		model.Arrow(ChangeOpen, "hold", ChangeHeld),
		model.Arrow(ChangeOpen, "supersede", ChangeSuperseded),
		model.Arrow(ChangeOpen, "close", ChangeClosed),
		model.Arrow(ChangeHeld, "release", ChangeOpen),
		model.Arrow(ChangeHeld, "supersede", ChangeSuperseded),
		model.Arrow(ChangeHeld, "close", ChangeClosed),
	}}
}

// The kinds of a change's inputs.
const (
	InputPath   = "path"   // a file or folder of trunk; pinned at its object
	InputChange = "change" // another change; pinned at its tip
	InputPolicy = "policy" // a file of rules; pinned at its object
)

// Change is a piece of work that may end on trunk, the content of change.json
// at refs/bay/change/<id>.
type Change struct {
	ID     string        `json:"id"`
	Title  string        `json:"title"`
	Base   string        `json:"base"` // the commit of trunk it starts from
	Inputs []ChangeInput `json:"inputs"`
	Policy string        `json:"policy"` // the object of the policy it was opened under, "" for none
	Holder Holder        `json:"holder"`
	View   View          `json:"view"`
	State  string        `json:"state"`
	Tip    string        `json:"tip"` // its newest commit, "" before there is one
}

// ChangeInput is what a change relies on, pinned as it was.
type ChangeInput struct {
	Kind string `json:"kind"`
	Ref  string `json:"ref"`
	At   string `json:"at"` // an object's name, "" for: was not there
}

// Holder is who has a change.
type Holder struct {
	Machine string `json:"machine"`
	Actor   string `json:"actor"`
	Session string `json:"session"`
}

// View is one work tree on one machine, bound to one change.
type View struct {
	Machine string `json:"machine"`
	Path    string `json:"path"`
}

// ParseChange reads change.json strictly, and checks that it is about id.
func ParseChange(raw []byte, id string) (Change, error) {
	if len(raw) > MaxChangeBytes {
		return Change{}, model.Errorf(model.CodeOversized, "change.json has %d bytes; at most %d are read", len(raw), MaxChangeBytes)
	}
	var c Change
	if err := unmarshalStrict(raw, MaxLiveDepth, &c); err != nil {
		return Change{}, err
	}
	return c, c.check(id)
}

func (c *Change) check(id string) error {
	bad := func(what string) error {
		return model.Errorf(model.CodeMalformed, "change %s: %s", clean.Line(id), what)
	}
	if c.ID != id {
		return bad("its id is another one")
	}
	switch c.State {
	case ChangeOpen, ChangeHeld, ChangeSuperseded, ChangeClosed:
	default:
		return bad("its state is none of open, held, superseded and closed")
	}
	for _, object := range []string{c.Base, c.Policy, c.Tip} {
		if object != "" && !HexID(object) {
			return bad("an object's name is not hex")
		}
	}
	if c.View.Machine != "" && !label(c.View.Machine, false) || c.Holder.Machine != "" && !label(c.Holder.Machine, false) {
		return bad("a machine's name is none")
	}
	for _, in := range c.Inputs {
		if in.At != "" && !HexID(in.At) {
			return bad("an input is not pinned at an object")
		}
		switch in.Kind {
		case InputPath, InputPolicy:
			if in.Ref == "" {
				return bad("an input names nothing")
			}
		case InputChange:
			if !label(in.Ref, true) {
				return bad("an input is not a change id")
			}
		default:
			return bad("an input is of none of the kinds path, change and policy")
		}
	}
	return nil
}

// Encode writes change.json.
func (c Change) Encode() ([]byte, error) {
	if c.Inputs == nil {
		c.Inputs = []ChangeInput{}
	}
	if err := c.check(c.ID); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	if len(raw) > MaxChangeBytes {
		return nil, model.Errorf(model.CodeInvalid, "change %s has %d bytes; at most %d fit", c.ID, len(raw), MaxChangeBytes)
	}
	return append(raw, '\n'), nil
}

// Invalidation says that an input of a change moved past its pin. It is
// derived by the reader, never written.
type Invalidation struct {
	Change string      `json:"change"`
	Input  ChangeInput `json:"input"`
	Was    string      `json:"was"`
	Now    string      `json:"now"`   // "" for: is gone
	Cause  string      `json:"cause"` // the landing or event that moved it, "" when unknown
}

// Invalidations compares the change's pins with where its inputs are now. at
// returns the object an input is at, "" when it is not there, and false when
// the cache can't say; cause names what moved it.
func (c Change) Invalidations(at func(ChangeInput) (string, bool), cause func(ChangeInput) string) []Invalidation {
	var out []Invalidation
	for _, in := range c.Inputs {
		now, ok := at(in)
		if !ok || now == in.At {
			continue
		}
		out = append(out, Invalidation{Change: c.ID, Input: in, Was: in.At, Now: now, Cause: cause(in)})
	}
	return out
}

// The kinds of bay.event/1.
const (
	BayEventSchema      = "bay.event/1"
	BayChangeOpened     = "change.opened"
	BayChangeHeld       = "change.held"
	BayChangeReleased   = "change.released"
	BayChangeSuperseded = "change.superseded"
	BayChangeClosed     = "change.closed"
	BayLandingLanded    = "landing.landed"
	BayLandingRejected  = "landing.rejected"
	BayPolicyChanged    = "policy.changed"
	BayInputMoved       = "input.moved"
	BayKeyAdded         = "key.added"
	BayKeyRemoved       = "key.removed"
)

// BayEvent is one entry of an executor's log, one event.json per commit. ID is
// the key by which readers drop duplicates.
type BayEvent struct {
	Schema   string          `json:"schema"`
	ID       string          `json:"id"`
	Seq      int64           `json:"seq"`
	Executor string          `json:"executor"`
	At       model.Time      `json:"at"`
	Kind     string          `json:"kind"`
	Change   string          `json:"change,omitempty"`
	Subject  BaySubject      `json:"subject"`
	Data     json.RawMessage `json:"data"`
}

// BaySubject is what an event is about.
type BaySubject struct {
	Kind string `json:"kind"`
	Ref  string `json:"ref"`
}

// BayEventID is the id of an executor's event.
func BayEventID(executor string, seq int64) string {
	return executor + ":" + strconv.FormatInt(seq, 10)
}

// ParseBayEvent reads event.json strictly. executor is the log's name.
func ParseBayEvent(raw []byte, executor string) (BayEvent, error) {
	if len(raw) > MaxChangeBytes {
		return BayEvent{}, model.Errorf(model.CodeOversized, "event.json has %d bytes; at most %d are read", len(raw), MaxChangeBytes)
	}
	var e BayEvent
	if err := unmarshalStrict(raw, MaxLiveDepth, &e); err != nil {
		return BayEvent{}, err
	}
	switch {
	case e.Schema != BayEventSchema:
		return BayEvent{}, model.Errorf(model.CodeMalformed, "the schema is %q, not %s", clean.Line(model.CutBytes(e.Schema, 40)), BayEventSchema)
	case e.Executor != executor:
		return BayEvent{}, model.Errorf(model.CodeMalformed, "the event names the executor %q in the log of %s", clean.Line(model.CutBytes(e.Executor, 80)), executor)
	case e.Seq < 1 || e.Seq > model.MaxExact || e.ID != BayEventID(executor, e.Seq):
		return BayEvent{}, model.Errorf(model.CodeMalformed, "the event's id is not its executor and number")
	case e.Kind == "" || len(e.Kind) > 64:
		return BayEvent{}, model.Errorf(model.CodeMalformed, "the event has no kind")
	case e.Change != "" && !label(e.Change, true):
		return BayEvent{}, model.Errorf(model.CodeMalformed, "the event's change is not a change id")
	}
	return e, nil
}

// Encode writes event.json, canonical.
func (e BayEvent) Encode() ([]byte, error) {
	e.Schema, e.ID = BayEventSchema, BayEventID(e.Executor, e.Seq)
	if len(e.Data) == 0 {
		e.Data = json.RawMessage(`{}`)
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return nil, model.Errorf(model.CodeInvalid, "the event's data is not JSON: %w", err)
	}
	if raw, err = model.Canonical(raw); err != nil {
		return nil, err
	}
	if _, err := ParseBayEvent(raw, e.Executor); err != nil {
		return nil, err
	}
	return append(raw, '\n'), nil
}

// Touches says whether the event is about the change, about the policy, or
// about an input that the change declared.
func (c Change) Touches(e BayEvent) bool {
	if e.Change == c.ID || e.Kind == BayPolicyChanged {
		return true
	}
	for _, in := range c.Inputs {
		if in.Kind == InputChange && (e.Change == in.Ref || e.Subject.Kind == InputChange && e.Subject.Ref == in.Ref) {
			return true
		}
		if in.Kind == InputPath && e.Subject.Kind == InputPath && (Covers(in.Ref, e.Subject.Ref) || Covers(e.Subject.Ref, in.Ref)) {
			return true
		}
		if in.Kind == InputPolicy && e.Subject.Kind == InputPolicy && in.Ref == e.Subject.Ref {
			return true
		}
	}
	return false
}

// TouchesLanding says whether a landing is the change's own, an input
// change's, or changed a path that the change declared.
func (c Change) TouchesLanding(l Landing) bool {
	if l.Change != "" && l.Change == c.ID {
		return true
	}
	for _, in := range c.Inputs {
		switch in.Kind {
		case InputChange:
			if l.Change == in.Ref {
				return true
			}
		default:
			for _, p := range l.Paths {
				if Covers(in.Ref, p) {
					return true
				}
			}
		}
	}
	return false
}

// Covers says whether path is the folder or file or lies in it.
func Covers(folder, path string) bool {
	for len(folder) > 0 && folder[len(folder)-1] == '/' {
		folder = folder[:len(folder)-1]
	}
	if folder == "" || folder == "." {
		return true
	}
	return path == folder || len(path) > len(folder) && path[len(folder)] == '/' && path[:len(folder)] == folder
}
