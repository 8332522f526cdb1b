package model

import (
	"encoding/json"
	"strings"
	"testing"

	"binnacle/model/clean"
)

func emitDraft(kind Kind, payload string) Draft {
	return Draft{Topic: "t", Producer: "p", Kind: kind, Payload: json.RawMessage(payload)}
}

func TestContractsKept(t *testing.T) {
	tests := []struct {
		kind    Kind
		payload string
		state   string
	}{
		{KindNote, `{"text":"x"}`, ""},
		{KindNote, `{"tags":["a"],"text":"x","other":{"free":true}}`, ""},
		{KindNote, `{"tags":[],"text":"x"}`, ""},
		{KindSignal, `{"summary":"x"}`, SignalPending},
		{KindSignal, `{"state":"pending","summary":"x","expires":"2026-06-20T15:00:00Z"}`, SignalPending},
		{KindSignal, `{"state":"claimed","by":"joe"}`, SignalClaimed},
		{KindSignal, `{"state":"cleared","reason":"done"}`, SignalCleared},
		{KindMetric, `{"name":"load","value":1.5}`, ""},
		{KindMetric, `{"name":"load","unit":"%","value":0}`, ""},
		{KindGeneric, `{}`, ""},
		{KindGeneric, `{"anything":[1,null]}`, ""},
	}
	for _, tt := range tests {
		d := emitDraft(tt.kind, tt.payload)
		if err := d.CheckEmit(); err != nil || d.State != tt.state {
			t.Errorf("%s %s: state %q (%v)", tt.kind, tt.payload, d.State, err)
		}
	}
}

// TestContractsBroken: a refusal names the field, what was wanted and what came.
func TestContractsBroken(t *testing.T) {
	tests := []struct {
		kind                Kind
		payload             string
		field, wanted, came string
	}{
		{KindNote, `{}`, "text", "a string", "nothing"},
		{KindNote, `{"text":5}`, "text", "a string", "a number (5)"},
		{KindNote, `{"text":null}`, "text", "a string", "null"},
		{KindNote, `{"text":""}`, "text", "a string that is not empty", `a string ("")`},
		{KindNote, `{"tags":"a","text":"x"}`, "tags", "an array of strings", `a string ("a")`},
		{KindNote, `{"tags":["a",1],"text":"x"}`, "tags", "an array of strings", `an array (["a",1])`},
		{KindNote, `{"tags":null,"text":"x"}`, "tags", "an array of strings", "null"},
		{KindSignal, `{}`, "summary", "a string", "nothing"},
		{KindSignal, `{"summary":["\u001b"]}`, "summary", "a string", "an array"},
		{KindSignal, `{"state":"open","summary":"x"}`, "state", "pending, claimed, cleared or expired", `a string ("open")`},
		{KindSignal, `{"state":null,"summary":"x"}`, "state", "pending, claimed, cleared or expired", "null"},
		{KindSignal, `{"expires":"soon","summary":"x"}`, "expires", "a time in RFC 3339", `a string ("soon")`},
		{KindSignal, `{"expires":null,"summary":"x"}`, "expires", "a time in RFC 3339", "null"},
		{KindSignal, `{"by":1,"summary":"x"}`, "by", "a string", "a number (1)"},
		{KindMetric, `{"value":1}`, "name", "a string", "nothing"},
		{KindMetric, `{"name":"x"}`, "value", "a number", "nothing"},
		{KindMetric, `{"name":"x","value":"1"}`, "value", "a number", `a string ("1")`},
		{KindMetric, `{"name":"x","value":null}`, "value", "a number", "null"},
		{KindMetric, `{"name":"x","unit":false,"value":1}`, "unit", "a string", "a boolean (false)"},
	}
	for _, tt := range tests {
		d := emitDraft(tt.kind, tt.payload)
		err := d.CheckEmit()
		if CodeOf(err) != CodeInvalid || HintOf(err) == "" {
			t.Errorf("%s %s: %v", tt.kind, tt.payload, err)
			continue
		}
		for _, want := range []string{string(tt.kind) + ":", `"` + tt.field + `"`, "must be " + tt.wanted, tt.came} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s %s: %q does not say %q", tt.kind, tt.payload, err, want)
			}
		}
		if clean.Line(err.Error()) != err.Error() {
			t.Errorf("the refusal is not clean: %q", err)
		}
	}
}

func TestKindsThatAreNotEmitted(t *testing.T) {
	for kind, owner := range map[Kind]string{
		KindWork: "binnacle ledger work", KindDirective: "binnacle queue", KindCoord: "session", KindSystem: "binnacle itself",
	} {
		d := emitDraft(kind, `{}`)
		if err := d.CheckEmit(); CodeOf(err) != CodeInvalid || !strings.Contains(err.Error(), owner) {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

func TestSignalStateMustAgree(t *testing.T) {
	d := emitDraft(KindSignal, `{"state":"pending","summary":"x"}`)
	d.State = SignalClaimed
	if err := d.CheckEmit(); CodeOf(err) != CodeInvalid || !strings.Contains(err.Error(), "differ") {
		t.Errorf("%v", err)
	}
	d = emitDraft(KindSignal, `{"reconstructed":true,"summary":"x"}`)
	if err := d.CheckEmit(); CodeOf(err) != CodeInvalid {
		t.Errorf("an import's mark is taken from emit: %v", err)
	}
}

func TestContractsArePrinted(t *testing.T) {
	all := Contracts()
	if len(all) != len(Kinds()) {
		t.Fatalf("%d contracts of %d kinds", len(all), len(Kinds()))
	}
	for i, c := range all {
		if c.Kind != Kinds()[i] {
			t.Errorf("contract %d is %s's, want %s's", i, c.Kind, Kinds()[i])
		}
		var schema struct {
			Schema     string                     `json:"$schema"`
			Type       string                     `json:"type"`
			Properties map[string]json.RawMessage `json:"properties"`
			Required   []string                   `json:"required"`
		}
		if err := json.Unmarshal(c.Schema, &schema); err != nil || schema.Type != "object" || !strings.Contains(schema.Schema, "2020-12") {
			t.Errorf("%s: %s (%v)", c.Kind, c.Schema, err)
		}
		for _, name := range schema.Required {
			if schema.Properties[name] == nil {
				t.Errorf("%s: %s is required and not described", c.Kind, name)
			}
		}
		d := emitDraft(c.Kind, `{}`)
		err := d.CheckEmit()
		if emittable := err == nil || strings.Contains(err.Error(), "must be"); emittable != c.Emit {
			t.Errorf("%s: the contract says emit %v, CheckEmit says %v", c.Kind, c.Emit, err)
		}
	}
}
