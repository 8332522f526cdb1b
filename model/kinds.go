package model

import (
	"encoding/json"
	"math"

	"binnacle/model/clean"
)

// CheckEmit validates a draft from emit: only note, signal, metric and generic
// may be emitted, and the payload must keep the kind's contract. For a signal
// it fills State (pending unless the payload names one). The draft's payload
// is canonical (Draft.Check ran before).
func (d *Draft) CheckEmit() error {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(d.Payload, &members); err != nil {
		return Errorf(CodeInvalid, "the payload can't be read: %s", JSONFault(nil, err))
	}
	switch d.Kind {
	case KindNote:
		if err := wantString(d.Kind, members, "text", true); err != nil {
			return err
		}
		return wantStrings(d.Kind, members, "tags")
	case KindSignal:
		return d.checkSignal(members)
	case KindMetric:
		if err := wantString(d.Kind, members, "name", true); err != nil {
			return err
		}
		if err := wantNumber(d.Kind, members, "value"); err != nil {
			return err
		}
		return wantString(d.Kind, members, "unit", false)
	case KindGeneric:
		return nil
	default:
		owner := map[Kind]string{
			KindWork: "binnacle ledger work", KindDirective: "binnacle queue", KindCoord: "binnacle session and note",
			KindSystem: "binnacle itself",
		}[d.Kind]
		return Errorf(CodeInvalid, "events of kind %s can't be emitted: %s writes them", d.Kind, owner).
			WithHint("emit note, signal, metric or generic")
	}
}

func (d *Draft) checkSignal(members map[string]json.RawMessage) error {
	state := SignalPending
	if raw, ok := members["state"]; ok {
		if err := json.Unmarshal(raw, &state); err != nil || raw[0] != '"' || !signalState(state) {
			return contract(KindSignal, "state", "pending, claimed, cleared or expired", raw)
		}
	}
	// A new signal says what it is about; a later event of the same key need not.
	if err := wantString(KindSignal, members, "summary", state == SignalPending); err != nil {
		return err
	}
	if _, ok := members["reconstructed"]; ok {
		return Errorf(CodeInvalid, "signal: the member \"reconstructed\" belongs to imports")
	}
	for _, name := range []string{"by", "reason"} {
		if err := wantString(KindSignal, members, name, false); err != nil {
			return err
		}
	}
	if raw, ok := members["expires"]; ok {
		var t Time
		if err := json.Unmarshal(raw, &t); err != nil || raw[0] != '"' {
			return contract(KindSignal, "expires", "a time in RFC 3339", raw)
		}
	}
	if d.State != "" && d.State != state {
		return Errorf(CodeInvalid, "signal: the state %q and the payload's state %q differ", clean.Line(d.State), state)
	}
	d.State = state
	return nil
}

func wantString(k Kind, members map[string]json.RawMessage, name string, required bool) error {
	raw, ok := members[name]
	if !ok {
		if required {
			return contract(k, name, "a string", nil)
		}
		return nil
	}
	var s *string
	if err := json.Unmarshal(raw, &s); err != nil || s == nil {
		return contract(k, name, "a string", raw)
	}
	if required && *s == "" {
		return contract(k, name, "a string that is not empty", raw)
	}
	return nil
}

func wantStrings(k Kind, members map[string]json.RawMessage, name string) error {
	raw, ok := members[name]
	if !ok {
		return nil
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || list == nil {
		return contract(k, name, "an array of strings", raw)
	}
	for _, item := range list {
		if len(item) == 0 || item[0] != '"' {
			return contract(k, name, "an array of strings", raw)
		}
	}
	return nil
}

func wantNumber(k Kind, members map[string]json.RawMessage, name string) error {
	raw, ok := members[name]
	if !ok {
		return contract(k, name, "a number", nil)
	}
	var f *float64
	if err := json.Unmarshal(raw, &f); err != nil || f == nil || math.IsInf(*f, 0) {
		return contract(k, name, "a number", raw)
	}
	return nil
}

// contract names the field, what was wanted and what came.
func contract(k Kind, field, wanted string, got json.RawMessage) error {
	came := "nothing"
	if got != nil {
		came = jsonType(got) + " (" + clean.Line(CutBytes(string(got), 40)) + ")"
	}
	return Errorf(CodeInvalid, "%s: the member %q must be %s; %s came", k, field, wanted, came).
		WithHint("binnacle ledger kinds prints every contract")
}

// Contract is one kind's contract, as JSON Schema (2020-12).
type Contract struct {
	Kind     Kind            `json:"kind"`
	Emit     bool            `json:"emit"`  // may it be emitted
	Owner    string          `json:"owner"` // which verbs write it
	Describe string          `json:"description"`
	Schema   json.RawMessage `json:"schema"`
}

// Contracts lists every kind's contract, in the order of Kinds.
func Contracts() []Contract {
	return []Contract{
		{
			KindNote, true, "ledger emit", "something that was said or observed",
			object(`"text":{"type":"string","minLength":1},"tags":{"type":"array","items":{"type":"string"}}`, `"text"`),
		},
		{
			KindSignal, true, "ledger emit, ledger signal", "something that asks for attention, with a state",
			object(`"summary":{"type":"string","minLength":1},"state":{"enum":["pending","claimed","cleared","expired"]},`+
				`"expires":{"type":"string","format":"date-time"},"by":{"type":"string"},"reason":{"type":"string"}`, `"summary"`),
		},
		{
			KindMetric, true, "ledger emit", "one measured number",
			object(`"name":{"type":"string","minLength":1},"value":{"type":"number"},"unit":{"type":"string"}`, `"name","value"`),
		},
		{
			KindWork, false, "ledger work", "a step of a work record",
			object(`"action":{"enum":["claim","heartbeat","complete","fail","release","expire"]},"executor":{"type":"string"},`+
				`"token_hash":{"type":"string"},"lease_until":{"type":"string","format":"date-time"},"lease_boot":{"type":"string"},"lease_awake":{"type":"integer"},"lease_seconds":{"type":"integer"},`+
				`"reason":{"type":"string"},"evidence":{"type":"object","minProperties":1}`, `"action"`),
		},
		{KindGeneric, true, "ledger emit", "any JSON object", object("", "")},
		{
			KindDirective, false, "queue", "a step of a directive",
			object(`"action":{"type":"string"},"by":{"type":"string"},"why":{"type":"string"},"token_hash":{"type":"string"}`, `"action"`),
		},
		{KindCoord, false, "session, note, fleet", "a coordination fact; its topic is the fact's name", object("", "")},
		{
			KindSystem, false, "binnacle itself", "an import, a backup, retention, a forced act",
			object(`"action":{"type":"string"}`, `"action"`),
		},
	}
}

func object(properties, required string) json.RawMessage {
	s := `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object"`
	if properties != "" {
		s += `,"properties":{` + properties + `}`
	}
	if required != "" {
		s += `,"required":[` + required + `]`
	}
	return json.RawMessage(s + "}")
}
