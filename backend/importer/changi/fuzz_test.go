package changi

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"binnacle/model"
)

// Whatever an imported payload is, what it becomes keeps our rules, and the
// original comes back: the same bytes, or the same canonical JSON.
func FuzzImportedPayload(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"a":1}`, `{"int":1152921504606846976,"f":1e300}`, `[1]`, `"x"`, `{"a":1,"a":2}`, `{"a":"\ud800"}`, "\xff", `{"a":NaN}`,
		`{"changi":{"kind":"signal"},"summary":5}`, `{"changi_import":{"event_id":1}}`, `{"expires":"2020-01-01T00:00:00Z"}`,
		`{"a/b":{"~":[12345678901234567890]}}`, strings.Repeat(`[`, 100), `{"reconstructed":true}`, `{} {}`, `{"a":-0}`, `{"a":1.0}`,
	} {
		for kind := range uint8(3) {
			f.Add([]byte(s), kind)
		}
	}
	f.Fuzz(func(t *testing.T, original []byte, kind uint8) {
		d := model.Draft{Kind: []model.Kind{model.KindGeneric, model.KindSignal, model.KindWork}[kind%3]}
		var a additions
		switch d.Kind {
		case model.KindSignal:
			a = additions{members: map[string]any{"reconstructed": true}, summary: "s"}
		case model.KindWork:
			a = additions{members: map[string]any{"action": "complete", "executor": "e", "evidence": map[string]int{"x": 1}}}
		}
		built, err := buildPayload(7, original, &d, a)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range append([]json.RawMessage{built.first}, built.rest...) {
			c, err := model.CanonicalObject(p)
			if err != nil || !bytes.Equal(c, p) {
				t.Fatalf("%q is not canonical: %v", p, err)
			}
		}
		if _, ok := mustMembers(t, built.first)["reconstructed"]; ok != (d.Kind == model.KindSignal) && built.what != "" {
			t.Fatalf("reconstructed: %v in %q", ok, built.first)
		}
		got, err := Original(built.first, built.rest...)
		if err != nil {
			t.Fatalf("%q does not come back from %q: %v", original, built.first, err)
		}
		if bytes.Equal(got, original) {
			return
		}
		want, err1 := model.Canonical(original)
		if have, err2 := model.Canonical(got); err1 == nil && err2 == nil && bytes.Equal(want, have) {
			return
		}
		// Numbers that have no canonical form come back as they were written.
		if !bytes.Equal(compact(t, got), compact(t, original)) && sortedCompact(t, got) != sortedCompact(t, original) {
			t.Fatalf("%q came back as %q", original, got)
		}
	})
}

func mustMembers(t *testing.T, p json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(p, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func compact(t *testing.T, b []byte) []byte {
	var out bytes.Buffer
	if err := json.Compact(&out, b); err != nil {
		t.Fatalf("%q is no JSON: %v", b, err)
	}
	return out.Bytes()
}

// sortedCompact writes JSON with sorted keys, numbers that a float64 carries in
// canonical form and others as they are.
func sortedCompact(t *testing.T, b []byte) string {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(canonicalNumbers(v))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func canonicalNumbers(v any) any {
	switch x := v.(type) {
	case json.Number:
		if c, err := model.Canonical([]byte(x)); err == nil {
			return json.Number(c)
		}
	case []any:
		for i := range x {
			x[i] = canonicalNumbers(x[i])
		}
	case map[string]any:
		for k := range x {
			x[k] = canonicalNumbers(x[k])
		}
	}
	return v
}
