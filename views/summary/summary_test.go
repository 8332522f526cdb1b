package summary_test

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"binnacle/model"
	"binnacle/model/clean"
	"binnacle/views/summary"
)

// event is an event of a kind with a payload, about a record in a state.
func event(kind model.Kind, topic, key, state, payload string) model.Event {
	return model.Event{Seq: 1, Kind: kind, Producer: "p", Topic: topic, Key: key, State: state, Payload: json.RawMessage(payload)}
}

func TestSummary(t *testing.T) {
	for name, c := range map[string]struct {
		e    model.Event
		want string
	}{
		"note":               {event("note", "t", "", "", `{"tags":["a"],"text":"hello \"you\"\n"}`), `hello "you"␊`},
		"metric":             {event("metric", "t", "", "", `{"name":"load","unit":"1m","value":1.42}`), "load 1.42 1m"},
		"signal":             {event("signal", "t", "disk", "pending", `{"summary":"full"}`), "disk full"},
		"signal claimed":     {event("signal", "t", "disk", "claimed", `{"by":"ana"}`), "disk by ana"},
		"signal cleared":     {event("signal", "t", "disk", "cleared", `{"reason":"cleaned up"}`), "disk: cleaned up"},
		"work":               {event("work", "t", "job-1", "failed", `{"action":"fail","executor":"e","reason":"no disk"}`), "job-1 fail by e: no disk"},
		"directive pushed":   {event("directive", "t", "7", "pending", `{"action":"push","body":"\n fix it\nnow"}`), "#7 fix it"},
		"directive by other": {event("directive", "t", "7", "taken", `{"action":"take","by":"w"}`), "#7 by w"},
		"directive parked":   {event("directive", "t", "7", "parked", `{"action":"poison","why":"10 lapses"}`), "#7 poison: 10 lapses"},
		"directive priority": {event("directive", "t", "7", "pending", `{"action":"reprioritize","priority":"P0"}`), "#7 now P0"},
		"generic":            {event("generic", "t", "", "", `{"a":1,"b":{"c":[true]},"d":"x y"}`), `a=1 b={"c":[true]} d=x y`},
		"coord":              {event("coord", "note.added", "src/a.go", "", `{"text":"careful"}`), "src/a.go careful"},
		"session":            {event("coord", "session.ended", "t:1", "ended", `{"incarnation":1,"untrusted":{"landed_as":"a\u001bb"}}`), "t:1 ended, landed as a␛b"},
		"note added":         {event("coord", "note.added", "7", "open", `{"trust":"agent","untrusted":{"path":"a\u202eb"}}`), "added note 7 on a<202e>b"},
		"system":             {event("system", "t", "", "", `{"action":"import","from":"changi"}`), "import from=changi"},
		"empty":              {event("note", "t", "", "", `{}`), ""},
		"damaged":            {event("note", "t", "", "", `{"text":"cut sho`), "cut sho"},
		"cut in an escape":   {event("note", "t", "", "", `{"text":"a\n\ud83d\ude`), "a␊\uFFFD"},
		"cut after a quote":  {event("note", "t", "", "", `{"text":"a\"`), `a"`},
		"escape":             {event("note", "t", "", "", `{"text":"\u001b[2Jx"}`), "␛[2Jx"},
		"not an object":      {event("note", "t", "", "", `[1]`), ""},
		"a nested text":      {event("note", "t", "", "", `{"a":{"text":"no"},"text":"yes"}`), "yes"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := summary.Of(c.e); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestSummaryReadsWhatTheLibraryReads: of any object, the text is found as
// encoding/json finds it.
func TestSummaryReadsWhatTheLibraryReads(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := map[string]any{}
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			m[rapid.String().Draw(t, "name")] = rapid.SampledFrom([]any{
				1.5, nil, true, "x\"y\\", []any{"text", map[string]any{"text": "no"}}, map[string]any{"text": `"}`},
			}).Draw(t, "value")
		}
		want := rapid.StringN(0, 40, 120).Draw(t, "text")
		m["text"] = want
		b, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if got := summary.Of(model.Event{Kind: model.KindNote, Payload: b}); got != clean.Line(want) {
			t.Fatalf("of %s: %q, want %q", b, got, clean.Line(want))
		}
	})
}

func FuzzSummary(f *testing.F) {
	for _, s := range []string{`{"text":"a"}`, `{"a":{"b":[1,"\ud83d"]}}`, `{"text":"\`, `{"text"`, `{`, "{\"text\":\"\x9b\"}"} {
		f.Add(s, "note")
		f.Add(s, "directive")
	}
	f.Fuzz(func(t *testing.T, payload, kind string) {
		got := summary.Of(model.Event{Kind: model.Kind(kind), Key: "1", Payload: json.RawMessage(payload)})
		if c := clean.Line(got); c != got {
			t.Fatalf("%q is not clean", got)
		}
	})
}
