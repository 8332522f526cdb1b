package feed_test

import (
	"encoding/json"
	"strings"
	"testing"

	"binnacle/model"
	"binnacle/model/feed"
)

func event(kind model.Kind, topic, key, state, payload string) *feed.Event {
	return feed.Of(&model.Event{
		Seq: 41, TS: 1, Topic: topic, Producer: "ada@host", Kind: kind, Key: key, State: state, Payload: json.RawMessage(payload),
	}, "4f2c")
}

// What is one word stands by itself, a text under "untrusted", a payload that is
// not a fact's nowhere.
func TestOf(t *testing.T) {
	for name, c := range map[string]struct {
		e    *feed.Event
		want string
	}{
		"a fact": {
			event(model.KindCoord, "session.started", "command:s-1", "working", `{"act":"prompt","task":"0123456789abcdef","untrusted":{"paths":["a b"]}}`),
			`{"id":"e4f2c.41","seq":41,"ts":"1970-01-01T00:00:00.000001Z","kind":"session.started","key":"command:s-1","state":"working","by":"ada@host",` +
				`"fact":{"act":"prompt","task":"0123456789abcdef"},"untrusted":{"paths":["a b"]}}`,
		},
		"a directive": {
			event(model.KindDirective, "queue/default", "7", "taken", `{"action":"take","body":"do it"}`),
			`{"id":"e4f2c.41","seq":41,"ts":"1970-01-01T00:00:00.000001Z","kind":"directive.taken","topic":"queue/default","key":"7","state":"taken","by":"ada@host"}`,
		},
		"a note": {
			event(model.KindNote, "build/log", "", "", `{"text":"do it"}`),
			`{"id":"e4f2c.41","seq":41,"ts":"1970-01-01T00:00:00.000001Z","kind":"note","topic":"build/log","by":"ada@host"}`,
		},
		"a text for a key and a state": {
			event(model.KindGeneric, "t", "do it", "do it", `{}`),
			`{"id":"e4f2c.41","seq":41,"ts":"1970-01-01T00:00:00.000001Z","kind":"generic","topic":"t","by":"ada@host","untrusted":{"key":"do it","state":"do it"}}`,
		},
		"a fact that is none": {
			event(model.KindCoord, "session.started", "k", "", `[]`),
			`{"id":"e4f2c.41","seq":41,"ts":"1970-01-01T00:00:00.000001Z","kind":"session.started","key":"k","by":"ada@host"}`,
		},
	} {
		raw, err := json.Marshal(c.e)
		if err != nil || string(raw) != c.want {
			t.Errorf("%s is\n%s (%v), want\n%s", name, raw, err, c.want)
		}
		if c.e.Size() != len(raw) {
			t.Errorf("%s says that it has %d bytes", name, c.e.Size())
		}
		var back feed.Event
		if err := json.Unmarshal(raw, &back); err != nil || back.Kind != c.e.Kind || back.ID != c.e.ID || string(back.Untrusted) != string(c.e.Untrusted) {
			t.Errorf("%s comes back as %+v, %v", name, back, err)
		}
	}
}

func TestParseKinds(t *testing.T) {
	got, err := feed.ParseKinds([]string{"session.started, ref", "", "note,note", "directive.taken"})
	if err != nil || strings.Join(got, " ") != "session.started ref note directive.taken" {
		t.Errorf("%q, %v", got, err)
	}
	var many []string
	for i := range 65 {
		many = append(many, "generic."+strings.Repeat("a", i+1))
	}
	if _, err := feed.ParseKinds(many); model.CodeOf(err) != model.CodeInvalid {
		t.Errorf("65 kinds: %v", err)
	}
}

// A filter's kinds are those that it says, whatever was typed.
func FuzzParseKinds(f *testing.F) {
	for _, s := range []string{"session.started", "note,ref.landed", " coord , system", "directive.", ".x", "note.\x1b", "séance", "generic.a-b_c"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		kinds, err := feed.ParseKinds([]string{s})
		if err != nil {
			return
		}
		again, err := feed.ParseKinds([]string{strings.Join(kinds, ",")})
		if err != nil || strings.Join(again, ",") != strings.Join(kinds, ",") {
			t.Fatalf("%q is %q, read again %q (%v)", s, kinds, again, err)
		}
		for _, k := range kinds {
			if strings.ContainsFunc(k, func(r rune) bool { return r < 'a' && !strings.ContainsRune("0123456789._-", r) || r > 'z' }) {
				t.Fatalf("%q has the kind %q", s, k)
			}
		}
	})
}

func TestExpiry(t *testing.T) {
	oldest, head := model.Cursor{Epoch: "a", Seq: 3}, model.Cursor{Epoch: "a", Seq: 9}
	for text, why := range map[string]string{
		"ea.3": "", "ea.9": "", "e5": "", "eb.5": "another epoch", "ea.10": "past the newest", "ea.2": "before the oldest", "e0": "before the oldest", "e10": "past the newest",
	} {
		c, err := model.ParseCursor(text)
		if err != nil {
			t.Fatal(err)
		}
		x := feed.Expiry(c, oldest, head)
		if (x == nil) != (why == "") || x != nil && (!strings.Contains(x.Error(), why) || x.Oldest != oldest || model.CodeOf(x) != model.CodeStale) {
			t.Errorf("%s: %v", text, x)
		}
	}
}
